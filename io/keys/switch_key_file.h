/* Files of switching keys (HDF5, layout in io/README.md), beside secret.h5 and public.h5: relin.h5 and galois-G.h5
 * serve all levels, relin-K.h5 and galois-G-K.h5 those of at most K primes; to-sparse.h5 and from-sparse.h5 are between
 * the secret and the sparse one; rekey-OLD-NEW.h5, mode 0600, is between the secrets of two pairs. All others are
 * public material. A file has some megabytes to gigabytes, packed; component 1 is a seed a part, or packed as well,
 * where another program made the key or it was made by a public key. Each row has a digest of its own: a reader that
 * needs some rows reads and checks these, and no others. Host memory only; rlwe/switch_key.h puts keys on an engine.
 * Written as keyfile.h says. */
#ifndef HB_IO_KEYS_SWITCH_KEY_FILE_H
#define HB_IO_KEYS_SWITCH_KEY_FILE_H

#include <math.h>
#include <stdio.h>

#include "io/files/pending.h"
#include "rlwe/quality.h"
#include "rlwe/switch_key.h"

/* The sorts of keys for computing, for all parameters. */
typedef enum hb_key_sort {
    HB_KEY_RELINEARIZATION,
    HB_KEY_GALOIS, /* from or to an automorphism, as the parameters choose (hb_key_purpose_of) */
    HB_KEY_TO_SPARSE,
    HB_KEY_FROM_SPARSE,
    HB_KEY_REKEY, /* from the secret of another pair; its file is named for both (hb_rekey_name) */
    HB_KEY_SORTS  /* their number */
} hb_key_sort;

/* The key of a pair that a file holds, as its name says. */
typedef struct hb_key_name {
    hb_key_sort sort;
    uint32_t element; /* of HB_KEY_GALOIS; else 0 */
    /* The limbs of the highest level that it serves, where that is below the highest of all; 0: it serves all
     * levels. */
    uint32_t limbs;
} hb_key_name;

/* Returns the name of the key for an element, or for HB_RELINEARIZATION, for all levels. */
static inline hb_key_name hb_key_for_all_levels(uint32_t element)
{
    return (hb_key_name){element == HB_RELINEARIZATION ? HB_KEY_RELINEARIZATION : HB_KEY_GALOIS, element, 0};
}
static inline bool hb_key_name_same(hb_key_name a, hb_key_name b)
{
    return a.sort == b.sort && a.element == b.element && a.limbs == b.limbs;
}
/* Return the name of the key for a purpose of the parameters' own gadgets, and that purpose. */
hb_key_name hb_key_name_of(const hb_params_spec *spec, const hb_key_purpose *purpose);
hb_key_purpose hb_key_purpose_of_name(const hb_params_spec *spec, hb_key_name name);
/* Returns the limbs of the highest level that it serves, also where name.limbs is 0. */
uint32_t hb_key_name_limbs(const hb_params_spec *spec, hb_key_name name);
/* Returns whether `key` serves everything that a key of `name` serves. */
static inline bool hb_key_name_serves(hb_key_name key, hb_key_name name)
{
    return key.sort == name.sort && key.element == name.element &&
           (key.limbs == 0 || (name.limbs != 0 && key.limbs >= name.limbs));
}

/* The facts about a key of HB_KEY_REKEY. */
typedef struct hb_rekey_facts {
    uint8_t from[HB_KEY_ID_BYTES]; /* the pair from whose secret it switches */
    bool another;   /* it was made with the public key alone (hb_switch_key_encrypt), of another person */
    uint32_t error; /* log2 of the largest magnitude of its errors (rlwe/key_shape.h), in 1024ths, rounded up */
} hb_rekey_facts;

/* Writes the name of a key of HB_KEY_REKEY in its folder: "rekey-OLD-NEW.h5", of the first 8 digits of both pairs'
 * ids. */
#define HB_REKEY_NAME 32
static inline void hb_rekey_name(char name[HB_REKEY_NAME], const uint8_t from[HB_KEY_ID_BYTES],
                                 const uint8_t to[HB_KEY_ID_BYTES])
{
    snprintf(name, HB_REKEY_NAME, "rekey-%02x%02x%02x%02x-%02x%02x%02x%02x.h5", from[0], from[1], from[2], from[3],
             to[0], to[1], to[2], to[3]);
}
typedef struct hb_rekey_names {
    char (*name)[HB_REKEY_NAME]; /* [count]; freed by the caller */
    uint32_t count;
} hb_rekey_names;
/* Lists such names in a folder, sorted; the caller frees the list, NULL where there are none. HB_ENOINPUT, HB_EIO,
 * HB_ENOMEM. */
hb_status hb_rekey_list(const char *directory, hb_rekey_names *names);
/* Returns `error` of keys to the holder of a secret that is a sum of `owners` ternary ones. */
static inline uint32_t hb_rekey_error(const hb_params_spec *spec, bool another, uint32_t owners)
{
    const hb_key_shape shape = hb_key_shape_of(spec->n, owners);
    return (uint32_t)hb_quality_to_file(log2(another ? shape.rekey.worst : HB_KEY_ERROR_BOUND));
}

typedef struct hb_switch_key_file {
    hb_params_spec spec;
    uint8_t key_id[HB_KEY_ID_BYTES]; /* of its key pair */
    hb_key_name name;
    hb_rekey_facts rekey;         /* of HB_KEY_REKEY; else zeros */
    uint32_t parts;               /* D of its level */
    size_t part_bytes;            /* hb_packed_bytes of that level's limbs and the special primes */
    uint8_t *b;                   /* [parts][part_bytes]; owned */
    hb_seed *seeds;               /* [parts]; owned; or NULL, then ... */
    uint8_t *a;                   /* ... [parts][part_bytes]; owned */
    uint8_t sum[HB_DIGEST_BYTES]; /* of a file that was read: its checksum (hb_switch_key_label); not written */
} hb_switch_key_file;

/* The facts about a file that are read without the key in it. */
typedef struct hb_switch_key_label {
    hb_params_spec spec;
    uint8_t key_id[HB_KEY_ID_BYTES];
    hb_key_name name;
    hb_rekey_facts rekey; /* of HB_KEY_REKEY; else zeros */
    uint32_t parts;
    bool seeded;
    uint64_t version; /* that the file states */
    uint64_t file_bytes;
    /* The checksum that the file states, of the facts above but the last two and of all rows: who reads rows compares
     * them with it. */
    uint8_t sum[HB_DIGEST_BYTES];
} hb_switch_key_label;

/* Returns in *path "DIR/relin.h5", "DIR/galois-G.h5" and so on; allocated. HB_ENOMEM. */
hb_status hb_switch_key_path(const char *directory, hb_key_name name, char **path);
/* A growing list of names, each once; zeroed at first. HB_ENOMEM. */
typedef struct hb_key_names {
    hb_key_name *name; /* [count]; freed by the caller */
    uint32_t count;
} hb_key_names;
/* Adds a name. HB_ENOMEM. */
hb_status hb_key_names_add(hb_key_names *list, hb_key_name name);
/* Removes the remains of keygen runs that are gone from a directory of keys: secret.h5.partial and the like.
 * HB_ECREATE. */
hb_status hb_key_folder_sweep(const char *directory);
/* Lists the names of such files in a directory, by sort, element and level, the highest first; the caller frees the
 * list, NULL where there are none. HB_ENOINPUT. */
hb_status hb_switch_key_list(const char *directory, hb_key_names *names);
/* Returns the most bytes that the file of a seeded key takes. */
uint64_t hb_switch_key_file_bytes(const hb_params_spec *spec, hb_key_name name);

/* Makes an empty key: name and counts, memory for b and either seeds or a. HB_ENOMEM: then it is zeroed; HB_ECONFIG
 * when the parameters have only one prime. */
hb_status hb_switch_key_file_init(hb_switch_key_file *key, const hb_params_spec *spec, hb_key_name name, bool seeded);
/* Writes the file. HB_ECREATE when it exists or the directory cannot be written. */
hb_status hb_switch_key_file_write(const char *path, const hb_switch_key_file *key);
/* Does the same without the renaming: for files that get their names together. */
hb_status hb_switch_key_file_prepare(const char *path, const hb_switch_key_file *key, hb_pending *pending);
/* Reads a file. Checks format, counts against the parameters and the file's size before it allocates by them, and the
 * checksum (HB_EDATA). HB_ENOINPUT when missing. The caller clears *key. */
hb_status hb_switch_key_file_read(const char *path, hb_switch_key_file *key);
/* Does the same without reading the key itself or checking the checksum. */
hb_status hb_switch_key_file_look(const char *path, hb_switch_key_label *label);
/* The rows of a key that are read: those of the first `parts` parts, modulo each prime l of which bit l is set in
 * `primes`. */
typedef struct hb_key_rows {
    uint32_t parts;
    uint64_t primes;
} hb_key_rows;

/* A file of a key, open to be read: its facts are known, and where the key is. */
typedef struct hb_switch_key_source {
    hb_switch_key_label label;
    uint8_t state[HB_DIGEST_BYTES];  /* of the file (io/files/file_state.h), before anything was read */
    uint8_t origin[HB_DIGEST_BYTES]; /* of the label's checksum, and of the state */
    size_t part_bytes;               /* of all rows of a part */
    hb_key_rows rows;                /* that are read; at first all: .primes is UINT64_MAX */
    size_t taken_bytes;              /* of these rows of a part */
    /* Where the file has component 0; component 1, or its seeds; and the digests of rows. */
    uint64_t b_offset, a_offset, sum_offset;
    size_t sum_bytes; /* of all digests of rows; 0: an older file, which has none, and one checksum over all rows */
    int fd;           /* -1: closed */
} hb_switch_key_source;

/* Files whose facts were read, by their states, for a process that opens the same ones again and again. Zeroed:
 * none. */
enum { HB_KNOWN_KEYS_MOST = 1024 };
typedef struct hb_known_keys {
    hb_switch_key_source *source; /* [HB_KNOWN_KEYS_MOST] `count` of them, closed; owned; NULL: no memory yet */
    uint32_t count, next;         /* next: the place of the one that is known next, the oldest where all are taken */
} hb_known_keys;
void hb_known_keys_clear(hb_known_keys *known);

/* Opens a file and checks all but the key in it, as hb_switch_key_file_look does. It is the one opening of the file. A
 * key of HB_KEY_REKEY that group or others can read is refused: HB_EPERM. HDF5 is called, so by one thread at a time.
 * The caller closes the source. known: of a file whose state is known, that was not changed in any way since its facts
 * were read and checked, these are taken over, and HDF5 is not called; others are known from now on. NULL: none is. */
hb_status hb_switch_key_source_open_known(const char *path, hb_known_keys *known, hb_switch_key_source *source);
static inline hb_status hb_switch_key_source_open(const char *path, hb_switch_key_source *source)
{
    return hb_switch_key_source_open_known(path, NULL, source);
}
/* Chooses the rows that are read; called before any is read. Primes and parts that the file does not have are left
 * out. */
void hb_switch_key_source_choose(hb_switch_key_source *source, hb_key_rows rows);
/* Returns the bytes of the chosen rows of component 0. */
static inline size_t hb_switch_key_source_b_bytes(const hb_switch_key_source *source)
{
    return source->rows.parts * source->taken_bytes;
}
/* Returns the bytes of the chosen rows of component 1, or of the seeds of all parts in their place. */
static inline size_t hb_switch_key_source_a_bytes(const hb_switch_key_source *source)
{
    return source->label.seeded ? source->label.parts * sizeof(hb_seed) : hb_switch_key_source_b_bytes(source);
}
/* A key is read into one piece of memory: component 0 at its begin, component 1 or its seeds behind it, at the next
 * whole word. Returns that place, in bytes. */
static inline size_t hb_switch_key_source_a_place(const hb_switch_key_source *source)
{
    const size_t word = sizeof(uint64_t);
    return (hb_switch_key_source_b_bytes(source) + word - 1) / word * word;
}
/* Returns the size of that memory. */
static inline size_t hb_switch_key_source_bytes(const hb_switch_key_source *source)
{
    return hb_switch_key_source_a_place(source) + hb_switch_key_source_a_bytes(source);
}
/* Returns the bytes of the file that are read for it, without its head. A file without digests of rows is read
 * whole. */
static inline uint64_t hb_switch_key_source_reads(const hb_switch_key_source *source)
{
    return source->sum_bytes == 0 ? source->label.file_bytes
                                  : (uint64_t)source->sum_bytes + hb_switch_key_source_b_bytes(source) +
                                        hb_switch_key_source_a_bytes(source);
}
/* Reads the chosen rows of component 0 to `b`, and those of component 1, or its seeds, to `a`, memory of the sizes
 * above. Checks each byte that it gives against the checksum that the file had when it was opened. A source that was
 * closed is opened for that. Any thread may do it, as HDF5 is not called. HB_EDATA, HB_EIO, HB_ENOINPUT, HB_ENOMEM. */
hb_status hb_switch_key_source_read(const hb_switch_key_source *source, const char *path, uint8_t *b, uint8_t *a);
/* Returns the key in memory that it was read into, for an engine. Where rows were chosen, they are those that the
 * engine takes. */
static inline hb_packed_key hb_switch_key_source_rows(const hb_switch_key_source *source, const uint8_t *memory)
{
    const uint8_t *a = memory + hb_switch_key_source_a_place(source);
    return (hb_packed_key){.limbs = source->label.name.limbs,
                           .own = source->rows.primes != UINT64_MAX,
                           .b = memory,
                           .a = source->label.seeded ? NULL : a,
                           .seeds = source->label.seeded ? (const hb_seed *)a : NULL};
}
/* Closes the file; its facts stay. */
void hb_switch_key_source_close(hb_switch_key_source *source);

void hb_switch_key_file_clear(hb_switch_key_file *key);

#endif
