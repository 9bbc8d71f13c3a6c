#include "matrix.h"

#include <stdlib.h>
#include <string.h>

/* A map to be made. */
typedef struct shape {
    size_t slots, period; /* where the vector is not repeated: all slots */
    const hb_matrix *matrix;
} shape;

/* Returns what slot x of the result has of slot x + d. */
static double entry(const shape *s, size_t x, size_t d)
{
    const size_t row = x % s->period, column = (x + d) % s->period;
    const hb_matrix *w = s->matrix;
    return row < w->rows && column < w->columns ? w->values[row * w->columns + column] : 0;
}

static bool is_zero(const shape *s, size_t d)
{
    for (size_t row = 0; row < s->matrix->rows; row++) {
        if (entry(s, row, d) != 0) {
            return false;
        }
    }
    return true;
}

/* Puts the numbers of diagonals that are not 0 into a list, or only counts them. */
static uint32_t list_numbers(const shape *s, int64_t *numbers)
{
    uint32_t count = 0;
    for (size_t d = 0; d < s->period; d++) {
        if (is_zero(s, d)) {
            continue;
        }
        if (numbers != NULL) {
            numbers[count] = (int64_t)d;
        }
        count++;
    }
    return count;
}

static void fill(const shape *s, double *values, size_t d)
{
    for (size_t x = 0; x < s->slots; x++) {
        values[x] = entry(s, x, d); /* imaginary parts are 0 */
    }
}

hb_status hb_matrix_map_init(hb_matrix_map *map, size_t slots, const hb_matrix *matrix, size_t period)
{
    const shape s = {slots, period == 0 ? slots : period, matrix};
    HB_ASSERT(matrix->rows >= 1 && matrix->columns >= 1 && slots % s.period == 0);
    HB_ASSERT(matrix->rows <= s.period && matrix->columns <= s.period);
    *map = (hb_matrix_map){.baby = 1};
    const uint32_t found = list_numbers(&s, NULL), count = found > 0 ? found : 1;
    map->numbers = calloc(count, sizeof *map->numbers);
    map->values = calloc(count, 2 * slots * sizeof *map->values);
    hb_status st = HB_OK;
    if (map->numbers == NULL || map->values == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the %u diagonals of a matrix", count));
    }
    list_numbers(&s, map->numbers);
    for (uint32_t i = 0; i < count; i++) {
        fill(&s, map->values + 2 * slots * i, (size_t)map->numbers[i]);
    }
    map->diagonals = (hb_diagonals){count, map->numbers, map->values};
    HB_GOTO(hb_linear_baby(&map->baby, slots, &map->diagonals));
    return HB_OK;
done:
    hb_matrix_map_clear(map);
    return st;
}

void hb_matrix_map_clear(hb_matrix_map *map)
{
    free(map->numbers);
    free(map->values);
    memset(map, 0, sizeof *map);
}
