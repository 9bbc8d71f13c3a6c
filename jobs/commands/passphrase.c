/* hebatch passphrase: seals a secret key by a passphrase, changes it, or removes it. */
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/misplaced_argument.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "commands.h"
#include "io/files/file_lock.h"
#include "keys/seal_cost.h"
#include "ranks/unseal.h"

/* The words of the command line. */
typedef struct words {
    const char *fresh, *cost;
    bool remove;
} words;

/* Brings the key to its new state in memory. */
static hb_status change(hb_keyfile *key, const char *path, const words *w)
{
    hb_seal_cost cost = HB_SEAL_MODERATE;
    const bool was_sealed = hb_keyfile_is_sealed(key);
    if (key->kind != HB_KEY_SECRET) {
        return HB_FAIL(HB_EDATA, "%s: is a public key, which anyone may have: a passphrase is for a secret one", path);
    }
    if (w->remove && !was_sealed) {
        return HB_FAIL(HB_EDATA, "%s: has no passphrase to remove", path);
    }
    if (w->cost != NULL) {
        HB_TRY(hb_seal_cost_parse(w->cost, &cost));
    }
    HB_TRY(hb_unseal(key, path));
    if (w->remove) {
        return HB_OK;
    }
    HB_TRY(hb_seal_begin(path, w->fresh, cost));
    return hb_seal(key);
}

static hb_status change_file(const hb_group *group, const hb_common *common, const char *path, const words *w)
{
    hb_keyfile key = {.ternary = NULL};
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_status st;
    int lock = -1;
    HB_TRY(hb_misplaced_key_directory(path));
    /* From before the key is read until its new file is there: of two that change it the second would seal the key that
     * the first has replaced. Through a link only the link would be replaced. */
    HB_GOTO(hb_file_lock_take(path, &lock));
    HB_GOTO(hb_keyfile_read(path, &key));
    hb_hex(id, key.key_id, sizeof key.key_id);
    HB_GOTO(change(&key, path, w));
    HB_GOTO(hb_keyfile_replace(path, &key));
    hb_console_result(group, common, "%s: secret key %s %s", path, id,
                      w->remove ? "is open to anyone who reads this file" : "is sealed by the new passphrase");
    if (common->json) {
        st = hb_report_results(
            group, "passphrase",
            json_pack("{s:o, s:s, s:b}", "file", hb_report_text(path), "key_id", id, "sealed", (int)!w->remove));
    }
done:
    hb_keyfile_clear(&key);
    if (lock >= 0) {
        close(lock);
    }
    return st;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    words w = {.fresh = NULL};
    hb_parsed parsed;
    const hb_option rows[] = {{"new-passphrase", 0, HB_OPTION_TEXT, &w.fresh, "WHERE",
                               "where the new one is, as --passphrase says where the old one is"},
                              {"cost", 0, HB_OPTION_TEXT, &w.cost, "COST", HB_SEAL_COST_HELP},
                              {"remove", 0, HB_OPTION_FLAG, &w.remove, NULL, "leave the key without a passphrase"}};
    const hb_usage usage = {&hb_command_passphrase, rows, sizeof rows / sizeof rows[0], 1, 1, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    if (w.remove && (w.fresh != NULL || w.cost != NULL)) {
        return HB_FAIL(HB_EUSAGE, "--remove leaves no passphrase: --new-passphrase and --cost do not go with it");
    }
    return change_file(group, &parsed.common, parsed.operands[0], &w);
}

const hb_command hb_command_passphrase = {.name = "passphrase",
                                          .arguments = "SECRET.h5 [OPTIONS]",
                                          .summary = "seal a secret key by a passphrase, change or remove it",
                                          .notes =
                                              "  without --passphrase and --new-passphrase they are asked for on the "
                                              "terminal; nobody can open a sealed key\n  whose passphrase is lost",
                                          .ranks = false,
                                          .run = run};
