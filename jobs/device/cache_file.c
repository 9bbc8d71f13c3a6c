#include "cache_file.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse.h"
#include "io/files/durable.h"

hb_status hb_cache_path(const char *name, char **path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool own = cache != NULL && cache[0] == '/'; /* a relative one is to be ignored, the specification says */
    *path = NULL;
    if (!own && (home == NULL || home[0] != '/')) {
        return HB_OK;
    }
    if (asprintf(path, "%s%s/hebatch/%s", own ? cache : home, own ? "" : "/.cache", name) < 0) {
        *path = NULL;
        return HB_FAIL(HB_ENOMEM, "no memory for the name of a file");
    }
    return HB_OK;
}

/* Makes the folder that holds `path` and the one above, for the owner alone; others above are the system's to make. */
static hb_status make_folders(const char *path)
{
    char *folder, *above = NULL;
    HB_TRY(hb_folder_of(path, &folder));
    hb_status st = hb_folder_of(folder, &above);
    HB_GOTO(st);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? above : folder;
        if (mkdir(name, 0700) != 0 && errno != EEXIST) {
            HB_GOTO(HB_FAIL(HB_ECREATE, "%s: cannot make the folder: %s", name, strerror(errno)));
        }
    }
done:
    free(above);
    free(folder);
    return st;
}

hb_status hb_cache_write(const char *path, const char *text)
{
    HB_TRY(make_folders(path));
    return hb_write_file(path, text, strlen(text), 0600, true);
}

/* Looks for the build's identity among the notes of a segment of `bytes` bytes, each a header, a name and a value, both
 * padded to 4 bytes (elf(5)). Writes nothing where there is none. */
static void find_note(const uint8_t *at, size_t bytes, char *text)
{
    static const char owner[] = "GNU";
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        const size_t name = ((size_t)note.n_namesz + 3) / 4 * 4, value = ((size_t)note.n_descsz + 3) / 4 * 4;
        const size_t rest = bytes - sizeof note;
        /* The linker wrote it, but lengths that leave the segment would have this read anywhere. */
        if (name > rest || value > rest - name) {
            return;
        }
        const uint8_t *words = at + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner &&
            memcmp(words, owner, sizeof owner) == 0 && note.n_descsz <= (HB_BUILD_ID_TEXT - 1) / 2) {
            hb_hex(text, words + name, note.n_descsz);
            return;
        }
        at = words + name + value;
        bytes = rest - name - value;
    }
}

/* Is called for each loaded object; the first one is the program itself, and 1 ends the walk, so no library is looked
 * at. */
static int look(struct dl_phdr_info *info, size_t size, void *text)
{
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE && ((char *)text)[0] == '\0') {
            find_note((const uint8_t *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz, text);
        }
    }
    return 1;
}

void hb_build_id(char text[HB_BUILD_ID_TEXT])
{
    text[0] = '\0';
    (void)dl_iterate_phdr(look, text);
}
