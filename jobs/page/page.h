/* A page about jobs, for a browser: one file of HTML that loads nothing and runs no script, with tables and bars of
 * what their reports say. Reports are files that anybody may have written: whatever is in them is text, numbers or
 * nothing, and of long lists the page has the beginning. */
#ifndef HB_PAGE_PAGE_H
#define HB_PAGE_PAGE_H

#include <jansson.h>

#include "base/status.h"

/* Makes the page of jobs, an array with an object for each: what `hebatch status` says of it, and "report", its whole
 * report, or null. Replaces an older page. HB_ECREATE, also where a file of that name is there that is no such page;
 * HB_EIO; HB_ENOMEM. */
hb_status hb_page_write(const json_t *jobs, const char *path);

#endif
