#include "opcode.h"

#define HB_OPERATION(op, word, ...) [HB_OP_##op] = {.name = (word), __VA_ARGS__},

const hb_operation hb_operations[HB_OPCODES] = {
#include "operations.def"
};
