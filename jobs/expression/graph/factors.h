/* Which factors a product has, and how often each: those that come again make noise grow by more than others
 * (hb_quality_again). */
#ifndef HB_EXPRESSION_GRAPH_FACTORS_H
#define HB_EXPRESSION_GRAPH_FACTORS_H

#include <stdint.h>

/* The most frequent ones; what it has no room for is forgotten. Zeroed: none. */
enum { HB_FACTORS_MOST = 4 };
typedef struct hb_factors {
    uint32_t node[HB_FACTORS_MOST];
    uint32_t times[HB_FACTORS_MOST]; /* 0: no factor stands here */
} hb_factors;

/* One more of it. */
void hb_factors_add(hb_factors *factors, uint32_t node);
/* Each as often as in that of both where it is more frequent: noise is a sum over ways through the graph, and the
 * largest term decides. */
void hb_factors_merge(hb_factors *factors, const hb_factors *others);
/* How often it is there. */
uint32_t hb_factors_times(const hb_factors *factors, uint32_t node);

#endif
