#!/bin/sh
# Scales of CKKS like Microsoft SEAL's: products keep theirs, files bring any, and what is computed is as right as is
# proven.
# Oracle: exact rationals of what was encrypted; bounds are those of reports.
vectors=$(CDPATH='' cd -- "${0%/*}/../vectors/ckks/seal" && pwd)
. "$(dirname "$0")/harness.sh"
# Results are computed with further, or compared word by word.
export HEBATCH_COMPACT=off

cat >judge.py <<'PYTHON'
"""judge.py RESULT.csv EXPRESSION LEAST: the result, of the tables x.csv, y.csv and z.csv, is within what the report in
`out` proves, and at least LEAST bits are right."""
import csv, json, math, sys
from fractions import Fraction
def table(name):
    lines = list(csv.reader(open(name)))
    return [dict(zip(lines[0], map(Fraction, line))) for line in lines[1:]]
class Row:
    def __init__(self, cells):
        self.__dict__.update(cells)
result = [Fraction(line[0]) for line in list(csv.reader(open(sys.argv[1])))[1:]]
rows = {name: [Row(r) for r in table(name + ".csv")] for name in "xyz"}
proven = json.load(open("out"))["precision_bits"].get("proven", json.load(open("out"))["precision_bits"].get("assumed"))
wrong = max(abs(eval(sys.argv[2], {n: rows[n][i] for n in rows}) - r) for i, r in enumerate(result))
bits = -math.log2(wrong) if wrong > 0 else 999
assert len(result) == len(rows["x"]) and bits >= proven and bits >= float(sys.argv[3]), (sys.argv[1:], bits, proven)
PYTHON
"$PYTHON" - <<'PYTHON'
import random
random.seed(31)
for name in "xyz":
    with open(name + ".csv", "w") as f:
        f.write("a,b\n")
        for i in range(300):
            f.write(f"{random.uniform(-1, 1)!r},{random.uniform(-1, 1)!r}\n")
PYTHON

# evaluate BITS EXPRESSION INPUT...: computes, decrypts, and holds the result to the truth and to so many bits.
evaluate() {
    bits=$1 text=$2
    shift 2
    expect 0 "$HEBATCH" eval --force --keys "$keys" "r = $text" "$@" r=r.heb
    expect 0 "$HEBATCH" decrypt --force --key "$keys/secret.h5" r.heb r.csv --json
    "$PYTHON" judge.py r.csv "$text" "$bits" || fail "$text of $*"
}

# A product has the scale S^2 / q, which a sum brings the other terms to: no bit is lost to how far primes are from S.
keys=keys
expect 0 "$HEBATCH" keygen --params seal-ckks-16384 --out keys --relin
for name in x y z; do
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 $name.csv $name.heb --range a=-1..1,b=-1..1
done
evaluate 25 "x.a*y.b" x=x.heb y=y.heb
evaluate 24 "x.a*y.b + z.a" x=x.heb y=y.heb z=z.heb
evaluate 24 "(x.a*y.b)*(z.a*z.a) - 2*x.b + 0.25" x=x.heb y=y.heb z=z.heb
expect 0 "$HEBATCH" eval --force --keys keys 'r = x.a*y.b' x=x.heb y=y.heb r=product.heb
expect 0 "$HEBATCH" info product.heb --json
"$PYTHON" - <<'PYTHON' || fail "the scale of a product is not the double that SEAL has"
import json
assert json.load(open("out"))["scale"] == 2.0**40 * 2.0**40 / 0xffffe80001
PYTHON
# A result beside others: in two commands as in one.
expect 0 "$HEBATCH" eval --force --keys keys 'r = p*z.a + x.b' p=product.heb z=z.heb x=x.heb r=r.heb
expect 0 "$HEBATCH" decrypt --force --key keys/secret.h5 r.heb r.csv --json
"$PYTHON" judge.py r.csv "x.a*y.b*z.a + x.b" 24 || fail "computed with a product that was stored"

# Ciphertexts that SEAL made: a product of three polynomials at S^2, the same rescaled at S^2 / q, and at a given scale.
mkdir given
for name in parms secret public relin galois; do
    cp "$vectors/$name.seal" given/
done
expect 0 "$HEBATCH" import given --keys theirs --scale-bits 30 --insecure
refuse 64 "is a product, whose noise .*--noise-bits" \
    "$HEBATCH" import "$vectors/product.seal" never.heb --key theirs --rows 4
refuse 64 "has a scale of 2^30.0000468.*, as products have.*--noise-bits" \
    "$HEBATCH" import "$vectors/scaled.seal" never.heb --key theirs --rows 4
refuse 64 "ciphertexts of CKKS have none; --noise-bits" \
    "$HEBATCH" import "$vectors/scaled.seal" never.heb --key theirs --rows 4 --noise-budget 10
for name in fresh scaled product; do
    expect 0 "$HEBATCH" import "$vectors/$name.seal" $name.heb --key theirs --rows 4 --noise-bits 20 --force
    expect 0 "$HEBATCH" export $name.heb exported-$name
    expect 0 "$HEBATCH" import exported-$name again-$name.heb --key theirs
    expect 0 "$HEBATCH" decrypt --key theirs/secret.h5 $name.heb $name.csv
done
expect 0 "$HEBATCH" eval --keys theirs 'r = p + f*f' p=product.heb f=fresh.heb r=both.heb --range p=-64..64,f=-8..8
expect 0 "$HEBATCH" decrypt --key theirs/secret.h5 both.heb both.csv
# Rescaled here it has the words that SEAL gave it, so nothing is left of their difference.
expect 65 "$HEBATCH" eval --keys theirs 'r = p - s' p=product.heb s=scaled.heb r=none.heb --range p=-64..64,s=-64..64
complains "is transparent"
expect 0 "$HEBATCH" eval --force --keys theirs 'r = 2*s + 1' s=scaled.heb r=twice.heb --range s=-64..64
expect 0 "$HEBATCH" decrypt --key theirs/secret.h5 twice.heb twice.csv
"$PYTHON" - "$vectors" <<'PYTHON' || fail "ciphertexts of SEAL at other scales"
import struct, sys
import h5py
values = [0.5, -1.25, 3e-3, 7]
squares = [v * v for v in values]
def scale(path):
    """Behind the header, 16 bytes, parms_id, 32, a byte, and three counts."""
    return struct.unpack_from("<d", open(path, "rb").read(), 73)[0]
def column(name):
    return [float(line) for line in open(name + ".csv").read().split()[1:]]
for name in "fresh", "scaled", "product":
    wanted = values if name == "fresh" else squares
    assert all(abs(a - b) < 2**-17 for a, b in zip(column(name), wanted)), name
    one, two = h5py.File(name + ".heb/index.h5"), h5py.File("again-" + name + ".heb/index.h5")
    for component in "c0", "c1":
        for row in one["ct"][component]:
            assert (one["ct"][component][row][:] == two["ct"][component][row][:]).all()
    assert scale(f"exported-{name}/ct-000000.seal") == one["ct"].attrs["scale"] == two["ct"].attrs["scale"], name
assert h5py.File("product.heb/index.h5")["ct"].attrs["scale"] == 2.0**60
assert h5py.File("scaled.heb/index.h5")["ct"].attrs["scale"] not in (2.0**30, 2.0**60)
assert all(abs(a - 2 * b) < 2**-15 for a, b in zip(column("both"), squares)), column("both")
assert all(abs(a - 2 * b - 1) < 2**-15 for a, b in zip(column("twice"), squares)), column("twice")
PYTHON

# Any scale, of fresh ciphertexts and of such that were brought down: the same words said to have it hold other values.
keys=keys
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv fresh-x.heb --force
expect 0 "$HEBATCH" eval --force --keys keys 'r = modswitch(x)' x=fresh-x.heb r=lower-x.heb
for name in fresh-x lower-x; do
    expect 0 "$HEBATCH" export $name.heb out-$name
done
"$PYTHON" - <<'PYTHON'
import glob, os, random, shutil, struct
random.seed(7)
for name in "fresh-x", "lower-x":
    for kind, times in ("third", 1 / 3), ("sixteenth", 1 / 16), ("near", 1 + 2.0**-30), ("odd", 1.7320508075688772):
        folder = f"{name}-{kind}"
        shutil.copytree("out-" + name, folder)
        for path in glob.glob(folder + "/ct-*.seal"):
            data = bytearray(open(path, "rb").read())
            scale = struct.unpack_from("<d", data, 73)[0]
            struct.pack_into("<d", data, 73, scale * times)
            open(path, "wb").write(data)
        lines = open("x.csv").read().split()
        with open(folder + ".csv", "w") as f:
            f.write("a,b\n")
            for line in lines[1:]:
                f.write(",".join(repr(float(cell) / times) for cell in line.split(",")) + "\n")
PYTHON
cp x.csv kept-x.csv
for name in fresh-x lower-x; do
    for kind in third sixteenth near odd; do
        expect 0 "$HEBATCH" import $name-$kind s.heb --key keys --noise-bits 16 --force
        cp $name-$kind.csv x.csv
        expect 0 "$HEBATCH" decrypt --force --key keys/secret.h5 s.heb r.csv
        # Every text with some scale, fresh and brought down, and every scale with some.
        case $kind in
            third | sixteenth) texts="x.a x.a*x.b+y.a*x.b" ;;
            *) texts="x.a+y.a x.a*y.b-0.5*x.b x.a*x.a*x.b" ;;
        esac
        for text in $texts; do
            case $text in *y*) other=y=y.heb ;; *) other= ;; esac
            # shellcheck disable=SC2086
            expect 0 "$HEBATCH" eval --force --keys keys "r = $text" x=s.heb $other r=r.heb --range x=-16..16
            expect 0 "$HEBATCH" decrypt --force --key keys/secret.h5 r.heb r.csv --json
            "$PYTHON" judge.py r.csv "$text" 12 || fail "$text of $name-$kind"
        done
    done
done
cp kept-x.csv x.csv
# Scales that nothing can have, several in one dataset, and rows behind ciphertexts of another one.
"$PYTHON" - <<'PYTHON'
import struct
for name, scale in ("none", float("nan")), ("less", -1.0), ("most", 2.0**400):
    data = bytearray(open("out-fresh-x/ct-000000.seal", "rb").read())
    struct.pack_into("<d", data, 73, scale)
    open(name + ".seal", "wb").write(data)
PYTHON
for name in none less most; do
    refuse 65 "scale" "$HEBATCH" import $name.seal never.heb --key keys --rows 300
done
cp fresh-x-odd/ct-000000.seal two-0.seal
cp out-fresh-x/ct-000001.seal two-1.seal
refuse 65 "a dataset has one scale" "$HEBATCH" import two-0.seal two-1.seal never.heb --key keys --columns 2 --rows 300
expect 0 "$HEBATCH" import fresh-x-odd s.heb --key keys --noise-bits 16 --force
refuse 65 "have a scale of" "$HEBATCH" add fresh-x.heb s.heb never.heb
expect 0 "$HEBATCH" import fresh-x-third third.heb --key keys --noise-bits 16 --force
refuse 65 "has another scale" "$HEBATCH" concat third.heb s.heb never.heb

# The chains of SEAL's examples: primes far from the scale hold values; a product goes where its scale is one.
head -n 20 x.csv >few.csv && mv few.csv x.csv
seal='--like-seal --security-table 2018'
for chain in "8192 40,40,40,40,40 30 x.a*x.b+x.b" "8192 60,40,40,60 40 x.a*x.b*x.b+x.a" \
    "8192 40,40,40,40,40 50 x.a*x.b" \
    "8192 50,20,50 20 0.5-x.b" "4096 36,36,37 20 x.a+0.5"; do
    # shellcheck disable=SC2086
    set -- $chain
    keys=keys-$1-$3
    # Files of keys know no scale; at 2^20 none are made here, as nothing is proven of what the public key encrypts.
    made=$(($3 < 25 ? 25 : $3))
    expect 0 "$HEBATCH" keygen --n "$1" --bits "$2" --scale-bits $made $seal --out "$keys" --relin
    expect 0 "$HEBATCH" export $keys seal-$1-$3
    rm seal-$1-$3/keys.json # which says whose they are by their scale too
    expect 0 "$HEBATCH" import seal-$1-$3 --keys back-$1-$3 --scale-bits "$3"
    keys=back-$1-$3
    expect 0 "$HEBATCH" encrypt --key $keys/secret.h5 x.csv s.heb --range a=-1..1,b=-1..1 --force
    evaluate 3 "$4" x=s.heb --noise expected
done
# shellcheck disable=SC2086
expect 0 "$HEBATCH" params check --n 4096 --bits 36,36,37 --scale-bits 21 $seal
says "^warning: the scale is too far from q_1"
refuse 65 "no level is left for this product: at 2 limbs values have a scale of 2^20.0, .* would have one of 2^4.0" \
    "$HEBATCH" eval --keys back-4096-20 'r = x.a*x.b' x=s.heb r=never.heb
absent never.heb
