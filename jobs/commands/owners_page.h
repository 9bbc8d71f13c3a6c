/* The page `hebatch help owners`. */
#ifndef HB_COMMANDS_OWNERS_PAGE_H
#define HB_COMMANDS_OWNERS_PAGE_H

extern const char hb_owners_page[];

#endif
