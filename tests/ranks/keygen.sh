#!/bin/sh
# Keys for computing, with those of bootstrapping, made on several ranks: the same files as on one, all or none, added to
# a pair, and of use to eval at the levels that it takes.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
seed="--insecure-test-seed 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
bootstrap="--params boot-test --insecure"

# ranks N CODE COMMAND...
ranks() {
    size=$1 wanted_code=$2
    shift 2
    # shellcheck disable=SC2086
    expect "$wanted_code" $MPIRUN -n "$size" "$@"
}

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $bootstrap $seed --bootstrap --rotations 1,5 --out one
# shellcheck disable=SC2086
ranks 3 0 "$HEBATCH" keygen $bootstrap $seed --bootstrap --rotations 1,5 --out three
diff -r one three >differ || fail "three ranks make other keys than one: $(cat differ)"
[ "$(find three -name '*.partial' | wc -l)" = 0 ] || fail "something was left"
[ "$(stat -c %a three/secret.h5)" = 600 ] || fail "the secret key is open to others"
grep -q "40 of them to be made by 3 ranks" err || fail "the plan does not say how many keys are made"
grep -q "size  *[0-9.]* MiB on disk, [0-9.]* MiB in the memory of a device that has all" err || fail "the plan has no sizes"
grep -q "40 made, 0 were there, in [0-9.]* s" err || fail "nothing says how long keys took"

# One key for an element, for the highest level of whatever asks; the sparse secret itself is nowhere.
for key in relin-28 galois-2047-28 galois-5-29 galois-257 to-sparse from-sparse; do
    [ -e one/$key.h5 ] || fail "there is no $key.h5"
done
absent one/galois-5.h5 one/galois-5-20.h5 one/relin.h5
expect 0 "$HEBATCH" info one
says "relin-28.h5  *relinearization key, levels 0 to 27"
says "to-sparse.h5  *key to the sparse secret  *2[0-9].[0-9] KiB"
says "in 42 files"
expect 0 "$HEBATCH" info --json one/galois-5-29.h5
says '"limbs": 29'

# A lost key is made again, and fits: the sparse secret is that of the pair.
mkdir lost
mv one/from-sparse.h5 one/galois-5-29.h5 lost
# shellcheck disable=SC2086
ranks 2 0 "$HEBATCH" keygen $seed --key one/secret.h5 --bootstrap
grep -q "2 made, 38 were there" err || fail "more than what was lost was made"
diff -r one three >differ || fail "what was lost became something else: $(cat differ)"

# A key for a higher level does as well; one under another's name does not.
expect 0 "$HEBATCH" keygen --key one/secret.h5 --relin --rotations 1 --dry-run
says "relin-28.h5, relinearization key, levels 0 to 27: is there and stays"
says "galois-5-29.h5.*is there and stays"
mv one/relin-28.h5 one/relin-25.h5
refuse 73 "relin-25.h5 exists and holds another key" "$HEBATCH" keygen --key one/secret.h5 --relin
mv one/relin-25.h5 one/relin-28.h5
cp -p one/secret.h5 kept
rm one/to-sparse.h5
"$PYTHON" - one/secret.h5 <<'PYTHON'
import sys, h5py
with h5py.File(sys.argv[1], "r+") as f: del f["root"]
PYTHON
expect 65 "$HEBATCH" keygen --key one/secret.h5 --bootstrap
grep -q "from which the key to the sparse secret follows" err || fail "the reason is not that there is no root"
cp -p kept one/secret.h5
cp -p three/to-sparse.h5 one/to-sparse.h5
refuse 78 "no levels for bootstrapping" "$HEBATCH" keygen --params ckks-13 --bootstrap --out none
absent none/secret.h5

# A column of five row blocks, two of which are bootstrapped as one: the same words whatever is computed at a time.
awk 'BEGIN { srand(7); print "x"; for (r = 0; r < 2100; r++) printf "%.6f\n", 2 * rand() - 1 }' >x.csv
expect 0 "$HEBATCH" encrypt --key one/secret.h5 x.csv x.heb --range=-1..1
set -- eval --keys one --noise expected "u = x; $(printf 'u = 0.5*u*u + 0.25*x;%.0s' $(seq 14))y = u*u" x=x.heb
expect 0 "$HEBATCH" "$@" y=y1.heb
grep -q "bootstraps  *give .* levels again: 1 for every two of [0-9]* row blocks" err || fail "row blocks are not paired"
grep -q "3 of 2 row blocks" err || fail "steps do not hold whole pairs"
expect 0 "$HEBATCH" "$@" y=y.heb --batch 2 --queues 2
expect 0 "$HEBATCH" verify y.heb --same-as y1.heb
ranks 3 0 "$HEBATCH" "$@" y=y.heb --batch 4 --force
expect 0 "$HEBATCH" verify y.heb --same-as y1.heb
ranks 2 0 "$HEBATCH" "$@" y=y.heb --limb-ranks 2 --force
expect 0 "$HEBATCH" verify y.heb --same-as y1.heb
rm -r y.heb y1.heb

# All or none, whichever rank fails.
mkdir hindered
mkfifo hindered/galois-25-29.h5.partial
# shellcheck disable=SC2086
ranks 3 73 "$HEBATCH" keygen $bootstrap --bootstrap --out hindered
rm hindered/galois-25-29.h5.partial
[ -z "$(ls -A hindered)" ] || fail "something was left in hindered/: $(ls -A hindered)"

# Ranks that see another pair under the same name do not make keys of both.
mkdir here there
cp -p three/secret.h5 three/public.h5 here
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $bootstrap --out there
differ 65 "the secret key is not what rank 0 has" here "" there "" \
    keygen --key secret.h5 --relin --rotations 1
absent here/relin-20.h5 there/galois-5-20.h5

# A program loads what it needs at its levels, from keys for higher ones: of relin-28.h5 a part.
"$PYTHON" -c 'print("a,b")
for i in range(512): print(f"{i / 512 - 1},{1 - i / 1024}")' >t.csv
"$PYTHON" -c 'print("y")
for i in range(512): print((i / 512 - 1) * (1 - i / 1024) + (i + 1) % 512 / 512 - 1)' >y.csv
expect 0 "$HEBATCH" encrypt --key one/public.h5 t.csv t.heb
expect 0 "$HEBATCH" eval --keys one --json 'y = t.a * t.b + rotate(t.a, 1)' t=t.heb y=y.heb
says '"key_bytes": 2752512' # two keys of 3 digits of 20 + 8 primes, two components each
expect 0 "$HEBATCH" verify y.heb --key one/secret.h5 --against y.csv --tolerance 1e-6

# Keys of the sparse secret from two runs with roots of their own fit each other: values come back bootstrapped.
rm one/from-sparse.h5
ranks 2 0 "$HEBATCH" keygen --key one/secret.h5 --bootstrap
cmp -s one/from-sparse.h5 three/from-sparse.h5 && fail "a key was drawn from a test seed that was not given"
"$PYTHON" -c 'print("y")
for i in range(512): print((i / 512 - 1) * (1 - i / 1024) ** 24)' >y.csv
product=$("$PYTHON" -c 'print("; ".join(["y0 = t.a"] + [f"y{i + 1} = y{i} * t.b" for i in range(24)]))')
expect 0 "$HEBATCH" eval --keys one "$product" t=t.heb y24=y24.heb
grep -q "keys  *40 of one" err || fail "nothing was bootstrapped"
expect 0 "$HEBATCH" verify y24.heb --key one/secret.h5 --against y.csv --tolerance 1e-5
rm one/galois-25-29.h5
expect 66 "$HEBATCH" eval --keys one "$product" t=t.heb y24=y25.heb
grep -q "one has no key for bootstrapping; make it: hebatch keygen --key one/secret.h5 --bootstrap" err ||
    fail "nothing says how a missing key is made"
