/* Where the digits of key switching begin: runs of consecutive data primes. A level has the digits of its leading
 * primes, of the last one perhaps a part. */
#ifndef HB_RING_DIGIT_LIST_H
#define HB_RING_DIGIT_LIST_H

#include <string.h>

#include "basis.h"

/* Digit j has the data primes from first[j] on, up to first[j + 1]: first ascends from 0, and ends with the number of
 * data primes, HB_MAX_LIMBS at most. A zeroed one has no digits. */
typedef struct hb_digit_list {
    uint32_t count, first[HB_MAX_LIMBS + 1];
} hb_digit_list;

/* Returns digits of `most` primes each, 1 or more, the last one of those that remain; none of no primes. */
static inline hb_digit_list hb_digit_list_even(uint32_t data, uint32_t most)
{
    hb_digit_list list;
    memset(&list, 0, sizeof list); /* in C++, too */
    for (uint32_t i = 0; i < data; i += most) {
        list.first[list.count++] = i;
    }
    list.first[list.count] = data;
    return list;
}

/* Returns how many digits, the parts of a key for switching, the leading primes of a list make. Behind the last prime
 * there are no more. */
static inline uint32_t hb_digit_list_at(const hb_digit_list *list, uint32_t limbs)
{
    uint32_t count = 0;
    while (count < list->count && list->first[count] < limbs) {
        count++;
    }
    return count;
}

#endif
