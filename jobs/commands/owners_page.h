/* The page `hebatch help owners`, in pieces, as compilers need not take longer strings; NULL is behind them. */
#ifndef HB_COMMANDS_OWNERS_PAGE_H
#define HB_COMMANDS_OWNERS_PAGE_H

extern const char *const hb_owners_page[];

#endif
