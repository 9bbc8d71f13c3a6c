/* Facts about an expression without its operands: names and keys. */
#include "compile.h"

#include <stdlib.h>
#include <string.h>

#include "graph_keys.h"
#include "lang/analysis/ciphertext_size.h"
#include "lang/functions/list.h"
#include "lang/ir/semantics.h"
#include "lang/lower/lower.h"
#include "lang/text/binding.h"
#include "scheme/ring_switch.h"

static bool listed(const hb_syntax *s, char **names, const hb_item *item)
{
    for (; *names != NULL; names++) {
        if (hb_item_is(s, item, *names)) {
            return true;
        }
    }
    return false;
}

static hb_status list(const hb_syntax *s, char **names, const hb_item *item)
{
    char *name = strndup(s->text + item->word, item->word_length);
    if (!name) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of an expression");
    }
    while (*names != NULL) {
        names++;
    }
    *names = name;
    return HB_OK;
}

static hb_status list_names(const hb_syntax *s, char **reads, char **assigns)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const hb_item *item = &s->items[i];
        if (item->kind == HB_ITEM_NAME && !listed(s, assigns, item) && !listed(s, reads, item)) {
            HB_TRY(list(s, reads, item));
        } else if (item->kind == HB_ITEM_ASSIGN && !listed(s, assigns, item)) {
            HB_TRY(list(s, assigns, item));
        }
    }
    return HB_OK;
}

hb_status hb_program_names(const char *text, char ***reads, char ***assigns)
{
    hb_syntax s;
    char **read = NULL, **assigned = NULL;
    hb_status st;
    HB_GOTO(hb_syntax_parse(&s, text, hb_lang_functions));
    read = calloc(s.count + 1, sizeof *read);
    assigned = calloc(s.count + 1, sizeof *assigned);
    if (!read || !assigned) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the names of an expression");
        goto done;
    }
    HB_GOTO(list_names(&s, read, assigned));
    *reads = read;
    *assigns = assigned;
done:
    if (st != HB_OK) {
        hb_names_free(read);
        hb_names_free(assigned);
    }
    hb_syntax_clear(&s);
    return st;
}

hb_status hb_program_weights(const char *text, char ***weights)
{
    hb_syntax s;
    char **found = NULL;
    hb_status st;
    HB_GOTO(hb_syntax_parse(&s, text, hb_lang_functions));
    found = calloc((size_t)s.count + 1, sizeof *found);
    if (!found) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the names of an expression"));
    }
    for (uint32_t i = 0; i < s.count; i++) {
        const hb_item *item = &s.items[i];
        HB_GOTO(item->weights && !listed(&s, found, item) ? list(&s, found, item) : HB_OK);
    }
    *weights = found;
    found = NULL;
done:
    hb_names_free(found);
    hb_syntax_clear(&s);
    return st;
}

void hb_names_free(char **names)
{
    for (uint32_t i = 0; names != NULL && names[i] != NULL; i++) {
        free(names[i]);
    }
    free(names);
}

bool hb_names_have(char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* Brings the columns of all that is assigned to rest. */
static hb_status settle(hb_lowering *l)
{
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        hb_value *value = &l->symbols[i].value;
        if (!hb_value_encrypted(value)) {
            continue;
        }
        hb_graph_at_item(&l->graph, l->symbols[i].item, l->symbols[i].iteration);
        HB_TRY(hb_lower_load(l, value));
        for (uint32_t c = 0; c < value->columns; c++) {
            uint32_t *node = &l->pool[value->first + c];
            HB_TRY(hb_graph_gather(&l->graph, *node, node));
        }
    }
    return HB_OK;
}

static hb_status find_keys(hb_key_requests *keys, hb_lowering *l)
{
    hb_facts facts = {0};
    hb_status st;
    HB_GOTO(hb_lower_check(l));
    HB_GOTO(hb_lower(l));
    HB_GOTO(settle(l));
    HB_GOTO(hb_facts_init(&facts, &l->graph));
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        const hb_value *value = &l->symbols[i].value;
        if (hb_value_encrypted(value)) {
            hb_facts_need(&facts, l->pool + value->first, value->columns);
        }
    }
    hb_facts_find_sizes(&facts);
    st = hb_graph_keys(&facts, NULL, 0, keys);
done:
    hb_facts_clear(&facts);
    return st;
}

/* Sets bit i of *plain where names[i] has a path in the list; NULL: none has. At most 64 names. */
static hb_status find_plain(const char *list, char *const *names, uint32_t count, uint64_t *plain)
{
    *plain = 0;
    for (const char *at = list; at != NULL;) {
        const uint32_t i = hb_path_list_name(at, names, count);
        if (i == count || i >= 64) {
            return HB_FAIL(HB_EUSAGE,
                           "--plain-table: expected NAME=FILE of a name that the expression reads, as %.40s=wards.csv",
                           count > 0 ? names[0] : "w");
        }
        at += strlen(names[i]) + 1;
        const size_t length = hb_path_list_length(at, names, count);
        if (length == 0 || (*plain >> i & 1) != 0) {
            return HB_FAIL(HB_EUSAGE, "--plain-table: %s of %.40s", length == 0 ? "no file" : "two files", names[i]);
        }
        *plain |= UINT64_C(1) << i;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return HB_OK;
}

/* Finds log2 of how many times the ring of a row in one ciphertext is smaller than that of the others; 0: it is not. */
static hb_status find_ring(const hb_keys_operands *known, const hb_params_spec *spec, const char *name, uint32_t *first)
{
    uint64_t n = 0, columns;
    *first = 0;
    if (!hb_numbered_name(known->rings, name, &n)) {
        return HB_OK;
    }
    if (!hb_numbered_name(known->spread, name, &columns)) {
        return HB_FAIL(HB_EUSAGE, "--from-ring %.64s: it is about datasets that --spread names", name);
    }
    if (!hb_ring_switch_degree(spec->n, n)) {
        return HB_FAIL(HB_EUSAGE,
                       "--from-ring %.64s: give the degree of the smaller ring, %.64s=N, a power of two from "
                       "%llu to %zu",
                       name, name, 1ull << HB_MIN_LOG_N, spec->n / 2);
    }
    *first = hb_ring_switch_first(spec->n, n);
    return HB_OK;
}

/* Sets bit i of *plain where reads[i] is a plain table. */
static hb_status check_lists(char *const *reads, const hb_keys_operands *known, uint64_t *plain)
{
    uint32_t count = 0;
    while (reads[count] != NULL) {
        count++;
    }
    HB_TRY(hb_name_list_check(known->one_row, reads, count, "--one-row"));
    HB_TRY(hb_name_list_check(known->filled, reads, count, "--fill"));
    HB_TRY(hb_numbered_names_check(known->spread, reads, count, "--spread"));
    HB_TRY(hb_numbered_names_check(known->rings, reads, count, "--from-ring"));
    HB_TRY(hb_name_list_check(known->masked, reads, count, "--masked"));
    HB_TRY(find_plain(known->plain, reads, count, plain));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t columns;
        const bool filled = hb_name_listed(known->filled, reads[i]),
                   spread = hb_numbered_name(known->spread, reads[i], &columns),
                   one = filled || spread || hb_name_listed(known->one_row, reads[i]),
                   masked = hb_name_listed(known->masked, reads[i]);
        if (masked && one) {
            return HB_FAIL(HB_EUSAGE, "--masked %.64s: %s names it too; a row that stands in every row has no masks",
                           reads[i],
                           filled   ? "--fill"
                           : spread ? "--spread"
                                    : "--one-row");
        }
        if (filled && spread) {
            return HB_FAIL(HB_EUSAGE,
                           "--spread %.64s: --fill names it too; a row stands in all slots, or in one "
                           "ciphertext",
                           reads[i]);
        }
        if (i < 64 && (*plain >> i & 1) != 0 && (one || masked)) {
            return HB_FAIL(HB_EUSAGE,
                           "--plain-table %.64s: --one-row, --fill, --spread and --masked are about datasets",
                           reads[i]);
        }
    }
    return HB_OK;
}

static hb_status check_block(const hb_params_spec *spec, uint64_t block)
{
    const uint64_t slots = spec->n / 2;
    if (block > 1 && (!hb_semantics_of(spec->scheme)->reals || (block & (block - 1)) != 0 || block > slots)) {
        return HB_FAIL(HB_EUSAGE, "--block %llu: rows of reals stand in blocks of a power of two, up to %llu slots",
                       (unsigned long long)block, (unsigned long long)slots);
    }
    return HB_OK;
}

/* Operands in the place of all that a text reads: of one column and full ciphertexts, as neither number changes which
 * keys are needed. Rows within slots fill their blocks: for fewer columns fewer keys do. */
typedef struct stand_ins {
    hb_operand *list;    /* [count] */
    hb_column *unnamed;  /* [columns] */
    hb_column masked[2]; /* a column and its mask, in the place of any that have masks */
    hb_schema rows, row, masked_rows;
    uint32_t count;
    uint64_t columns;
} stand_ins;

static void stand_ins_clear(stand_ins *s)
{
    free(s->list);
    free(s->unnamed);
}

/* reads: [count], which the operands borrow. */
static hb_status stand_ins_init(stand_ins *s, const hb_params_spec *spec, char *const *reads,
                                const hb_keys_operands *known, uint64_t plain)
{
    const uint64_t block = known->block;
    *s = (stand_ins){.columns = block > 1 ? block : 1};
    while (reads[s->count] != NULL) {
        s->count++;
    }
    s->list = calloc(s->count + (size_t)1, sizeof *s->list);
    s->unnamed = calloc((size_t)s->columns, sizeof *s->unnamed);
    if (s->list == NULL || s->unnamed == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the operands of an expression");
    }
    for (uint64_t c = 0; c < s->columns; c++) {
        s->unnamed[c].name = (char *)"";
    }
    s->rows = (hb_schema){.rows = spec->n, .columns = s->columns, .rank = 2, .width = 8, .column = s->unnamed};
    s->row = s->rows;
    s->row.rows = 1;
    s->masked[0] = (hb_column){.name = (char *)"", .mask = 2, .has_fill = true};
    s->masked[1] = (hb_column){.name = (char *)"", .full = 1};
    s->masked_rows = s->rows;
    s->masked_rows.columns = 2;
    s->masked_rows.column = s->masked;
    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t numbers = spec->n;
        const bool spread = hb_numbered_name(known->spread, reads[i], &numbers);
        const bool fills = spread || hb_name_listed(known->filled, reads[i]);
        const bool one = fills || hb_name_listed(known->one_row, reads[i]);
        s->list[i] = (hb_operand){.name = reads[i],
                                  .schema = hb_name_listed(known->masked, reads[i]) ? &s->masked_rows
                                            : one                                   ? &s->row
                                                                                    : &s->rows,
                                  .encrypted = i >= 64 || (plain >> i & 1) == 0,
                                  .dirty_padding = fills,
                                  .filled = fills,
                                  .spread = spread ? numbers : 0,
                                  .order = block > 1 ? HB_PACK_ROWS : HB_PACK_COLUMNS,
                                  .block = block > 1 ? block : 0,
                                  .limbs = UINT32_MAX};
        HB_TRY(find_ring(known, spec, reads[i], &s->list[i].spread_first));
    }
    return HB_OK;
}

hb_status hb_program_keys(hb_key_requests *keys, const char *text, const hb_params_spec *spec,
                          const hb_keys_operands *known)
{
    const hb_semantics *semantics = hb_semantics_of(spec->scheme);
    hb_params_spec wide = *spec;
    *keys = (hb_key_requests){0};
    semantics->widen(&wide);
    hb_syntax syntax = {0};
    hb_lowering l = {0};
    char **reads = NULL, **assigns = NULL;
    stand_ins operands = {.list = NULL};
    uint64_t plain = 0;
    hb_status st;
    HB_GOTO(hb_program_names(text, &reads, &assigns));
    HB_GOTO(hb_syntax_parse(&syntax, text, hb_lang_functions));
    HB_GOTO(check_block(spec, known->block));
    if (known->block > 1 && known->masked != NULL) {
        HB_GOTO(HB_FAIL(HB_EUSAGE, "--masked: tables encrypted with --pack rows have no masks that eval takes"));
    }
    HB_GOTO(check_lists(reads, known, &plain));
    HB_GOTO(stand_ins_init(&operands, spec, reads, known, plain));
    l.graph = (hb_graph){.syntax = &syntax,
                         .spec = &wide,
                         .semantics = semantics,
                         .operands = operands.list,
                         .operand_count = operands.count,
                         .block = operands.columns};
    HB_GOTO(find_keys(keys, &l));
done:
    hb_lower_clear(&l);
    hb_syntax_clear(&syntax);
    stand_ins_clear(&operands);
    hb_names_free(reads);
    hb_names_free(assigns);
    return st;
}

bool hb_program_may_weigh(const char *text)
{
    bool may = strchr(text, '@') != NULL;
    for (const hb_signature *const *call = hb_lang_functions; *call != NULL; call++) {
        may = may || ((*call)->table > 0 && strstr(text, (*call)->name) != NULL);
    }
    return may;
}
