/* All commands of the program, each in a file of its name. */
#ifndef HB_COMMANDS_COMMANDS_H
#define HB_COMMANDS_COMMANDS_H

#include "cli/command.h"

extern const hb_command hb_command_params, hb_command_keygen, hb_command_encrypt, hb_command_eval, hb_command_decrypt,
    hb_command_info, hb_command_verify, hb_command_selftest, hb_command_doctor, hb_command_bench, hb_command_export,
    hb_command_import, hb_command_status, hb_command_concat, hb_command_add, hb_command_passphrase, hb_command_sanitize,
    hb_command_ask, hb_command_combine, hb_command_rekey, hb_command_refresh, hb_command_serve;

#endif
