#include "opcode.h"

const hb_operation hb_operations[HB_OPCODES] = {
    [HB_OP_LOAD] = {.name = "load", .loads = true},
    [HB_OP_LOAD_PLAIN] = {.name = "load of a table", .loads = true},
    [HB_OP_STORE] = {.name = "store"},
    [HB_OP_ADD] = {.name = "sum", .in_place = true},
    [HB_OP_SUBTRACT] = {.name = "difference", .in_place = true},
    [HB_OP_NEGATE] = {.name = "negation", .in_place = true},
    [HB_OP_ADD_PLAIN] = {.name = "sum with a table", .in_place = true},
    [HB_OP_SUBTRACT_PLAIN] = {.name = "difference with a table", .in_place = true},
    [HB_OP_MULTIPLY_PLAIN] = {.name = "product with a table", .in_place = true, .plain_factor = true},
    [HB_OP_ADD_CONSTANT] = {.name = "sum with a constant", .in_place = true, .constant = true, .encoded = true},
    [HB_OP_MULTIPLY_INTEGER] = {.name = "product with a constant", .in_place = true, .constant = true},
    [HB_OP_MULTIPLY] = {.name = "product", .two = true},
    [HB_OP_RELINEARIZE] = {.name = "relinearization", .switches = true},
    [HB_OP_MOD_SWITCH] = {.name = "switch to a lower level"},
    [HB_OP_ROTATE] = {.name = "rotation", .two = true, .switches = true, .automorphism = true},
    [HB_OP_SWAP] = {.name = "swap of rows", .two = true, .switches = true, .automorphism = true},
    [HB_OP_BROADCAST] = {.name = "broadcast"},
    [HB_OP_MASK] = {.name = "mask", .in_place = true, .encoded = true, .plain_factor = true},
    [HB_OP_ACCUMULATE] = {.name = "accumulation"},
    [HB_OP_SUM_SLOTS] = {.name = "sum of slots", .switches = true},
};
