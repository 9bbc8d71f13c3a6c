/* Attribute `format` of the root of hebatch's files, and the versions of the layout that this program writes and reads
 * (io/README.md). */
#ifndef HB_IO_H5_FORMAT_H
#define HB_IO_H5_FORMAT_H

#define HB_FORMAT "HEB1"       /* shards and indexes of ciphertext datasets */
#define HB_FORMAT_FRESH 1      /* older layout of fresh ciphertexts; read only */
#define HB_FORMAT_EVALUATED 2  /* older layout of computed ones, with bounds of their noise; read only */
#define HB_FORMAT_BFV 3        /* layout of BFV whose keys are switched as SEAL's are */
#define HB_FORMAT_VERSION 4    /* of all else: other schemes, and parameters that name their digits */
#define HB_FORMAT_GROWN 5      /* of datasets that grew: some shards have headers of a time when it had fewer rows */
#define HB_FORMAT_LEFT_OUT 6   /* of datasets of tables some of whose rows were left out, grown or not */
#define HB_FORMAT_GAP 7        /* of results of reals with comparisons, also of those that need an older version */
#define HB_FORMAT_MASKS 8      /* of datasets whose columns have masks, likewise */
#define HB_FORMAT_CUT 9        /* of packed totals with the coefficients of component 0 that they need, whatever else */
#define HB_FORMAT_FILLS 10     /* of datasets whose missing cells have other values than 0, whatever else */
#define HB_FORMAT_PARTIES 11   /* of datasets under keys of several owners, or that came under another key */
#define HB_FORMAT_SANITIZED 12 /* of datasets that were sanitized or opened, whatever else */
#define HB_FORMAT_NEWEST HB_FORMAT_SANITIZED
#define HB_PART_FORMAT "HEBP1" /* shards and indexes of parts of decryptions, with the layout of HB_FORMAT_PARTIES */
#define HB_PART_VERSION 1
#define HB_KEY_FORMAT "HEBK1"
#define HB_KEY_VERSION 1        /* parameters that are secure by the table of 2018 */
#define HB_KEY_VERSION_TABLE 2  /* parameters that name their security table */
#define HB_KEY_VERSION_ANY 3    /* of other schemes than BFV, and parameters that name their digits */
#define HB_KEY_VERSION_SEALED 4 /* secret keys under a passphrase */
#define HB_KEY_VERSION_ROWS 5   /* keys for computing whose rows have digests, each its own; of all parameters */
/* Keys of several owners, or from the secret of another pair, of any parameters. */
#define HB_KEY_VERSION_PARTIES 6
#define HB_KEY_VERSION_NEWEST HB_KEY_VERSION_PARTIES
#define HB_JOINT_FORMAT "HEBJ1" /* files that owners of joint keys exchange, and their own */
#define HB_JOINT_VERSION 1

#endif
