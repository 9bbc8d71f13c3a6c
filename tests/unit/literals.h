/* Literals of parameters that a test wrote and read again. */
#ifndef HB_UNIT_LITERALS_H
#define HB_UNIT_LITERALS_H

#include "scheme/params.h"

/* Returns whether two literals are the same, security too: member by member, as bytes between members may differ. */
static inline bool same_literal(const hb_params_spec *a, const hb_params_spec *b)
{
    const hb_security *s = &a->security, *t = &b->security;
    return hb_params_same(a, b) && s->level == t->level && s->table == t->table && s->quantum == t->quantum &&
           a->insecure == b->insecure && a->secret == b->secret && a->joint.owners == b->joint.owners &&
           a->joint.threshold == b->joint.threshold && a->joint.results == b->joint.results &&
           memcmp(a->joint.session, b->joint.session, sizeof a->joint.session) == 0;
}

#endif
