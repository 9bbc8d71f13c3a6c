/* A page about jobs, for a browser: one HTML file that loads nothing and runs no script, with tables and bars of the
 * reports' facts. Anybody may have written the reports: all their contents are shown as text and numbers, and long
 * lists are cut. */
#ifndef HB_PAGE_PAGE_H
#define HB_PAGE_PAGE_H

#include <jansson.h>

#include "base/status.h"

/* Makes the page of jobs, an array with an object for each: the members that `hebatch status` gives, and "report", its
 * whole report, or null. Replaces an older page. HB_ECREATE, also where a file of that name exists that is no such
 * page; HB_EIO; HB_ENOMEM. */
hb_status hb_page_write(const json_t *jobs, const char *path);

#endif
