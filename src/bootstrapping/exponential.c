/* Coefficients are those of the Chebyshev series at 64 nodes in 150 bits, rounded to doubles. Results depend on their
 * bits: other coefficients make other words. */
#include "exponential.h"

const double hb_exponential_cosine[HB_COSINE_DEGREE + 1] = {
    [0] = -0x1.7c2ee8db1ae7p-4,    [2] = -0x1.b98c4e6d7281ap-4,   [4] = 0x1.2a4ef43e6669fp-3,
    [6] = 0x1.e9b7e0f3a56fbp-2,    [8] = 0x1.4c245f2d86274p-2,    [10] = -0x1.3002be541a4d4p-1,
    [12] = 0x1.31aefc782badfp-2,   [14] = -0x1.54f5e97e62768p-4,  [16] = 0x1.f900754ca70dep-7,
    [18] = -0x1.0f1a09feb28ddp-9,  [20] = 0x1.bd457439e7d8ep-13,  [22] = -0x1.223045bf3ae45p-16,
    [24] = 0x1.346cca55c97c1p-20,  [26] = -0x1.10f8b04a08ab5p-24, [28] = 0x1.992c36a55f256p-29,
    [30] = -0x1.074c3c1b8dcc6p-33,
};

const double hb_exponential_sine[HB_SINE_DEGREE + 1] = {
    [1] = -0x1.c5d95187b5f1bp-2,   [3] = -0x1.ec9efe7784559p-2,   [5] = -0x1.83d7fae059836p-2,
    [7] = 0x1.005c30bb2d945p-3,    [9] = 0x1.296985b46ec2dp-1,    [11] = -0x1.d8fa701fa47dbp-2,
    [13] = 0x1.5675164d161dep-3,   [15] = -0x1.32ca10b106da9p-5,  [17] = 0x1.7fb3db11a4d5fp-8,
    [19] = -0x1.6659316f205c7p-11, [21] = 0x1.0524240e9f2f6p-14,  [23] = -0x1.32756428d2d0bp-18,
    [25] = 0x1.28899f7b53871p-22,  [27] = -0x1.e21e01ebcdfeep-27, [29] = 0x1.4e49c08a428a4p-31,
    [31] = -0x1.906b5f237a809p-36,
};

enum { ROOTS = 256, QUARTER = ROOTS / 4 };

static const double quarter[QUARTER + 1] = {
    0x1p+0,
    0x1.ffd886084cd0dp-1,
    0x1.ff621e3796d7ep-1,
    0x1.fe9cdad01883ap-1,
    0x1.fd88da3d12526p-1,
    0x1.fc26470e19fd3p-1,
    0x1.fa7557f08a517p-1,
    0x1.f8764fa714ba9p-1,
    0x1.f6297cff75cbp-1,
    0x1.f38f3ac64e589p-1,
    0x1.f0a7efb9230d7p-1,
    0x1.ed740e7684963p-1,
    0x1.e9f4156c62ddap-1,
    0x1.e6288ec48e112p-1,
    0x1.e212104f686e5p-1,
    0x1.ddb13b6ccc23cp-1,
    0x1.d906bcf328d46p-1,
    0x1.d4134d14dc93ap-1,
    0x1.ced7af43cc773p-1,
    0x1.c954b213411f5p-1,
    0x1.c38b2f180bdb1p-1,
    0x1.bd7c0ac6f952ap-1,
    0x1.b728345196e3ep-1,
    0x1.b090a581502p-1,
    0x1.a9b66290ea1a3p-1,
    0x1.a29a7a0462782p-1,
    0x1.9b3e047f38741p-1,
    0x1.93a22499263fbp-1,
    0x1.8bc806b151741p-1,
    0x1.83b0e0bff976ep-1,
    0x1.7b5df226aafafp-1,
    0x1.72d0837efff96p-1,
    0x1.6a09e667f3bcdp-1,
    0x1.610b7551d2cdfp-1,
    0x1.57d69348cecap-1,
    0x1.4e6cabbe3e5e9p-1,
    0x1.44cf325091dd6p-1,
    0x1.3affa292050b9p-1,
    0x1.30ff7fce17035p-1,
    0x1.26d054cdd12dfp-1,
    0x1.1c73b39ae68c8p-1,
    0x1.11eb3541b4b23p-1,
    0x1.073879922ffeep-1,
    0x1.f8ba4dbf89abap-2,
    0x1.e2b5d3806f63bp-2,
    0x1.cc66e9931c45ep-2,
    0x1.b5d1009e15ccp-2,
    0x1.9ef7943a8ed8ap-2,
    0x1.87de2a6aea963p-2,
    0x1.7088530fa459fp-2,
    0x1.58f9a75ab1fddp-2,
    0x1.4135c94176601p-2,
    0x1.294062ed59f06p-2,
    0x1.111d262b1f677p-2,
    0x1.f19f97b215f1bp-3,
    0x1.c0b826a7e4f63p-3,
    0x1.8f8b83c69a60bp-3,
    0x1.5e214448b3fc6p-3,
    0x1.2c8106e8e613ap-3,
    0x1.f564e56a9730ep-4,
    0x1.917a6bc29b42cp-4,
    0x1.2d52092ce19f6p-4,
    0x1.91f65f10dd814p-5,
    0x1.92155f7a3667ep-6,
    0,
};

double hb_exponential_root(unsigned k)
{
    const unsigned once = k % ROOTS, half = once < ROOTS - once ? once : ROOTS - once;
    return half <= QUARTER ? quarter[half] : -quarter[2 * QUARTER - half];
}
