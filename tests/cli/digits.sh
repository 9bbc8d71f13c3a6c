#!/bin/sh
# Several special primes and digits of several primes, from keys to results; keys of CKKS.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
seed=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff

# BFV: the same results whatever the digits are.
"$PYTHON" - <<'PYTHON'
with open("t.csv", "w") as f:
    f.write("a,b\n")
    for i in range(3000):
        f.write(f"{i % 300},{i * 7 % 200}\n")
PYTHON
for digits in "--special-primes 1" "--special-primes 2" "--special-primes 2 --digit-primes 1" "--special-primes 3"; do
    rm -rf keys x.heb y.heb y.csv
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen --n 2048 --bits 40,40,40,41,41,41 $digits --insecure --out keys --relin --rotations 1
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.csv x.heb
    expect 0 "$HEBATCH" eval --keys keys 'y = rotate(x.a * x.b, 1) + x.a' x=x.heb y=y.heb
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
    "$PYTHON" - <<'PYTHON' || fail "results with $digits"
n = 1024
a, b = [i % 300 for i in range(3000)], [i * 7 % 200 for i in range(3000)]
product = [x * y for x, y in zip(a, b)] + [0] * (-3000 % (2 * n))
turned = sum((product[k + 1:k + n] + product[k:k + 1] for k in range(0, len(product), n)), [])
assert [int(line) for line in open("y.csv").read().split()[1:]] == [turned[i] + a[i] for i in range(3000)]
PYTHON
done
# As many parts as there are digits.
expect 0 "$HEBATCH" info --json keys/relin.h5
"$PYTHON" - <<'PYTHON' || fail "digits in a key's report"
import h5py, json
assert json.load(open("out"))["params"]["special_primes"] == 3
with h5py.File("keys/relin.h5") as f:
    assert f.attrs["version"] == 5 and f["b"].shape[0] == 1 and f["params/digit_limbs"][0] == 3
with h5py.File("x.heb/index.h5") as f:
    assert f.attrs["version"] == 4
PYTHON

# CKKS: the same keys from the same seed, and rotations in powers of 5.
real="--n 2048 --levels 3 --scale-bits 36 --special-primes 2 --insecure"
for name in one two; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen $real --out $name --relin --rotations 1,-2 --conj --insecure-test-seed $seed
done
for file in secret public relin galois-5 galois-4095; do
    same one/$file.h5 two/$file.h5
done
expect 0 "$HEBATCH" info one
says "^parameters   custom: N 2048, 6 primes of 259 bits in all, scale 2^36$"
says "^galois-5.h5 .*key of rotate(x,1) "
says "^galois-4095.h5 .*key of conj(x) "
[ "$(find one -name 'galois-*' | wc -l)" = 3 ] || fail "other keys than were asked for"
expect 0 "$HEBATCH" keygen --key one/secret.h5 --rotations sum
expect 0 "$HEBATCH" info one/galois-5.h5
says "^kind         key of rotate(x,1)$"
refuse 64 "that of conj(x) is made by --conj" "$HEBATCH" keygen --key one/secret.h5 --swap
refuse 64 "that of swap(x) is made by --swap" "$HEBATCH" keygen --key keys/secret.h5 --conj
refuse 64 "steps are 1 to 1023" "$HEBATCH" keygen --key one/secret.h5 --rotations 1024
# A key of other digits is none of this pair.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 2048 --levels 3 --scale-bits 36 --special-primes 3 --insecure --out other --relin
rm one/relin.h5
cp other/relin.h5 one/relin.h5
refuse 73 "belongs to another key pair" "$HEBATCH" keygen --key one/secret.h5 --relin

# Consistent, and none of the pair's: other digits, of as many parts or of another number.
for chain in "--bits 40,40,40,41,41,41 --special-primes 2" "--levels 3 --scale-bits 36 --special-primes 2"; do
    rm -rf keys x.heb
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen --n 2048 $chain --insecure --out keys --relin
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.csv x.heb --range 0..300
    cp keys/relin.h5 good.h5
    "$PYTHON" "$forge" digits keys/relin.h5 2 2 || fail "could not forge"
    same good.h5 keys/relin.h5
    "$PYTHON" "$forge" digits keys/relin.h5 3 2 || fail "could not forge"
    expect 0 "$HEBATCH" info keys/relin.h5
    refuse 65 "relin.h5" "$HEBATCH" eval --keys keys 'y = x.a * x.b' x=x.heb y=y.heb --force
    "$PYTHON" "$forge" digits keys/relin.h5 2 1 || fail "could not forge"
    refuse 65 "relin.h5" "$HEBATCH" info keys/relin.h5
    "$PYTHON" "$forge" digits keys/relin.h5 6 1 || fail "could not forge"
    refuse 65 "is a key for computing, of parameters" "$HEBATCH" info keys/relin.h5
    "$PYTHON" "$forge" digits keys/relin.h5 7 1 || fail "could not forge"
    refuse 65 "'special_limbs' is 7, outside 1 to 6" "$HEBATCH" info keys/relin.h5
done
