"""Joint keys and parts of decryptions in exact integers, by their definitions alone (src/README.md, "Joint keys"), for
the vectors of t_joint_vectors.c: prints joint_vectors.h. Needs the Python package cryptography."""
import hashlib
from decimal import Decimal, getcontext
from functools import lru_cache

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

N, T, OWNERS, THRESHOLD, RESULTS, SEED = 1024, 1032193, 3, 2, 1024, 21
BITS = (45, 45, 45, 45, 45, 46)
UNIFORM, SECRET, TERNARY, ERROR_0, ERROR_1, FLOOD = 1, 3, 4, 5, 6, 8
U, W = 70, 56


# --- primes and transforms

def is_prime(n):
    d, r = n - 1, 0
    while d % 2 == 0:
        d, r = d // 2, r + 1
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(r - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def create_primes():
    pools = {}
    for b in set(BITS):
        pool, p = [], (1 << b) - 2 * N + 1
        while len(pool) < BITS.count(b):
            pool += [p] if is_prime(p) else []
            p -= 2 * N
        pools[b] = pool
    return [pools[b].pop() for b in BITS]


PRIMES = create_primes()
DATA, SPECIAL = PRIMES[:-1], PRIMES[-1]


@lru_cache(None)
def root_of(q):
    g = next(r for r in (pow(x, (q - 1) // (2 * N), q) for x in range(2, q)) if pow(r, N, q) == q - 1)
    return min(pow(g, k, q) for k in range(1, 2 * N, 2))


def brev(i):
    return int(format(i, f"0{N.bit_length() - 1}b")[::-1], 2)


def fft(a, w, q):
    """Values at w^0, w^1, .. of the polynomial a."""
    if len(a) == 1:
        return a
    even, odd = fft(a[::2], w * w % q, q), fft(a[1::2], w * w % q, q)
    out, x, h = [0] * len(a), 1, len(a) // 2
    for i in range(h):
        t = x * odd[i] % q
        out[i], out[i + h] = (even[i] + t) % q, (even[i] - t) % q
        x = x * w % q
    return out


def ntt(a, q):
    """Index i: the value at psi^(2 brev(i) + 1)."""
    psi = root_of(q)
    values = fft([v * pow(psi, i, q) % q for i, v in enumerate(a)], psi * psi % q, q)
    return [values[brev(i)] for i in range(N)]


def intt(a, q):
    psi, values = root_of(q), [a[brev(i)] for i in range(N)]
    out = fft(values, pow(psi, -2, q), q)
    return [v * pow(N, -1, q) * pow(psi, -i, q) % q for i, v in enumerate(out)]


def transform(poly):
    """Integers to [limb][N], NTT form."""
    return [ntt([v % q for v in poly], q) for q in PRIMES]


def each(f, *polys):
    return [[f(q, *v) for v in zip(*rows)] for q, *rows in zip(PRIMES, *polys)]


def add(a, b):
    return each(lambda q, x, y: (x + y) % q, a, b)


def sub(a, b):
    return each(lambda q, x, y: (x - y) % q, a, b)


def mul(a, b):
    return each(lambda q, x, y: x * y % q, a, b)


def scale(a, factors):
    return [[v * f % q for v in row] for row, f, q in zip(a, factors, PRIMES)]


# --- draws

def H(person, *parts):
    state = hashlib.blake2b(digest_size=32, person=person.encode().ljust(16, b"\0"))
    for part in parts:
        state.update(part if isinstance(part, bytes) else part.to_bytes(8, "little"))
    return state.digest()


def text(name):
    return len(name).to_bytes(8, "little") + name.encode()


def derive(root, label):
    return hashlib.blake2b(label.encode(), digest_size=32, key=root).digest()


def words(seed, purpose, item, attempt=0):
    nonce = bytes(4) + (purpose + 256 * attempt).to_bytes(4, "little") + item.to_bytes(8, "little")
    data = Cipher(algorithms.ChaCha20(seed, nonce), mode=None).encryptor().update(bytes(8 * N))
    return [int.from_bytes(data[8 * i:8 * i + 8], "little") for i in range(N)]


def uniform(seed, primes=None):
    """Residues that a seed expands to, in whatever form they are taken for; item: the number of the prime."""
    out = []
    for l, q in enumerate(primes or PRIMES):
        mask, attempt = (1 << (q - 1).bit_length()) - 1, 0
        row = [w & mask for w in words(seed, UNIFORM, l)]
        while any(v >= q for v in row):
            attempt += 1
            again = words(seed, UNIFORM, l, attempt)
            row = [v if v < q else again[i] & mask for i, v in enumerate(row)]
        out.append(row)
    return out


def ternary(seed, purpose, item=0):
    drawn = words(seed, purpose, item)
    assert 0 not in drawn
    return [3 * w // 2 ** 64 - 1 for w in drawn]


def thresholds():
    getcontext().prec = 60
    weight = [(Decimal(-x * x) / (2 * Decimal("3.2") ** 2)).exp() for x in range(20)]
    whole, sum_, out = weight[0] + 2 * sum(weight[1:]), Decimal(0), []
    for x in range(19):
        sum_ += weight[x] * (1 if x == 0 else 2)
        out.append(int((sum_ / whole * 2 ** 63).to_integral_value()))
    return out


LEVELS = thresholds()


def error(seed, purpose, item=0):
    out = []
    for w in words(seed, purpose, item):
        x = sum(level <= w & (2 ** 63 - 1) for level in LEVELS)
        out.append(-x if w >> 63 else x)
    return out


def flood(seed):
    a, b = ([w & (1 << W) - 1 for w in words(seed, FLOOD, i)] for i in (0, 1))
    u = [0] * N
    for k in range(-(-U // 64)):
        bits = min(64, U - 64 * k)
        u = [x + ((w & (1 << bits) - 1) << 64 * k) for x, w in zip(u, words(seed, FLOOD, 2 + k))]
    return [(x - y << U) + z - (1 << U - 1) for x, y, z in zip(a, b, u)]


# --- owners

class Owner:
    def __init__(self, i):
        self.name, self.root = f"owner-{i:02}", bytes([i] + [SEED] * 31)
        raw = dict(encoding=serialization.Encoding.Raw, format=serialization.PublicFormat.Raw)
        self.box = X25519PrivateKey.from_private_bytes(hashlib.sha512(derive(self.root, "box")).digest()[:32])
        self.sign_key = Ed25519PrivateKey.from_private_bytes(derive(self.root, "sign")).public_key().public_bytes(**raw)
        self.box_key, self.nonce = self.box.public_key().public_bytes(**raw), derive(self.root, "nonce")

    def join(self, id):
        self.own = H("hebatch own", self.root, id)
        self.ternary = ternary(self.own, SECRET)
        self.s = transform(self.ternary)
        self.u = transform(ternary(derive(self.own, "relin u"), SECRET))

    def pair(self, other):
        return self.box.exchange(X25519PublicKey.from_public_bytes(other.box_key))


def session_id(owners, elements):
    params = hashlib.blake2b(b"".join(v.to_bytes(8, "little") for v in (1, N, *PRIMES, T)), digest_size=32).digest()
    cards = b"".join(text(o.name) + o.sign_key + o.box_key + o.nonce for o in owners)
    return H("hebatch session", params, 128, 2018, 0, 1, 0, len(owners), cards, THRESHOLD, RESULTS, len(DATA), len(elements),
             *[v for g in elements for v in (g, len(DATA))], bytes(32))


def with_target(poly, target, j):
    """Adds P target in the limb of digit j alone."""
    out = [list(row) for row in poly]
    out[j] = [(v + SPECIAL * t) % PRIMES[j] for v, t in zip(out[j], target[j])]
    return out


def galois(o, crs, g):
    image = [0] * N
    for i, v in enumerate(o.ternary):
        k = i * g % (2 * N)
        image[k % N] = v if k < N else -v
    target, root, parts = transform(image), derive(o.own, f"switching key {g}"), []
    for j in range(len(DATA)):
        a, e = uniform(derive(crs, f"galois {g} {j}")), transform(error(root, ERROR_0, j))
        parts.append(with_target(sub(sub(transform([0] * N), mul(a, o.s)), e), target, j))
    return parts


def relin_first(o, crs):
    h0, h1, zero = [], [], transform([0] * N)
    for j in range(len(DATA)):
        a = uniform(derive(crs, f"relin {j}"))
        e0, e1 = (transform(error(derive(o.own, f"relin h{c}"), ERROR_0, j)) for c in (0, 1))
        h0.append(with_target(sub(sub(zero, mul(a, o.u)), e0), o.s, j))
        h1.append(add(mul(a, o.s), e1))
    return h0, h1


def relin_second(o, h0, h1, inputs):
    root, more = H("hebatch second", o.own, inputs), sub(o.u, o.s)
    return [add(add(mul(o.s, h0[j]), mul(more, h1[j])), transform(error(root, ERROR_0, j))) for j in range(len(DATA))]


def coefficient(o, p, k):
    return o.s if p == k == 0 else uniform(derive(o.own, f"dealt {p} {k}"))


def at_point(o, p, x):
    out = coefficient(o, p, THRESHOLD - 1)
    for k in reversed(range(THRESHOLD - 1)):
        out = add(scale(out, [x] * len(PRIMES)), coefficient(o, p, k))
    return out


def blind(o, inputs, r):
    rho = [int.from_bytes(H("hebatch dealt", inputs, r, q)[:16], "little") % q for q in PRIMES]
    return [add(scale(coefficient(o, 0, k), rho), coefficient(o, 1 + r, k)) for k in range(THRESHOLD)]


def lagrange(points, i):
    out = []
    for q in PRIMES:
        f = 1
        for j in points:
            f = f * j * pow(j - i, -1, q) % q if j != i else f
        out.append(f)
    return out


# --- parts

def context(id, c1, names):
    return H("hebatch part", id, c1, len(names), b"".join(map(text, names)), U, W, bytes(32), bytes(16))


def part(secret, c1, seed):
    """secret: NTT form of all primes; c1: coefficients modulo those of data."""
    f = flood(seed)
    return [[(v + w) % q for v, w in zip(intt([x * y % q for x, y in zip(ntt(c, q), s)], q), f)]
            for c, s, q in zip(c1, secret, DATA)]


def masked(h, o, others, ctx):
    out = h
    for other in others:
        first, second = sorted((o.name, other.name))
        m = uniform(H("hebatch mask", o.pair(other), text(first), text(second), ctx), DATA)
        sign = 1 if o.name == first else -1
        out = [[(v + sign * w) % q for v, w in zip(row, mask)] for row, mask, q in zip(out, m, DATA)]
    return out


def turned(h, key, seed):
    """To the key (b, a)."""
    b, a = key
    u, e = transform(ternary(seed, TERNARY)), error(seed, ERROR_1)
    ub, ua = mul(u, b), mul(u, a)
    return ([[(v + w) % q for v, w in zip(row, intt(x, q))] for row, x, q in zip(h, ub, DATA)],
            [[(v + w) % q for v, w in zip(intt(x, q), e)] for x, q in zip(ua, DATA)])


# --- vectors

NAMES = ("secret", "public", "sum", "galois", "first", "second", "relin", "dealt", "blinded", "shares", "part", "turned", "masked")


def show(name, polys):
    """BLAKE2b-256 of words, [polynomial][limb][N]."""
    state = hashlib.blake2b(digest_size=32)
    for poly in polys:
        for row in poly:
            state.update(b"".join(v.to_bytes(8, "little") for v in row))
    print(f'    [VECTOR_{name.upper()}] = "{state.hexdigest()}",')


def main():
    owners, elements = [Owner(i) for i in range(OWNERS)], [3, 2 * N - 1]
    id, inputs = session_id(owners, elements), bytes([7] * 32)
    crs = H("hebatch crs", id)
    for o in owners:
        o.join(id)
    print("/* Digests of joint keys, shares and parts, by joint_vectors.py. */\n#ifndef HB_TESTS_JOINT_VECTORS_H")
    print("#define HB_TESTS_JOINT_VECTORS_H\n\n#include <stdint.h>\n\ntypedef enum joint_vector {")
    print("".join(f"    VECTOR_{name.upper()},\n" for name in NAMES) + "    VECTORS\n} joint_vector;\n")
    print("static const uint64_t vector_primes[] = {")
    print("    " + ", ".join(map(str, PRIMES)) + "};")
    print(f'static const char vector_session[] = "{id.hex()}";')
    print("static const char *const vector_words[VECTORS] = {")
    zero, a = transform([0] * N), uniform(derive(crs, "public"))
    b = [sub(zero, add(mul(a, o.s), transform(error(o.own, ERROR_0)))) for o in owners]
    total = add(add(b[0], b[1]), b[2])
    show("secret", [o.s for o in owners])
    show("public", b)
    show("sum", [total, a])
    show("galois", galois(owners[1], crs, 3))
    rounds = [relin_first(o, crs) for o in owners]
    show("first", [p for pair in zip(*rounds[2]) for p in pair])
    h0, h1 = ([add(add(x, y), z) for x, y, z in zip(*(r[c] for r in rounds))] for c in (0, 1))
    second = [relin_second(o, h0, h1, inputs) for o in owners]
    show("second", [p for pair in zip(second[0], h1) for p in pair])
    show("relin", [p for x, y, z, h in zip(*second, h1) for p in (add(add(x, y), z), h)])
    show("dealt", [at_point(owners[0], p, 2) for p in range(3)])
    show("blinded", blind(owners[1], inputs, 1))
    shares = [add(add(at_point(owners[0], 0, x), at_point(owners[1], 0, x)), at_point(owners[2], 0, x)) for x in (1, 2, 3)]
    show("shares", shares)
    c1, digest = uniform(bytes([9] * 32), DATA), bytes([5] * 32)
    whole = context(id, digest, [o.name for o in owners])
    h = part(owners[1].s, c1, H("hebatch flood", owners[1].own, whole))
    show("part", [h])
    seed = H("hebatch flood", owners[1].own, whole)
    show("turned", turned(h, (total, a), seed))
    some = context(id, digest, [owners[0].name, owners[2].name])
    pair = []
    for i, other in ((0, 2), (2, 0)):
        secret = scale(shares[i], lagrange((1, 3), i + 1))
        of = part(secret, c1, H("hebatch flood", owners[i].own, some))
        pair.append(masked(of, owners[i], [owners[other]], some))
    show("masked", pair)
    print("};\n\n#endif")


main()
