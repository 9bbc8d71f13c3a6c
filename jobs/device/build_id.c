#include "build_id.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "cli/parse.h"

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
