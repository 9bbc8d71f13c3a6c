#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "chunk.h"

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Returns how many insertions, deletions, substitutions and exchanges of neighbours turn a into b (optimal string
 * alignment; large and small letters are the same), at most 32; words of 32 or more letters count as far apart. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { MOST = 32 };
    size_t distance[MOST][MOST];
    size_t la = strlen(a), lb = strlen(b);
    if (la >= MOST || lb >= MOST) {
        return MOST;
    }
    for (size_t i = 0; i <= la; i++) {
        for (size_t j = 0; j <= lb; j++) {
            if (i == 0 || j == 0) {
                distance[i][j] = i + j;
                continue;
            }
            size_t least = hb_smaller(distance[i - 1][j], distance[i][j - 1]) + 1;
            least = hb_smaller(least, distance[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]));
            /* Two neighbours exchanged, which is one slip of the fingers and not two. */
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1])) {
                least = hb_smaller(least, distance[i - 2][j - 2] + 1);
            }
            distance[i][j] = least;
        }
    }
    return distance[la][lb];
}

const char *hb_nearest(const char *word, const char *const *names)
{
    /* One slip for each three letters: a word of one letter is like no other. */
    size_t length = strlen(word), best = (length + 1) / 3;
    const char *nearest = NULL;
    for (; *names != NULL; names++) {
        size_t distance = edit_distance(word, *names);
        /* A word that a name begins with is nearer than any misspelling. */
        bool beginning = length >= 2 && strncasecmp(word, *names, length) == 0;
        if (beginning || distance < best || (distance == best && nearest == NULL)) {
            nearest = *names;
            best = beginning ? 0 : distance;
        }
    }
    return nearest;
}
