#include "command.h"

#include <string.h>

#define NAME(name) #name,
static const char *const served[] = {HB_COMMANDS_SERVED(NAME)};
#undef NAME

bool hb_command_is_served(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof served / sizeof *served; i++) {
        found = found || strcmp(served[i], name) == 0;
    }
    return found;
}
