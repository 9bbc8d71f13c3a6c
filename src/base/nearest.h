/* The word that was probably meant by a mistyped one. */
#ifndef HB_BASE_NEAREST_H
#define HB_BASE_NEAREST_H

/* Returns the nearest of `names` (NULL-terminated) to a mistyped word: a name that begins with the word, else the name
 * from which the fewest typing errors lead to the word. At most one error for each three letters is allowed, rounded to
 * the nearest number. Large and small letters are the same. Returns NULL when none is near. */
const char *hb_nearest(const char *word, const char *const *names);

#endif
