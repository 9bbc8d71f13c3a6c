#include "cache_file.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse.h"
#include "io/base/durable.h"

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

/* The folder that holds `path`, and the one above. */
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

/* The note of that kind and name among those of a segment; notes are aligned to 4 bytes. */
static void find_note(const uint8_t *at, size_t bytes, char *text)
{
    static const char owner[] = "GNU";
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        const size_t name = ((size_t)note.n_namesz + 3) / 4 * 4, value = ((size_t)note.n_descsz + 3) / 4 * 4;
        const size_t rest = bytes - sizeof note;
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

/* The first object is the program itself, without which no library is asked. */
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
