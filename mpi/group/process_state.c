#include "process_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 512 };

/* Reads the line that the system has of a process; "": there is none. */
static void read_line(pid_t process, char text[LINE])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    const int fd = process > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t length = fd >= 0 ? read(fd, text, LINE - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[length > 0 ? length : 0] = '\0';
}

/* State and parent stand behind the name, which may have any characters: ") T 4711 ". */
hb_process_state hb_process_state_of(pid_t process)
{
    char text[LINE];
    read_line(process, text);
    const char *end = strrchr(text, ')');
    if (end == NULL || strlen(end) < strlen(") T 1")) {
        return (hb_process_state){.parent = 0};
    }
    return (hb_process_state){.parent = (pid_t)strtol(end + strlen(") T "), NULL, 10),
                              .stopped = end[2] == 'T' || end[2] == 't',
                              .ended = end[2] == 'Z' || end[2] == 'X'};
}

/* The name stands in brackets. */
void hb_process_name(pid_t process, char name[16])
{
    char text[LINE];
    read_line(process, text);
    const char *begin = strchr(text, '('), *end = strrchr(text, ')');
    const size_t length = begin != NULL && end != NULL ? (size_t)(end - begin - 1) : 0, most = 15;
    snprintf(name, most + 1, "%.*s", (int)(length < most ? length : most), length > 0 ? begin + 1 : "");
}
