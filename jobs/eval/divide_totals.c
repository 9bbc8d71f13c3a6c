#include <stdlib.h>

#include "job_private.h"

/* Returns how many workers of this rank compute totals. Operations of a GPU fill it; ranks that share limbs exchange in
 * the same order, which shares of different lengths would keep waiting. */
static uint32_t workers_of(const hb_job *base)
{
    const uint32_t queues = base->device.queues > 0 ? (uint32_t)base->device.queues : 1;
    return base->device.gpu || base->session.exchange != NULL ? 1 : queues;
}

static void digest_shares(hb_digest_state *state, const hb_pass_division *pass)
{
    hb_digest_add_u64(state, pass->share_count);
    for (uint32_t s = 0; s < pass->share_count; s++) {
        const hb_totals_share *share = &pass->shares[s];
        const uint64_t words[] = {share->stage, share->rank, share->worker, share->first, share->count};
        hb_digest_add(state, words, sizeof words);
    }
    hb_digest_add_u64(state, pass->move_count);
    for (uint32_t m = 0; m < pass->move_count; m++) {
        const uint64_t words[] = {pass->moves[m].stage, pass->moves[m].rank, pass->moves[m].total};
        hb_digest_add(state, words, sizeof words);
    }
}

/* Returns HB_EDATA unless all ranks divide alike: predicted work is made of real numbers. Collective. */
static hb_status check_same(const hb_eval_job *job)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch totals");
    for (uint32_t p = 0; p < job->program.pass_count; p++) {
        const hb_pass_division *pass = hb_totals_division_of(&job->division.of, p);
        hb_digest_add_u64(&state, job->program.passes[p].total_count);
        if (pass != NULL) {
            digest_shares(&state, pass);
            hb_digest_add(&state, pass->blocks, job->program.output_count * sizeof *pass->blocks);
        }
    }
    hb_digest_end(&state, digest);
    return hb_group_same(job->base.group, digest, "the division of totals");
}

/* Notes the registers that shares of a worker write. */
static void note_own(const hb_eval_job *job, const hb_pass_division *pass, const hb_pass *list, uint32_t worker,
                     uint8_t *own)
{
    for (uint32_t s = 0; s < pass->share_count; s++) {
        const hb_totals_share *share = &pass->shares[s];
        for (uint32_t i = share->first; i < share->first + share->count; i++) {
            const bool mine =
                hb_eval_share_is_of(&job->division, share) && share->worker % job->division.workers == worker;
            if (mine && hb_instruction_makes(&list->totals[i]) && job->division.of.own[list->totals[i].to] != 0) {
                own[list->totals[i].to] = 1;
            }
        }
    }
}

/* Lists the registers that each worker but the first has of its own. */
static hb_status find_own(hb_eval_job *job)
{
    hb_eval_division *division = &job->division;
    for (uint32_t w = 1; w < division->workers; w++) {
        division->own[w] = calloc(job->program.register_count + (size_t)1, 1);
        if (division->own[w] == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for a list of %u registers", job->program.register_count);
        }
        for (uint32_t p = 0; p < job->program.pass_count; p++) {
            const hb_pass_division *pass = hb_totals_division_of(&division->of, p);
            if (pass != NULL) {
                note_own(job, pass, &job->program.passes[p], w, division->own[w]);
            }
        }
    }
    return HB_OK;
}

static bool divides_any(const hb_eval_job *job)
{
    bool any = false;
    for (uint32_t p = 0; p < job->program.pass_count; p++) {
        any = any || hb_totals_division_of(&job->division.of, p) != NULL;
    }
    return any;
}

/* Rank-local, the same on all ranks. */
static hb_status divide(hb_eval_job *job, uint32_t workers)
{
    hb_eval_division *division = &job->division;
    const hb_totals_lanes lanes = {(uint32_t)job->base.session.grid.peers->size, workers, job->base.device.gpu};
    HB_TRY(hb_totals_divide(&division->of, job->base.session.params, &job->program, lanes));
    if (!divides_any(job)) {
        division->workers = 1;
        return HB_OK;
    }
    return find_own(job);
}

hb_status hb_eval_divide(hb_eval_job *job)
{
    uint64_t most = job->division.workers = workers_of(&job->base);
    job->division.group = (uint32_t)job->base.session.grid.peers->rank;
    /* As many lanes on all ranks: one with fewer workers has several shares for each. */
    HB_TRY(hb_agree(job->base.group, hb_group_max(job->base.group, &most, 1)));
    HB_TRY(hb_agree(job->base.group, divide(job, (uint32_t)most)));
    return check_same(job);
}
