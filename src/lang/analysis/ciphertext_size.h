/* How many components ciphertexts have, and so where relinearizing is needed; which nodes are used. */
#ifndef HB_LANG_ANALYSIS_CIPHERTEXT_SIZE_H
#define HB_LANG_ANALYSIS_CIPHERTEXT_SIZE_H

#include "facts.h"

/* Marks nodes as asked for: they are stored, with 2 components. */
void hb_facts_need(hb_facts *facts, const uint32_t *nodes, uint32_t count);
/* Marks the nodes that results depend on, and finds components. Products keep 3 while they are only added, scaled,
 * switched down or summed up. They are relinearized where a product, a rotation or an output takes them, and then for
 * all users. */
void hb_facts_find_sizes(hb_facts *facts);
/* Returns whether making a node relinearizes its operand or its result. */
bool hb_node_relinearizes(const hb_facts *facts, const hb_node *node);

#endif
