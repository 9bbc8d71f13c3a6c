#include "words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job_private.h"

static size_t words_of(const hb_eval_job *job, hb_batch a)
{
    return a.count * a.limbs * job->base.session.engine->ring->n;
}

/* Returns the words of the limbs that a member has. */
static size_t count_words(const hb_eval_job *job, hb_batch a, uint32_t member)
{
    const hb_params *params = job->base.session.params;
    return a.count * hb_limb_map_count(&params->map, a.ids, a.limbs, member) * params->ring.n;
}

/* Moves words between all limbs and those of one member, which stand one after another. */
static void move_words(const hb_eval_job *job, hb_batch a, uint32_t member, uint64_t *all, uint64_t *own, bool to_all)
{
    const hb_params *params = job->base.session.params;
    const size_t n = params->ring.n;
    size_t at = 0;
    for (size_t p = 0; p < a.count * a.limbs; p++) {
        /* Polynomials of limbs that the member does not have are passed over. */
        if (hb_limb_map_count(&params->map, &a.ids[p % a.limbs], 1, member) == 1) {
            if (to_all) {
                memcpy(all + p * n, own + at, n * sizeof *all);
            } else {
                memcpy(own + at, all + p * n, n * sizeof *all);
            }
            at += n;
        }
    }
}

/* The words of one ciphertext, among the members of a group. */
typedef struct words {
    uint64_t *all, *own, *way; /* of all limbs; of this member's; on their way between members */
} words;

static void words_clear(words *w)
{
    free(w->all);
    free(w->own);
    free(w->way);
}

static hb_status words_init(words *w, size_t count)
{
    *w = (words){calloc(count, sizeof *w->all), calloc(count, sizeof *w->own), calloc(count, sizeof *w->way)};
    if (w->all == NULL || w->own == NULL || w->way == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the words of a sum or a total");
    }
    return HB_OK;
}

/* Puts the words of all members into w->all of each. Collective among the members. */
static hb_status gather_words(hb_eval_job *job, hb_batch a, words *w)
{
    hb_group *members = job->base.session.grid.members;
    for (uint32_t m = 0; m < (uint32_t)members->size; m++) {
        const size_t count = count_words(job, a, m);
        if (m == (uint32_t)members->rank) {
            memcpy(w->way, w->own, count * sizeof *w->own);
        }
        HB_TRY(hb_group_broadcast(members, w->way, count * sizeof *w->way, (int)m));
        move_words(job, a, m, w->all, w->way, true);
    }
    return HB_OK;
}

size_t hb_eval_words_bytes(const hb_eval_job *job, hb_batch a)
{
    const hb_engine *engine = job->base.session.engine;
    const size_t here = hb_limbs_here(engine, a.ids, a.limbs) * engine->ring->n;
    HB_ASSERT(here == 0 || a.stride == here);
    return a.count * here * sizeof(uint64_t);
}

static hb_status download(hb_eval_job *job, hb_batch a, uint64_t *own)
{
    hb_engine *engine = job->base.session.engine;
    HB_TRY(hb_download(engine, own, a.data, hb_eval_words_bytes(job, a)));
    return hb_finish(engine);
}

static hb_status upload(hb_eval_job *job, hb_batch a, const uint64_t *own)
{
    hb_engine *engine = job->base.session.engine;
    HB_TRY(hb_upload(engine, a.data, own, hb_eval_words_bytes(job, a)));
    return hb_finish(engine);
}

hb_status hb_eval_words_put(hb_eval_job *job, hb_batch a, hb_checkpoint_file *file, uint64_t key)
{
    hb_group *members = job->base.session.grid.members;
    words w = {.all = NULL};
    hb_status st = words_init(&w, words_of(job, a));
    st = st == HB_OK ? download(job, a, w.own) : st;
    /* Before the exchange: a member without memory would leave the others waiting in it. */
    HB_GOTO(hb_agree(members, st));
    HB_GOTO(hb_agree(members, gather_words(job, a, &w)));
    st = hb_agree(members, members->rank == 0 ? hb_checkpoint_file_put(file, key, w.all, words_of(job, a)) : HB_OK);
done:
    words_clear(&w);
    return st;
}

static hb_status find_words(const hb_checkpoint_file *file, uint64_t key, uint64_t *to, size_t count)
{
    size_t length = 0;
    const uint64_t *from = hb_checkpoint_file_find(file, key, &length);
    if (from == NULL || length != count) {
        return HB_FAIL(HB_EDATA, "the checkpoint lacks register %" PRIu64, key);
    }
    memcpy(to, from, count * sizeof *to);
    return HB_OK;
}

hb_status hb_eval_words_get(hb_eval_job *job, hb_group *among, hb_batch a, const hb_checkpoint_file *file, uint64_t key)
{
    const size_t count = words_of(job, a);
    words w = {.all = NULL};
    hb_status st = words_init(&w, count);
    st = st == HB_OK && among->rank == 0 ? find_words(file, key, w.all, count) : st;
    HB_GOTO(hb_agree(among, st));
    /* Every member takes its limbs out of the whole ciphertext. */
    HB_GOTO(hb_agree(among, hb_group_broadcast(among, w.all, count * sizeof *w.all, 0)));
    move_words(job, a, (uint32_t)job->base.session.grid.members->rank, w.all, w.own, false);
    st = hb_agree(among, upload(job, a, w.own));
done:
    words_clear(&w);
    return st;
}
