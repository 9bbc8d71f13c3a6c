/* zlib and zstd behind one step function each way. */
#include <string.h>

#include "file_private.h"

/* Windows of at most 16 MiB: SEAL writes at the default level, with 2 MiB. A file could else ask for any memory. */
enum { ZSTD_WINDOW_BITS = 24 };

static hb_status no_memory(void)
{
    return HB_FAIL(HB_ENOMEM, "no memory for compressed data");
}

static uInt at_most(size_t bytes)
{
    return bytes < HB_SEAL_PIECE ? (uInt)bytes : (uInt)HB_SEAL_PIECE;
}

/* Give the next piece to zlib, and advance the flow by zlib's progress. zlib counts in 32 bits, so a step is of one
 * piece at most. */
static void lend(z_stream *zlib, const hb_seal_flow *flow)
{
    zlib->next_in = (z_const Bytef *)flow->from;
    zlib->avail_in = at_most(flow->from_bytes);
    zlib->next_out = flow->to;
    zlib->avail_out = at_most(flow->to_bytes);
}

static void settle(const z_stream *zlib, hb_seal_flow *flow)
{
    flow->from_bytes -= (size_t)(zlib->next_in - flow->from);
    flow->to_bytes -= (size_t)(zlib->next_out - flow->to);
    flow->from = zlib->next_in;
    flow->to = zlib->next_out;
}

static void advance(hb_seal_flow *flow, size_t taken, size_t given)
{
    flow->from += taken;
    flow->from_bytes -= taken;
    flow->to += given;
    flow->to_bytes -= given;
}

/* Moves bytes where nothing is compressed, both ways. */
static void copy(hb_seal_flow *flow)
{
    const size_t some = flow->from_bytes < flow->to_bytes ? flow->from_bytes : flow->to_bytes;
    memcpy(flow->to, flow->from, some);
    advance(flow, some, some);
}

hb_status hb_seal_inflater_init(hb_seal_inflater *x, hb_seal_compression kind)
{
    *x = (hb_seal_inflater){.kind = kind, .ended = kind == HB_SEAL_PLAIN};
    if (kind == HB_SEAL_ZLIB) {
        /* Remembered, as zlib may only be ended once it was begun. */
        x->zlib_open = inflateInit(&x->zlib) == Z_OK;
        return x->zlib_open ? HB_OK : no_memory();
    }
    if (kind == HB_SEAL_ZSTD) {
        x->zstd = ZSTD_createDCtx();
        return x->zstd != NULL && !ZSTD_isError(ZSTD_DCtx_setParameter(x->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_BITS))
                   ? HB_OK
                   : no_memory();
    }
    return HB_OK;
}

void hb_seal_inflater_clear(hb_seal_inflater *x)
{
    if (x->zlib_open) {
        (void)inflateEnd(&x->zlib);
    }
    ZSTD_freeDCtx(x->zstd);
    *x = (hb_seal_inflater){.kind = HB_SEAL_PLAIN};
}

/* One step of zlib, from buffer to buffer. */
static hb_status inflate_zlib(hb_seal_inflater *x, hb_seal_flow *flow, const char *path)
{
    lend(&x->zlib, flow);
    const int result = inflate(&x->zlib, Z_NO_FLUSH);
    settle(&x->zlib, flow);
    x->ended = result == Z_STREAM_END;
    /* Memory that is short is no damage. */
    if (result == Z_MEM_ERROR) {
        return no_memory();
    }
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR /* only says that nothing moved */
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its zlib stream is damaged (%s)", path,
                         x->zlib.msg != NULL ? x->zlib.msg : "it wants a dictionary");
}

/* One step of zstd, from buffer to buffer. */
static hb_status inflate_zstd(hb_seal_inflater *x, hb_seal_flow *flow, const char *path)
{
    ZSTD_inBuffer in = {flow->from, flow->from_bytes, 0};
    ZSTD_outBuffer out = {flow->to, flow->to_bytes, 0};
    const size_t result = ZSTD_decompressStream(x->zstd, &out, &in);
    if (ZSTD_isError(result)) {
        return HB_FAIL(HB_EDATA, "%s: its zstd stream is damaged (%s)", path, ZSTD_getErrorName(result));
    }
    advance(flow, in.pos, out.pos);
    x->ended = result == 0; /* of a frame; another may follow */
    return HB_OK;
}

hb_status hb_seal_inflate(hb_seal_inflater *x, hb_seal_flow *flow, const char *path)
{
    if (x->kind == HB_SEAL_PLAIN) {
        copy(flow);
        return HB_OK;
    }
    /* A stream of zstd may have several frames, one of zlib ends once. */
    if (x->ended && (x->kind == HB_SEAL_ZLIB || flow->from_bytes == 0)) {
        return HB_OK;
    }
    return x->kind == HB_SEAL_ZLIB ? inflate_zlib(x, flow, path) : inflate_zstd(x, flow, path);
}

hb_status hb_seal_deflater_init(hb_seal_deflater *x, hb_seal_compression kind)
{
    *x = (hb_seal_deflater){.kind = kind};
    if (kind == HB_SEAL_ZLIB) {
        x->zlib_open = deflateInit(&x->zlib, Z_DEFAULT_COMPRESSION) == Z_OK;
        return x->zlib_open ? HB_OK : no_memory();
    }
    if (kind == HB_SEAL_ZSTD) {
        x->zstd = ZSTD_createCCtx();
        return x->zstd != NULL ? HB_OK : no_memory();
    }
    return HB_OK;
}

void hb_seal_deflater_clear(hb_seal_deflater *x)
{
    if (x->zlib_open) {
        (void)deflateEnd(&x->zlib);
    }
    ZSTD_freeCCtx(x->zstd);
    *x = (hb_seal_deflater){.kind = HB_SEAL_PLAIN};
}

/* One step of zlib the other way. */
static hb_status deflate_zlib(hb_seal_deflater *x, hb_seal_flow *flow, bool last, bool *done)
{
    lend(&x->zlib, flow);
    /* Only with the last piece may zlib be told to finish. */
    const bool all = x->zlib.avail_in == flow->from_bytes;
    const int result = deflate(&x->zlib, last && all ? Z_FINISH : Z_NO_FLUSH);
    settle(&x->zlib, flow);
    *done = result == Z_STREAM_END;
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR
               ? HB_OK
               : HB_FAIL(HB_EINTERNAL, "zlib refuses to compress (%d)", result);
}

hb_status hb_seal_deflate(hb_seal_deflater *x, hb_seal_flow *flow, bool last, bool *done)
{
    if (x->kind == HB_SEAL_PLAIN) {
        copy(flow);
        *done = last && flow->from_bytes == 0;
        return HB_OK;
    }
    if (x->kind == HB_SEAL_ZLIB) {
        return deflate_zlib(x, flow, last, done);
    }
    ZSTD_inBuffer in = {flow->from, flow->from_bytes, 0};
    ZSTD_outBuffer out = {flow->to, flow->to_bytes, 0};
    /* zstd flushes in several steps where the output is small; `left` is the number of bytes still inside. */
    const size_t left = ZSTD_compressStream2(x->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    advance(flow, in.pos, out.pos);
    *done = last && left == 0;
    return ZSTD_isError(left) ? HB_FAIL(HB_ENOMEM, "zstd refuses to compress: %s", ZSTD_getErrorName(left)) : HB_OK;
}
