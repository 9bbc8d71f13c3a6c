/* conv(K, x, height, width, stride): a convolution of the images that rows within slots are, as one product with the
 * matrix that it is. Images keep their slots: those of a stride above 1 have their channels in each other's gaps. */
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "functions.h"
#include "lang/ir/blocks.h"
#include "lang/types/lang_function.h"

/* The request: images, kernels and where their numbers stand. */
typedef struct convolution {
    char name[41]; /* of the table, or its words */
    uint64_t rows, columns;
    hb_block_image from, to;
    uint32_t kernel;
    bool bias; /* a row of the table ends with one */
} convolution;

static hb_status size_of(const hb_types *t, const hb_type *value, const char *what, uint32_t *size)
{
    const hb_types_context *w = &t->context;
    int64_t number;
    if (!hb_type_whole(w, value, &number) || number < 1 || (uint64_t)number > w->block) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at,
                          "the %s of conv(K, x, height, width, stride) is a constant, 1 or more and no larger than a "
                          "block of %llu slots",
                          what, (unsigned long long)w->block);
    }
    *size = (uint32_t)number;
    return HB_OK;
}

/* Finds the image that the value holds. */
static hb_status image_of(const hb_types *t, const hb_type *x, uint32_t height, uint32_t width, hb_block_image *out)
{
    const hb_types_context *w = &t->context;
    const hb_block_image *own = &x->image;
    if (own->gap > 0 && (own->height / own->gap != height || own->width / own->gap != width)) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at, "the images are %u x %u here, and not %u x %u",
                          own->height / own->gap, own->width / own->gap, height, width);
    }
    const uint64_t pixels = (uint64_t)height * width;
    if (own->gap == 0 && x->columns % pixels != 0) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at,
                          "%u column%s no channels of %u x %u: a row is an image, one channel behind the other",
                          x->columns, x->columns == 1 ? " is" : "s are", height, width);
    }
    *out = own->gap > 0 ? *own : (hb_block_image){height, width, 1, (uint32_t)(x->columns / pixels)};
    return HB_OK;
}

/* Finds how large the kernels are: columns of the table, and one more where they have a bias. */
static hb_status kernel_of(const hb_types *t, convolution *c)
{
    const hb_types_context *w = &t->context;
    const uint64_t columns = c->columns, channels = c->from.channels;
    for (uint64_t k = 1; k * k * channels <= columns; k += 2) {
        if (k * k * channels == columns || k * k * channels + 1 == columns) {
            c->kernel = (uint32_t)k;
            c->bias = k * k * channels < columns;
            return HB_OK;
        }
    }
    return HB_FAIL_AT(
        HB_EUSAGE, w->syntax->text, t->item->at,
        "%.40s has %llu columns for images of %llu channel%s; kernels are k x k, k odd, a row has one "
        "for each channel, and perhaps a bias behind them: %llu columns or %llu of 1 x 1, %llu or %llu of "
        "3 x 3",
        c->name, (unsigned long long)columns, (unsigned long long)channels, channels == 1 ? "" : "s",
        (unsigned long long)channels, (unsigned long long)channels + 1, (unsigned long long)channels * 9,
        (unsigned long long)channels * 9 + 1);
}

/* The first dataset, in whose blocks the rows of all stand. */
static const char *encrypted_name(const hb_types_context *w)
{
    uint32_t i = 0;
    while (i + 1 < w->operand_count && !w->operands[i].encrypted) {
        i++;
    }
    return w->operands[i].name;
}

/* Finds the image that the result holds. */
static hb_status result_of(const hb_types *t, convolution *c, uint32_t stride)
{
    const hb_types_context *w = &t->context;
    const uint32_t height = c->from.height / c->from.gap, width = c->from.width / c->from.gap;
    if (height % stride != 0 || width % stride != 0) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at,
                          "a stride of %u of images of %u x %u: it must divide both", stride, height, width);
    }
    c->to = c->from;
    c->to.gap *= stride;
    c->to.channels = (uint32_t)c->rows;
    const uint32_t slots = hb_block_image_slots(&c->to);
    if (c->rows > w->block || slots > w->block) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at,
                          "%.40s has %llu rows, and the result as many channels, which take %u slots; rows of %.40s "
                          "are in blocks of %llu slots: encrypt it with --block %llu or more",
                          c->name, (unsigned long long)c->rows, slots, encrypted_name(w), (unsigned long long)w->block,
                          (unsigned long long)hb_packing_least_block(slots));
    }
    return HB_OK;
}

/* Finds all of a convolution from the types of its arguments. */
static hb_status find(const hb_types *t, const hb_item *item, const hb_type *arguments, convolution *c)
{
    const hb_types_context *w = &t->context;
    const hb_type *x = &arguments[1];
    uint32_t height = 0, width = 0, stride = 1;
    if (w->block <= 1) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at,
                          "conv works on rows within slots: encrypt images with --pack rows%s",
                          x->columns == 1 && hb_type_encrypted(x) ? ", those of one pixel with --block 2 or more" : "");
    }
    if (w->keys_only) {
        return hb_types_refuse(t, "the rotations of a convolution follow from its kernels and its images; hebatch "
                                  "eval says which keys are missing");
    }
    HB_TRY(hb_types_weights(t, &arguments[0], "as the first argument of conv"));
    if (!hb_type_encrypted(x)) {
        return hb_types_refuse(t, "the second argument of conv is an encrypted value");
    }
    const hb_type *weights = &arguments[0];
    const hb_item *words = weights->item;
    hb_excerpt(c->name, sizeof c->name, w->syntax->text, words->from, words->to);
    c->rows = weights->rows;
    c->columns = weights->columns;
    HB_TRY(size_of(t, &arguments[2], "height", &height));
    HB_TRY(size_of(t, &arguments[3], "width", &width));
    HB_TRY(item->arguments > 4 ? size_of(t, &arguments[4], "stride", &stride) : HB_OK);
    HB_TRY(image_of(t, x, height, width, &c->from));
    HB_TRY(kernel_of(t, c));
    return result_of(t, c, stride);
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *arguments, hb_type *out)
{
    convolution c = {.bias = false};
    HB_TRY(find(t, item, arguments, &c));
    *out = (hb_type){.kind = arguments[1].kind, .columns = hb_block_image_slots(&c.to), .image = c.to};
    return c.to.gap > 1 ? hb_types_name_image(t, &c.to, out) : HB_OK;
}

/* numbers: of the table. Splits kernels [channels][...] and biases [slots of the result]. */
static void split(const convolution *c, const double *numbers, double *kernels, double *biases)
{
    const size_t columns = (size_t)c->columns, each = columns - c->bias;
    for (uint32_t i = 0; i < c->to.channels; i++) {
        memcpy(kernels + i * each, numbers + i * columns, each * sizeof *kernels);
    }
    const uint32_t slots = hb_block_image_slots(&c->to);
    for (uint32_t s = 0; s < slots; s++) {
        uint32_t channel, row, column;
        const bool pixel = hb_block_image_pixel(&c->to, s, &channel, &row, &column);
        biases[s] = c->bias && pixel ? numbers[channel * columns + each] : 0;
    }
}

static bool any_entry(const hb_block_matrix *matrix)
{
    for (uint32_t i = 0; i < matrix->rows; i++) {
        hb_block_entries e = hb_block_row(matrix, i);
        if (hb_block_entries_next(&e)) {
            return true;
        }
    }
    return false;
}

static bool any_number(const double *numbers, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && numbers[i] == 0) {
        i++;
    }
    return i < count;
}

static hb_status multiply(hb_lowering *l, const convolution *c, const double *kernels, const double *biases,
                          uint32_t *node)
{
    hb_graph *g = &l->graph;
    const hb_block_matrix matrix = {.rows = hb_block_image_slots(&c->to),
                                    .columns = hb_block_image_slots(&c->from),
                                    .block = (uint32_t)g->block,
                                    .values = kernels,
                                    .from = c->from,
                                    .to = c->to,
                                    .kernel = c->kernel};
    if (!any_entry(&matrix)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%.40s has only zeros: the result is the same whatever was encrypted, and everyone could "
                          "read it (a transparent ciphertext, which is refused)",
                          c->name);
    }
    HB_TRY(hb_graph_matrix(g, *node, &matrix, node));
    const bool gaps_zero = g->nodes[*node].shape.gaps_zero;
    HB_TRY(any_number(biases, matrix.rows) ? hb_graph_add_row(g, *node, biases, node) : HB_OK);
    g->nodes[*node].shape.gaps_zero = gaps_zero; /* biases stand where pixels do */
    return HB_OK;
}

static hb_status convolve(hb_lowering *l, const convolution *c, const double *numbers, uint32_t *node)
{
    const size_t count = (size_t)c->rows * (size_t)c->columns, slots = hb_block_image_slots(&c->to);
    double *kernels = malloc(count * sizeof *kernels), *biases = malloc(slots * sizeof *biases);
    if (kernels == NULL || biases == NULL) {
        free(kernels);
        free(biases);
        return HB_FAIL(HB_ENOMEM, "no memory for the weights of an expression");
    }
    split(c, numbers, kernels, biases);
    const hb_status st = multiply(l, c, kernels, biases, node);
    hb_wipe(kernels, count * sizeof *kernels);
    hb_wipe(biases, slots * sizeof *biases);
    free(kernels);
    free(biases);
    return st;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_graph *g = &l->graph;
    hb_value *x = &arguments[1];
    hb_type types[5];
    const hb_operand *table = NULL;
    convolution c = {.bias = false};
    for (uint32_t i = 0; i < item->arguments; i++) {
        types[i] = *arguments[i].type;
    }
    HB_TRY(find(hb_lower_types(l), item, types, &c));
    double *numbers;
    HB_TRY(hb_lower_load(l, x));
    HB_TRY(hb_lower_real_weights(l, &arguments[0], "in the first argument of conv", &table, &numbers));
    uint32_t node = l->pool[x->first];
    hb_graph_at_column(g, 0, 1);
    const hb_status st = convolve(l, &c, numbers, &node);
    hb_wipe(numbers, (size_t)table->schema->rows * (size_t)table->schema->columns * sizeof *numbers);
    free(numbers);
    HB_TRY(st);
    *out = (hb_value){.kind = x->kind, .width = l->type->columns, .names = l->type->names};
    HB_TRY(hb_lower_columns(l, 1, out));
    l->pool[out->first] = node;
    return HB_OK;
}

const hb_lang_function hb_lang_function_conv = {
    .call = {.name = "conv",
             .form = "conv(K, x, height, width) or conv(K, x, height, width, stride)",
             .says = "on reals, for rows within slots: convolves images of this height and width, with this stride "
                     "([rows](rows.md))",
             .least = 4,
             .most = 5,
             .reals = "images are convolved as reals: keygen and params suggest --scheme ckks",
             .table = 1},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .shape = shape,
    .lower = lower,
};
