/* Data of designs on the GPU: memory, the words of words.h, and back. The GPU is current in the calling thread. */
#ifndef HB_BENCH_GPU_WORDS_H
#define HB_BENCH_GPU_WORDS_H

#include "design.h"

/* HB_ENOMEM. Free takes NULL. */
hb_status hb_gpu_alloc(size_t bytes, void **memory);
void hb_gpu_free(void *memory);
/* All polynomials of the case, words of word_bytes, 4 or 8; operand: 0, or HB_WORDS_OPERAND. Issued to `stream`. */
hb_status hb_gpu_fill(void *data, uint32_t word_bytes, const hb_design_case *c, uint64_t operand, void *stream);
/* Waits for `stream` and copies from the GPU. */
hb_status hb_gpu_fetch(void *host, const void *from, size_t bytes, void *stream);

/* A stream of the current GPU. Close takes NULL. */
hb_status hb_gpu_stream_open(int device, void **stream);
void hb_gpu_stream_close(void *stream);

#endif
