#include "predicate.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/modarith.h"
#include "base/prime.h"
#include "base/seed.h"
#include "lang/program/interval_words.h"
#include "semantics.h"
#include "symbolic_polynomial.h"
#include "transparency.h"

/* Squares about the number that a predicate is centred at: of how many values. */
static uint64_t centred_count(const hb_predicate_request *r, hb_predicate_kind kind)
{
    const int64_t above = r->domain.most - r->number, below = r->number - r->domain.least;
    const int64_t under = kind == HB_PREDICATE_BELOW ? below - 1 : below;
    return (uint64_t)(above > under ? above : under) + 1;
}

/* --- requests */

static int order(const void *x, const void *y)
{
    const hb_predicate_request *a = *(hb_predicate_request *const *)x, *b = *(hb_predicate_request *const *)y;
    if (a->node != b->node) {
        return a->node < b->node ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return a->digest < b->digest ? -1 : a->digest > b->digest;
}

static bool better(const hb_powers_cost *x, const hb_powers_cost *y, bool shallow)
{
    if (shallow && x->depth != y->depth) {
        return x->depth < y->depth;
    }
    return x->products < y->products || (x->products == y->products && x->depth < y->depth);
}

/* The cheapest way of one that is alone; false: there is none but powers. */
static bool alone(const hb_predicates *p, const hb_graph *g, const hb_predicate_request *r, hb_predicate_way *way,
                  hb_powers_cost *cost)
{
    const uint64_t count = hb_predicate_values(r->domain);
    bool found = false;
    if (r->kind == HB_PREDICATE_EQUAL) {
        *way = HB_WAY_FERMAT;
        *cost = hb_square_power_plan(hb_graph_modulus(g) - 1);
        found = true;
    }
    if (r->kind == HB_PREDICATE_TABLE || count == 0 || count > HB_PREDICATE_MOST_VALUES) {
        return found;
    }
    const uint64_t n = centred_count(r, r->kind);
    const uint32_t more = r->kind == HB_PREDICATE_EQUAL ? 1 : 2;
    hb_powers_cost centred = hb_powers_plan(n, 1, p->shallow);
    centred.products += more;
    centred.depth += more;
    if (hb_points_differ(HB_POINTS_SQUARES, (size_t)n, hb_graph_modulus(g)) &&
        (!found || better(&centred, cost, p->shallow))) {
        *way = HB_WAY_CENTRED;
        *cost = centred;
        found = true;
    }
    return found;
}

static void add_cost(hb_powers_cost *sum, const hb_powers_cost *more)
{
    sum->products += more->products;
    sum->depth = more->depth > sum->depth ? more->depth : sum->depth;
}

static bool same_request(const hb_predicate_request *x, const hb_predicate_request *y)
{
    return order(&x, &y) == 0;
}

/* Chooses ways of the requests of one value, in order. */
static void plan_value(const hb_predicates *p, const hb_graph *g, hb_predicate_request **of, uint32_t count)
{
    const uint64_t values = hb_predicate_values(of[0]->domain);
    const bool few = values > 0 && values <= HB_PREDICATE_MOST_VALUES && values <= hb_graph_modulus(g);
    uint32_t different = 0, tables = 0;
    hb_powers_cost own = {0};
    bool all_alone = true;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && same_request(of[i], of[i - 1])) {
            continue;
        }
        hb_predicate_way way;
        hb_powers_cost cost;
        different++;
        tables += of[i]->kind == HB_PREDICATE_TABLE;
        if (of[i]->kind != HB_PREDICATE_TABLE) {
            const bool found = alone(p, g, of[i], &way, &cost);
            all_alone = all_alone && found;
            add_cost(&own, found ? &cost : &(hb_powers_cost){0});
        }
    }
    const hb_powers_cost shared = few ? hb_powers_plan(values, different, p->shallow) : (hb_powers_cost){0};
    const hb_powers_cost listed = few && tables > 0 ? hb_powers_plan(values, tables, p->shallow) : (hb_powers_cost){0};
    add_cost(&own, &listed);
    bool use_own = all_alone && (!few || better(&own, &shared, p->shallow));
    hb_powers_cost both = {0};
    bool use_both = false;
    const hb_predicate_request *first = of[0], *last = of[count - 1];
    if (few && different == 2 && first->kind == HB_PREDICATE_EQUAL && last->kind == HB_PREDICATE_BELOW &&
        first->number == last->number) {
        const uint64_t n = centred_count(first, HB_PREDICATE_EQUAL);
        both = hb_powers_plan(n, 2, p->shallow);
        both.products += 2;
        both.depth += 2;
        use_both = hb_points_differ(HB_POINTS_SQUARES, (size_t)n, hb_graph_modulus(g)) &&
                   better(&both, use_own ? &own : &shared, p->shallow);
    }
    for (uint32_t i = 0; i < count; i++) {
        hb_predicate_request *r = of[i];
        const bool table = r->kind == HB_PREDICATE_TABLE;
        r->way = use_both ? HB_WAY_BOTH : HB_WAY_POWERS;
        r->cost = use_both ? both : use_own ? listed : shared;
        if (use_own && !use_both && !table) {
            (void)alone(p, g, r, &r->way, &r->cost);
        }
    }
}

static hb_status plan(hb_predicates *p, const hb_graph *g)
{
    hb_predicate_request **all = calloc((size_t)p->count + 1, sizeof(hb_predicate_request *));
    if (all == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the comparisons of an expression");
    }
    for (uint32_t i = 0; i < p->count; i++) {
        all[i] = &p->request[i];
    }
    qsort(all, p->count, sizeof(hb_predicate_request *), order);
    for (uint32_t from = 0, to; from < p->count; from = to) {
        to = from + 1;
        while (to < p->count && all[to]->node == all[from]->node) {
            to++;
        }
        plan_value(p, g, all + from, to - from);
    }
    free(all);
    return HB_OK;
}

hb_status hb_predicates_plan(hb_predicates *p, const hb_graph *g)
{
    const bool shallow = p->shallow;
    p->shallow = true;
    HB_TRY(plan(p, g));
    uint64_t deepest[2] = {0, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        deepest[0] += p->request[i].cost.depth;
    }
    p->shallow = shallow;
    HB_TRY(plan(p, g));
    for (uint32_t i = 0; i < p->count; i++) {
        deepest[1] += p->request[i].cost.depth;
    }
    p->deeper = deepest[1] > deepest[0];
    p->planned = true;
    p->next = 0;
    return HB_OK;
}

void hb_predicates_clear(hb_predicates *p)
{
    free(p->request);
    *p = (hb_predicates){.shallow = p->shallow};
}

/* For a private table as well: it is compared with others of the same expression alone, and never leaves memory. */
static uint64_t digest_of(const hb_predicate *predicate, uint64_t count)
{
    uint64_t digest = 0;
    for (uint64_t i = 0; predicate->values != NULL && i < count; i++) {
        digest = hb_hash_word(digest, (uint64_t)predicate->values[i]);
    }
    return digest;
}

static hb_status note(hb_graph *g, hb_predicates *p, uint32_t a, const hb_predicate *predicate, uint32_t *out)
{
    if (p->count == p->capacity) {
        const uint32_t capacity = p->capacity == 0 ? 16 : 2 * p->capacity;
        hb_predicate_request *longer = realloc(p->request, capacity * sizeof *longer);
        if (longer == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the comparisons of an expression");
        }
        p->request = longer;
        p->capacity = capacity;
    }
    const hb_interval domain = g->nodes[a].range.interval;
    const uint64_t values = hb_predicate_values(domain);
    p->request[p->count++] = (hb_predicate_request){.node = a,
                                                    .domain = domain,
                                                    .kind = predicate->kind,
                                                    .number = predicate->number,
                                                    .digest = digest_of(predicate, values)};
    p->plain_least = values > p->plain_least ? values : p->plain_least;
    /* Something encrypted of this value that nothing else is, so that no two of them cancel each other. */
    HB_TRY(hb_graph_multiply(g, a, a, out));
    HB_TRY(hb_graph_add_constant(g, *out, (hb_number){.integer = p->count, .real = p->count}, out));
    hb_node *made = &g->nodes[*out];
    made->form.fingerprint = hb_fingerprint_multiply(made->form.fingerprint, hb_fingerprint_real(p->count + 0.5));
    return HB_OK;
}

/* --- polynomials */

/* Makes the polynomial through values [count], in [0, t), at these points of u; *values are destroyed. */
static hb_status through(hb_graph *g, uint32_t u, hb_points points, uint64_t *values, uint64_t count, uint32_t block,
                         uint32_t *out)
{
    hb_modulus t;
    int64_t *numbers = malloc(count * sizeof *numbers);
    hb_status st;
    if (numbers == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of %llu values", (unsigned long long)count);
    }
    HB_GOTO(hb_modulus_init(&t, hb_graph_modulus(g)));
    HB_GOTO(hb_interpolations_find(g->found.interpolations, &t, points, values, (size_t)count, values));
    while (count > 1 && values[count - 1] == 0) {
        count--;
    }
    for (uint64_t i = 0; i < count; i++) {
        numbers[i] = hb_mod_to_signed(values[i], t.value);
    }
    HB_GOTO(hb_graph_powers(g, u, numbers, count, block, out));
done:
    hb_wipe(numbers, count * sizeof *numbers);
    free(numbers);
    return st;
}

/* a plus a residue mod t. */
static hb_status shifted(hb_graph *g, uint32_t a, uint64_t residue, uint32_t *out)
{
    const int64_t number = hb_mod_to_signed(residue, hb_graph_modulus(g));
    return hb_graph_add_constant(g, a, (hb_number){.integer = number, .real = (double)number}, out);
}

static hb_status negated(hb_graph *g, uint32_t a, uint64_t residue, uint32_t *out)
{
    HB_TRY(hb_graph_negate(g, a, &a));
    return shifted(g, a, residue, out);
}

static uint64_t residue_of(int64_t number, const hb_modulus *t)
{
    return hb_mod_reduce_signed(number, t);
}

static hb_status by_powers(hb_graph *g, const hb_predicate_request *r, uint32_t a, const hb_predicate *predicate,
                           const hb_modulus *t, uint64_t *values, uint32_t *out)
{
    const uint64_t count = hb_predicate_values(r->domain);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t z = r->domain.least + (int64_t)i;
        switch (predicate->kind) {
        case HB_PREDICATE_EQUAL:
            values[i] = z == predicate->number;
            break;
        case HB_PREDICATE_BELOW:
            values[i] = z < predicate->number;
            break;
        case HB_PREDICATE_TABLE:
            values[i] = residue_of(predicate->values[i], t);
        }
    }
    HB_TRY(shifted(g, a, residue_of(-r->domain.least, t), &a));
    return through(g, a, HB_POINTS_NUMBERS, values, count, r->cost.block, out);
}

/* 1 where z == 0. */
static hb_status is_zero(hb_graph *g, const hb_predicate_request *r, uint32_t z, uint64_t *values, uint32_t *out)
{
    const uint64_t count = centred_count(r, HB_PREDICATE_EQUAL);
    uint32_t square;
    memset(values, 0, count * sizeof *values);
    values[0] = 1;
    HB_TRY(hb_graph_multiply(g, z, z, &square));
    return through(g, square, HB_POINTS_SQUARES, values, count, r->cost.block, out);
}

/* Stores 1 / 1, 1 / 3, 1 / 5 ... or 0, 1 / 1, 1 / 2 ...: by one inversion. */
static hb_status inverses(uint64_t *values, uint64_t count, bool odd, const hb_modulus *t)
{
    uint64_t *below = malloc(count * sizeof *below), product = 1;
    if (below == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of %llu values", (unsigned long long)count);
    }
    for (uint64_t i = 0; i < count; i++) {
        below[i] = product;
        values[i] = odd ? 2 * i + 1 : i;
        product = values[i] == 0 ? product : hb_mod_mul(product, values[i], t);
    }
    uint64_t inverse = hb_mod_inverse(product, t);
    for (uint64_t i = count; i-- > 0;) {
        const uint64_t value = values[i];
        values[i] = value == 0 ? 0 : hb_mod_mul(inverse, below[i], t);
        inverse = value == 0 ? inverse : hb_mod_mul(inverse, value, t);
    }
    free(below);
    return HB_OK;
}

/* w = z + 1/2 is never 0, and 1/2 - w h(w^2) with h((i + 1/2)^2) = 1 / (2 i + 1) is 1 where w is below 0, else 0. */
static hb_status is_below_zero(hb_graph *g, const hb_predicate_request *r, uint32_t z, const hb_modulus *t,
                               uint64_t *values, uint32_t *out)
{
    const uint64_t count = centred_count(r, HB_PREDICATE_BELOW), half = (t->value + 1) / 2;
    uint32_t w, h;
    HB_TRY(shifted(g, z, half, &w));
    if (count == 1) { /* -1 and 0 */
        return hb_graph_negate(g, z, out);
    }
    HB_TRY(inverses(values, count, true, t));
    HB_TRY(hb_graph_multiply(g, w, w, &h));
    HB_TRY(through(g, h, HB_POINTS_HALF_SQUARES, values, count, r->cost.block, &h));
    HB_TRY(hb_graph_multiply(g, w, h, out));
    return negated(g, *out, half, out);
}

/* (1 - [z = 0] - z g(z^2)) / 2, g(i^2) = 1 / i. */
static hb_status is_below_by_zero(hb_graph *g, const hb_predicate_request *r, uint32_t z, const hb_modulus *t,
                                  uint64_t *values, uint32_t *out)
{
    const uint64_t count = centred_count(r, HB_PREDICATE_EQUAL), half = (t->value + 1) / 2;
    const int64_t by = hb_mod_to_signed(half, t->value);
    uint32_t zero, h;
    HB_TRY(is_zero(g, r, z, values, &zero));
    HB_TRY(inverses(values, count, false, t));
    for (uint64_t i = 0; i < count; i++) {
        values[i] = hb_mod_mul(values[i], half, t);
    }
    HB_TRY(hb_graph_multiply(g, z, z, &h));
    HB_TRY(through(g, h, HB_POINTS_SQUARES, values, count, r->cost.block, &h));
    HB_TRY(hb_graph_multiply(g, z, h, &h));
    HB_TRY(hb_graph_scale(g, zero, (hb_number){.integer = by, .real = (double)by}, &zero));
    HB_TRY(hb_graph_add(g, zero, h, out));
    return negated(g, *out, half, out);
}

static hb_status build(hb_graph *g, const hb_predicate_request *r, uint32_t a, const hb_predicate *predicate,
                       const hb_modulus *t, uint64_t *values, uint32_t *out)
{
    uint32_t z;
    if (r->way == HB_WAY_POWERS) {
        return by_powers(g, r, a, predicate, t, values, out);
    }
    HB_TRY(shifted(g, a, residue_of(-predicate->number, t), &z));
    if (r->way == HB_WAY_FERMAT) {
        HB_TRY(hb_graph_square_power(g, z, t->value - 1, out));
        return negated(g, *out, 1, out);
    }
    if (predicate->kind == HB_PREDICATE_EQUAL) {
        return is_zero(g, r, z, values, out);
    }
    return r->way == HB_WAY_BOTH ? is_below_by_zero(g, r, z, t, values, out) : is_below_zero(g, r, z, t, values, out);
}

static hb_status make(hb_graph *g, const hb_predicate_request *r, uint32_t a, const hb_predicate *predicate,
                      uint32_t *out)
{
    const uint64_t count = hb_predicate_values(r->domain);
    const size_t bytes = ((size_t)(r->way == HB_WAY_FERMAT ? 0 : count) + 1) * sizeof(uint64_t);
    hb_modulus t;
    HB_TRY(hb_modulus_init(&t, hb_graph_modulus(g)));
    uint64_t *values = malloc(bytes);
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of %llu values", (unsigned long long)count);
    }
    const hb_status st = build(g, r, a, predicate, &t, values, out);
    hb_wipe(values, bytes);
    free(values);
    return st;
}

/* --- predicates that are the same for all values, and refusals */

/* Whether it is the same for all values of the domain: *number. */
static bool is_constant(const hb_predicate *predicate, hb_interval domain, int64_t *number)
{
    const uint64_t count = hb_predicate_values(domain);
    uint64_t i = 1;
    *number = 0;
    if (count == 0 || (predicate->kind == HB_PREDICATE_TABLE && predicate->values == NULL)) {
        return false;
    }
    if (predicate->kind == HB_PREDICATE_EQUAL) {
        *number = predicate->number >= domain.least && predicate->number <= domain.most;
        return *number == 0 || count == 1;
    }
    if (predicate->kind == HB_PREDICATE_BELOW) {
        *number = predicate->number > domain.most;
        return *number != 0 || predicate->number <= domain.least;
    }
    while (i < count && predicate->values[i] == predicate->values[0]) {
        i++;
    }
    *number = predicate->values[0];
    return i == count;
}

/* A number that is another one mod t is equal to none of the values that are known. */
static hb_status check_domain(const hb_graph *g, uint32_t a, const hb_predicate *x)
{
    const uint64_t count = hb_predicate_values(g->nodes[a].range.interval);
    char text[HB_INTERVAL_TEXT];
    const bool equal = x->kind == HB_PREDICATE_EQUAL && hb_semantics_has(g->semantics, g->spec, x->number);
    if (equal || (count > 0 && count <= HB_PREDICATE_MOST_VALUES)) {
        return HB_OK;
    } else if (count == 0) {
        return hb_graph_fail_unranged(g, a);
    }
    hb_interval_words_counted(text, g->nodes[a].range.interval, x->meaning);
    return hb_advise(HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                                "values %s are too many for a polynomial through all of them, at most %llu", text,
                                (unsigned long long)HB_PREDICATE_MOST_VALUES),
                     HB_ADVICE_FEWER, "; declare narrower ones, or compare digits(base, high, ..., low)");
}

static hb_status check_plain(const hb_graph *g, hb_interval domain, const hb_meaning *meaning)
{
    const uint64_t count = hb_predicate_values(domain), t = hb_graph_modulus(g);
    char text[HB_INTERVAL_TEXT];
    if (!hb_is_prime(t) || t == 2) {
        return HB_FAIL_AT(HB_ECONFIG, g->syntax->text, g->position.item->at,
                          "comparisons need a prime t, and t = %llu is no prime", (unsigned long long)t);
    }
    if (count > t) {
        hb_interval_words_counted(text, domain, meaning);
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                          "values %s are more than t = %llu tells apart; hebatch params suggest finds a t that does",
                          text, (unsigned long long)t);
    }
    return HB_OK;
}

static bool same_domain(hb_interval x, hb_interval y)
{
    return x.known == y.known && (!x.known || (x.least == y.least && x.most == y.most));
}

/* Chooses the planned way. A range may be narrower by now, where two expressions gave the same node; then the request
 * is planned alone. */
static void choose(hb_predicates *p, const hb_graph *g, hb_predicate_request *request)
{
    const hb_predicate_request *planned = p->next < p->count ? &p->request[p->next++] : NULL;
    if (planned != NULL && planned->kind == request->kind && planned->number == request->number &&
        same_domain(planned->domain, request->domain)) {
        request->way = planned->way;
        request->cost = planned->cost;
    } else {
        plan_value(p, g, &request, 1);
    }
}

hb_status hb_graph_predicate(hb_graph *g, hb_predicates *p, uint32_t a, const hb_predicate *predicate, uint32_t *out)
{
    const hb_interval domain = g->nodes[a].range.interval;
    int64_t same;
    if (g->params == NULL) {
        return hb_graph_multiply(g, a, a, out);
    }
    if (is_constant(predicate, domain, &same)) {
        return hb_graph_known(g, a, g->nodes[a].shape.total, (hb_number){.integer = same, .real = (double)same}, out);
    }
    HB_TRY(check_domain(g, a, predicate));
    if (p->planned) {
        hb_predicate_request request = {.domain = domain, .kind = predicate->kind, .number = predicate->number};
        HB_TRY(check_plain(g, domain, predicate->meaning));
        choose(p, g, &request);
        HB_TRY(make(g, &request, a, predicate, out));
    } else {
        HB_TRY(note(g, p, a, predicate, out));
    }
    /* The result has these values mod t; the ranges of the sums and products over the integers do not matter. */
    hb_graph_values_are(g, *out, predicate->values != NULL ? predicate->range : hb_interval_of(0, 1));
    return HB_OK;
}
