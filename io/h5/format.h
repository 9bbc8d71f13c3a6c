/* Attribute `format` of the root of our files, and the versions that this program writes and reads. */
#ifndef HB_IO_H5_FORMAT_H
#define HB_IO_H5_FORMAT_H

#define HB_FORMAT "HEB1"      /* shards and indexes of ciphertext datasets */
#define HB_FORMAT_FRESH 1     /* older: of fresh ciphertexts, */
#define HB_FORMAT_EVALUATED 2 /* and of others, with bounds of their noise */
#define HB_FORMAT_VERSION 3   /* what is written: one layout for all */
#define HB_KEY_FORMAT "HEBK1"
#define HB_KEY_VERSION 1       /* whose parameters are secure by the table of 2018 */
#define HB_KEY_VERSION_TABLE 2 /* of parameters that name their security table */

#endif
