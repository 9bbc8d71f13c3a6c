#include "plan_limbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/console.h"
#include "mpi/exchange/open.h"

hb_plan_limbs hb_plan_limbs_of(const hb_session *session)
{
    const hb_params *params = session->params;
    hb_plan_limbs limbs = {.ranks = (uint32_t)session->grid.members->size,
                           .groups = (uint32_t)session->grid.peers->size,
                           .most = hb_params_most_limbs(params, params->ids, params->fresh_limbs),
                           .why_not = session->why_not.text,
                           .trials = session->trials};
    if (session->exchange != NULL) {
        const char *name = session->exchange->ops->name;
        const bool direct = strcmp(name, "direct") == 0, nccl = strcmp(name, "nccl") == 0;
        snprintf(limbs.exchange, sizeof limbs.exchange,
                 direct ? "direct copies, and NCCL %s"
                 : nccl ? "NCCL %s"
                        : "MPI",
                 hb_exchange_nccl_version());
    }
    return limbs;
}

/* Prints the predicted seconds of each number of ranks, and whether they go by an exchange that was measured. */
static void print_trials(const hb_limb_trials *trials, hb_speaker say, const hb_group *group, const hb_common *common)
{
    char text[32 * HB_MOST_MEMBERS] = "";
    size_t at = 0;
    bool measured = false;
    for (uint32_t i = 0; i < trials->count && at < sizeof text; i++) {
        const hb_limb_trial *t = &trials->trial[i];
        measured = measured || t->measured;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s with %" PRIu32, i > 0 ? ", " : "",
                               t->fits ? hb_human_seconds(t->seconds).text : "no memory", t->k);
    }
    const uint32_t k = trials->trial[trials->chosen].k;
    char why[96] = "";
    if (!measured && trials->count > 1) {
        snprintf(why, sizeof why, "; %" PRIu32 " is soonest even if exchanges cost nothing, so none was measured", k);
    }
    say(group, common, "limb ranks   %" PRIu32 " (predicted: %s%s)", k, text, why);
}

void hb_plan_limbs_print(const hb_plan_limbs *limbs, const hb_group *group, const hb_common *common, bool results)
{
    const hb_speaker say = hb_console_speaker(results);
    if (limbs->trials != NULL) {
        print_trials(limbs->trials, say, group, common);
    }
    if (limbs->exchange[0] == '\0') {
        return;
    }
    say(group, common, "limbs        each ciphertext on %" PRIu32 " ranks, %s each at most, exchange over %s%s%s",
        limbs->ranks, hb_human_things(limbs->most, "limb").text, limbs->exchange,
        limbs->why_not[0] != '\0' ? ", as there is no faster way here: " : "", limbs->why_not);
}

static json_t *trials_json(const hb_limb_trials *trials)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < trials->count; i++) {
        const hb_limb_trial *t = &trials->trial[i];
        json_t *one = json_pack("{s:I, s:b, s:f, s:b}", "limb_ranks", (json_int_t)t->k, "fits", (int)t->fits, "seconds",
                                t->seconds, "measured", (int)t->measured);
        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

json_t *hb_plan_limbs_json(const hb_plan_limbs *limbs, const hb_exchange_stats *exchanged)
{
    static const char *const names[HB_PATTERNS] = {
        [HB_ALL_GATHER] = "all_gather", [HB_ALL_TO_ALL] = "all_to_all", [HB_BROADCAST] = "broadcast"};
    json_t *json = json_pack("{s:I, s:I, s:I, s:s?}", "limb_ranks", (json_int_t)limbs->ranks, "groups",
                             (json_int_t)limbs->groups, "rank_limbs", (json_int_t)limbs->most, "exchange",
                             limbs->exchange[0] != '\0' ? limbs->exchange : NULL);
    /* By pattern, as they cost differently. */
    for (int p = 0; p < HB_PATTERNS && json != NULL; p++) {
        json_t *one = json_pack("{s:I, s:I, s:f}", "transfers", (json_int_t)exchanged->transfers[p], "bytes",
                                (json_int_t)exchanged->received[p], "seconds", exchanged->seconds[p]);
        if (json_object_set_new(json, names[p], one) != 0) {
            json_decref(json);
            json = NULL;
        }
    }
    if (json != NULL && limbs->trials != NULL &&
        json_object_set_new(json, "predicted", trials_json(limbs->trials)) != 0) {
        json_decref(json);
        return NULL;
    }
    return json;
}
