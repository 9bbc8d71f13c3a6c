#include "process_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* State and parent stand behind the name, which may have any characters: ") T 4711 ". */
hb_process_state hb_process_state_of(pid_t process)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    const int fd = process > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[length > 0 ? length : 0] = '\0';
    const char *end = strrchr(text, ')');
    if (end == NULL || strlen(end) < strlen(") T 1")) {
        return (hb_process_state){.parent = 0};
    }
    return (hb_process_state){(pid_t)strtol(end + strlen(") T "), NULL, 10), end[2] == 'T' || end[2] == 't'};
}
