#include "tables.cuh"

hb_status hb_table_words(const hb_design_case *c, bool forward, hb_inverse_scale scale, uint64_t *words)
{
    const size_t n = (size_t)1 << c->log_n;
    for (uint32_t l = 0; l < c->moduli; l++) {
        hb_modulus m;
        HB_TRY(hb_modulus_init(&m, c->primes[l]));
        uint64_t *row = words + l * n;
        hb_ring_powers(row, forward ? c->roots[l] : hb_mod_inverse(c->roots[l], &m), c->log_n, &m);
        for (size_t i = 0; scale == HB_SCALE_HALVES && i < n; i++) {
            row[i] = hb_word_half(row[i], m.value);
        }
    }
    return HB_OK;
}

hb_status hb_table_n_inverse(const hb_design_case *c, uint64_t *words)
{
    for (uint32_t l = 0; l < c->moduli; l++) {
        hb_modulus m;
        HB_TRY(hb_modulus_init(&m, c->primes[l]));
        words[l] = hb_mod_inverse((uint64_t)1 << c->log_n, &m);
    }
    return HB_OK;
}

hb_status hb_table_upload(const void *host, size_t bytes, void **there)
{
    HB_CUDA(cudaMalloc(there, bytes));
    HB_CUDA(cudaMemcpy(*there, host, bytes, cudaMemcpyHostToDevice));
    HB_CUDA(cudaDeviceSynchronize()); /* the copy of pageable memory may return before it is there */
    return HB_OK;
}
