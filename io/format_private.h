/* Attribute `format` of the root of our files, and the version that this program writes and reads. */
#ifndef HB_FORMAT_PRIVATE_H
#define HB_FORMAT_PRIVATE_H

#define HB_FORMAT "HEB1"              /* shards and indexes of ciphertext datasets */
#define HB_FORMAT_VERSION 1           /* of fresh ciphertexts */
#define HB_FORMAT_VERSION_EVALUATED 2 /* with bounds of their noise */
#define HB_KEY_FORMAT "HEBK1"
#define HB_KEY_VERSION 1       /* whose parameters are secure by the table of 2018 */
#define HB_KEY_VERSION_TABLE 2 /* of parameters that name their security table */

#endif
