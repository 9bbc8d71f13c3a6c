/* How the program of a room (room.c.in) finds the tests of a file. */
#ifndef HB_TESTS_UNIT_H
#define HB_TESTS_UNIT_H

/* HB_UNIT(NAME) { ... } at the end of t_NAME.c: runs its tests and returns how many failed. */
#define HB_UNIT(name)                                                                                                  \
    int t_##name(void);                                                                                                \
    int t_##name(void)

#endif
