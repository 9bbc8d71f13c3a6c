#include "file_state.h"

void hb_file_state_add(hb_digest_state *state, const struct stat *info)
{
    const uint64_t facts[] = {(uint64_t)info->st_dev,          (uint64_t)info->st_ino,
                              (uint64_t)info->st_size,         (uint64_t)info->st_mtim.tv_sec,
                              (uint64_t)info->st_mtim.tv_nsec, (uint64_t)info->st_ctim.tv_sec,
                              (uint64_t)info->st_ctim.tv_nsec};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        hb_digest_add_u64(state, facts[i]);
    }
}
