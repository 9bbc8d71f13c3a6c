#include "minimax.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Who asks for less gets extrema as the grid has them. */
#define FINE 0x1p-12

enum {
    HALVINGS = 3, /* of the angles between two points */
    PIECES = 1 << HALVINGS,
    MOST_STEPS = 40,
    BLOCK = 64 /* points for which sums are made at once, so that they stay in cache and are vectorised */
};

/* Everything that one step needs: the grid has the points of the reference, PIECES - 1 others between two of them,
 * and the same from each end of the interval to the first and last. */
typedef struct search {
    const hb_minimax_problem *problem;
    hb_minimax *m;
    uint32_t count;        /* points of the grid */
    hb_angle *grid;        /* [most] */
    double *g, *w, *error; /* [most] each */
    hb_angle *next;        /* [degree + 2] */
    uint32_t *chosen;      /* [most]: extrema, indices of the grid */
} search;

/* 1 / prod_k 2 (x_j - x_k): of points as those of Chebyshev the products are neither large nor small. */
static void set_weights(hb_minimax *m)
{
    for (uint32_t j = 0; j < m->points; j++) {
        double product = 1;
        for (uint32_t k = 0; k < m->points; k++) {
            product *= k == j ? 1 : 2 * (m->at[j].cosine - m->at[k].cosine);
        }
        m->weight[j] = 1 / product;
    }
}

/* Sets `levelled` so that values g -+ levelled / w at degree + 2 points are those of a polynomial of the degree:
 * their divided difference, sum of weight times value, is 0. */
static void level(search *s)
{
    hb_minimax *m = s->m;
    double *g = s->g, *w = s->w, of_g = 0, of_signs = 0;
    set_weights(m);
    s->problem->values(s->problem->context, m->points, m->at, g, w);
    for (uint32_t j = 0; j < m->points; j++) {
        of_g += m->weight[j] * g[j];
        of_signs += (j % 2 == 0 ? m->weight[j] : -m->weight[j]) / w[j];
    }
    m->levelled = of_g / of_signs;
    for (uint32_t j = 0; j < m->points; j++) {
        m->value[j] = g[j] - (j % 2 == 0 ? m->levelled : -m->levelled) / w[j];
    }
}

static void evaluate_block(const hb_minimax *m, uint32_t count, const hb_angle *at, double *out)
{
    double x[BLOCK], above[BLOCK] = {0}, below[BLOCK] = {0};
    for (uint32_t i = 0; i < BLOCK; i++) {
        x[i] = i < count ? at[i].cosine : 2; /* which is no point of the reference */
    }
    for (uint32_t j = 0; j < m->points; j++) {
        const double point = m->at[j].cosine, weight = m->weight[j], value = m->value[j];
        for (uint32_t i = 0; i < BLOCK; i++) {
            const double share = weight / (x[i] - point);
            above[i] += share * value;
            below[i] += share;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = above[i] / below[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; !isfinite(out[i]) && j < m->points; j++) {
            out[i] = x[i] == m->at[j].cosine ? m->value[j] : out[i];
        }
    }
}

/* Sets out[i] to q at count cosines. */
static void evaluate(const hb_minimax *m, uint32_t count, const hb_angle *at, double *out)
{
    for (uint32_t i = 0; i < count; i += BLOCK) {
        evaluate_block(m, count - i < BLOCK ? count - i : BLOCK, at + i, out + i);
    }
}

/* Appends the points between two angles, and the second one. */
static void append(search *s, hb_angle from, hb_angle to)
{
    hb_angle *piece = s->grid + s->count - 1; /* the first one is there */
    piece[0] = from;
    piece[PIECES] = to;
    for (uint32_t width = PIECES; width > 1; width /= 2) {
        for (uint32_t i = 0; i < PIECES; i += width) {
            piece[i + width / 2] = hb_angle_between(piece[i], piece[i + width]);
        }
    }
    s->count += PIECES;
}

static void lay_grid(search *s)
{
    const hb_minimax *m = s->m;
    const hb_angle first = {1, 0}, last = {-1, 0};
    s->grid[0] = m->at[0];
    s->count = 1;
    if (m->at[0].cosine < 1) {
        s->grid[0] = first;
        append(s, first, m->at[0]);
    }
    for (uint32_t j = 1; j < m->points; j++) {
        append(s, m->at[j - 1], m->at[j]);
    }
    if (m->at[m->points - 1].cosine > -1) {
        append(s, m->at[m->points - 1], last);
    }
}

static void look(search *s)
{
    lay_grid(s);
    evaluate(s->m, s->count, s->grid, s->error);
    s->problem->values(s->problem->context, s->count, s->grid, s->g, s->w);
    s->m->worst = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->error[i] = s->w[i] * (s->g[i] - s->error[i]);
        s->m->worst = fmax(s->m->worst, fabs(s->error[i]));
    }
}

static double magnitude(const search *s, uint32_t i)
{
    return fabs(s->error[s->chosen[i]]);
}

static void drop(search *s, uint32_t *found, uint32_t first, uint32_t count)
{
    memmove(s->chosen + first, s->chosen + first + count, (*found - first - count) * sizeof *s->chosen);
    *found -= count;
}

/* Chooses the largest error of each run of one sign, then drops the smallest until degree + 2 are left and still
 * alternate. Returns false where signs change too seldom, which only rounding can do. */
static bool choose(search *s)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->error[i] == 0) {
            continue;
        }
        if (found == 0 || (s->error[i] > 0) != (s->error[s->chosen[found - 1]] > 0)) {
            s->chosen[found++] = i;
        } else if (fabs(s->error[i]) > magnitude(s, found - 1)) {
            s->chosen[found - 1] = i;
        }
    }
    while (found > s->m->points) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < found; i++) {
            least = magnitude(s, i) < magnitude(s, least) ? i : least;
        }
        if (found == s->m->points + 1) { /* one too many: from an end */
            drop(s, &found, magnitude(s, 0) < magnitude(s, found - 1) ? 0 : found - 1, 1);
        } else if (least == 0 || least == found - 1) {
            drop(s, &found, least, 1);
        } else { /* with the smaller neighbour */
            drop(s, &found, magnitude(s, least - 1) < magnitude(s, least + 1) ? least - 1 : least, 2);
        }
    }
    return found == s->m->points;
}

static double distance(hb_angle a, hb_angle b)
{
    const double x = a.cosine - b.cosine, y = a.sine - b.sine;
    return sqrt(x * x + y * y);
}

/* Sets *at to the extremum of the parabola through a point of the grid and its neighbours, and returns the value
 * there. */
static double refined(const search *s, uint32_t i, hb_angle *at)
{
    *at = s->grid[i];
    const double here = fabs(s->error[i]), sign = s->error[i] < 0 ? -1 : 1;
    if (i == 0 || i + 1 == s->count) {
        return here;
    }
    const double before = sign * s->error[i - 1], after = sign * s->error[i + 1];
    const double left = distance(s->grid[i - 1], s->grid[i]), right = distance(s->grid[i], s->grid[i + 1]);
    const double rise = (here - before) / left, fall = (after - here) / right;
    const double bend = (rise - fall) / (left + right), slope = (rise * right + fall * left) / (left + right);
    const double shift = slope / (2 * bend);
    if (!(bend > 0) || shift < -left || shift > right) {
        return here;
    }
    const hb_angle b = s->grid[shift > 0 ? i + 1 : i - 1];
    const double t = shift > 0 ? shift / right : -shift / left;
    const double x = at->cosine + t * (b.cosine - at->cosine), y = at->sine + t * (b.sine - at->sine);
    const double length = sqrt(x * x + y * y);
    *at = (hb_angle){x / length, y / length};
    return here + slope * shift / 2;
}

/* The angle with another added, which is small: of sine `by`. */
static hb_angle turned(hb_angle a, double by)
{
    const double straight = sqrt(1 - by * by);
    return (hb_angle){a.cosine * straight - a.sine * by, a.sine * straight + a.cosine * by};
}

/* Moves next[j], an extremum to within about `width`, to that of the parabola through it and two points at a 16th of
 * the width from it: the width of a grid, whose points are not equally far apart, leaves an error in proportion to
 * its square. Points whose neighbours are outside stay. */
static void polish(search *s, double width)
{
    hb_minimax *m = s->m;
    const uint32_t points = m->points;
    const double by = width / 16;
    for (uint32_t j = 0; j < points; j++) {
        const hb_angle a = s->next[j], left = turned(a, -by), right = turned(a, by);
        const bool inside = left.sine > 0 && right.sine > 0;
        s->grid[3 * j] = inside ? left : a;
        s->grid[3 * j + 1] = a;
        s->grid[3 * j + 2] = inside ? right : a;
    }
    evaluate(m, 3 * points, s->grid, s->error);
    s->problem->values(s->problem->context, 3 * points, s->grid, s->g, s->w);
    for (uint32_t j = 0; j < points; j++) {
        double error[3];
        for (uint32_t i = 0; i < 3; i++) {
            error[i] = fabs(s->w[3 * j + i] * (s->g[3 * j + i] - s->error[3 * j + i]));
            m->worst = fmax(m->worst, error[i]);
        }
        const double bend = 2 * error[1] - error[0] - error[2], shift = (error[2] - error[0]) / 2;
        if (bend > 0 && fabs(shift) <= 4 * bend) {
            s->next[j] = turned(s->next[j], shift / bend * by);
            m->worst = fmax(m->worst, error[1] + shift * shift / (2 * bend));
        }
    }
}

/* Takes the chosen extrema for the next reference, unless the search is to end. */
static bool advance(search *s, bool last)
{
    hb_minimax *m = s->m;
    const double best = fabs(m->levelled), enough = s->problem->enough;
    if (!choose(s)) {
        return false;
    }
    const bool fine = s->problem->close < FINE; /* the parabola through the grid then promises too much */
    for (uint32_t j = 0; j < m->points; j++) {
        const double peak = refined(s, s->chosen[j], &s->next[j]);
        m->worst = fine ? m->worst : fmax(m->worst, peak);
    }
    if (fine) {
        polish(s, 1.0 / (PIECES * m->points));
        polish(s, 0.0625 / (PIECES * m->points));
    }
    if (last || m->worst <= best * (1 + s->problem->close) || (enough > 0 && (m->worst <= enough || best > enough))) {
        return false;
    }
    memcpy(m->at, s->next, m->points * sizeof *m->at);
    return true;
}

static void run(search *s)
{
    int step = 0;
    do {
        level(s);
        look(s);
        step++;
    } while (advance(s, step == MOST_STEPS));
}

hb_status hb_minimax_init(hb_minimax *m, const hb_minimax_problem *problem)
{
    const uint32_t points = problem->degree + 2, most = (points + 1) * PIECES + 1;
    *m = (hb_minimax){.points = points};
    m->at = calloc(points, sizeof *m->at);
    m->value = calloc(points, sizeof *m->value);
    m->weight = calloc(points, sizeof *m->weight);
    search s = {.problem = problem, .m = m};
    s.grid = calloc(most + points, sizeof *s.grid);
    s.g = calloc(3 * (size_t)most, sizeof *s.g);
    s.chosen = calloc(most, sizeof *s.chosen);
    hb_status st = HB_OK;
    if (m->at == NULL || m->value == NULL || m->weight == NULL || s.grid == NULL || s.g == NULL || s.chosen == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for a best approximation of degree %u", problem->degree);
    } else {
        s.next = s.grid + most;
        s.w = s.g + most;
        s.error = s.w + most;
        hb_angles(m->at, points - 1);
        run(&s);
    }
    free(s.grid);
    free(s.g);
    free(s.chosen);
    return st;
}

void hb_minimax_clear(hb_minimax *m)
{
    free(m->at);
    free(m->value);
    free(m->weight);
    *m = (hb_minimax){0};
}

hb_status hb_minimax_coefficients(const hb_minimax *m, double *q, uint32_t d)
{
    const uint32_t n = m->points - 2 > 0 ? m->points - 2 : 1;
    hb_angle *at = malloc((n + 1) * sizeof *at);
    double *value = malloc((n + 1) * sizeof *value);
    hb_status st = HB_OK;
    if (at == NULL || value == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", d);
        goto done;
    }
    hb_angles(at, n);
    evaluate(m, n + 1, at, value);
    hb_interpolate(q, d, value, at, n);
done:
    free(at);
    free(value);
    return st;
}
