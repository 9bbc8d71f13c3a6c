#include "command.h"

#include <string.h>

bool hb_command_is_served(const char *name)
{
    static const char *const served[] = {"add", "encrypt", "eval", "refresh", "rekey", "sanitize"};
    bool found = false;
    for (size_t i = 0; i < sizeof served / sizeof *served; i++) {
        found = found || strcmp(served[i], name) == 0;
    }
    return found;
}
