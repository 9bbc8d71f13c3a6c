/* Which build of the program this is. */
#ifndef HB_DEVICE_BUILD_ID_H
#define HB_DEVICE_BUILD_ID_H

enum { HB_BUILD_ID_TEXT = 2 * 32 + 1 };

/* The identity that the linker gave to the running program's code, in hexadecimal digits: another one after every
 * change of it. "" where it gave none. */
void hb_build_id(char text[HB_BUILD_ID_TEXT]);

#endif
