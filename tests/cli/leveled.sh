#!/bin/sh
# A chain of integers with levels for bootstrapping: datasets have the users' primes alone, and every command that
# switches keys takes keys of several special primes, for that level.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

"$PYTHON" - <<'PYTHON'
import random
random.seed(3)
t = 786433
rows = [(random.randrange(20), random.randrange(20)) for _ in range(1500)]
with open("x.csv", "w") as file:
    file.write("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
with open("y.csv", "w") as file:
    file.write("y\n" + "".join(f"{a * b * a - 3 * b}\n" for a, b in rows))
with open("s.csv", "w") as file:
    file.write(f"s\n{sum(a * b for a, b in rows)}\n")
PYTHON

expect 0 "$HEBATCH" keygen --params int-test --insecure --out keys --relin --rotations sum --swap
for key in keys/relin-6.h5 keys/galois-3-6.h5; do # for 6 of the 23 primes of the data
    [ -f $key ] || fail "no $key"
done
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range 0..19
expect 0 "$HEBATCH" info x.heb
grep -q "at 6 of 6 limbs" out || fail "a fresh dataset has not the users' limbs"
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 x.csv seeded.heb --range 0..19

expect 0 "$HEBATCH" eval --keys keys 'y = x.a * x.b * x.a - 3 * x.b; s = sum(x.a * x.b)' x=x.heb y=y.heb s=s.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y1.csv
cmp y.csv y1.csv || fail "a * b * a - 3 * b"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 s.heb s1.csv
cmp s.csv s1.csv || fail "the sum of a * b"

# The same bytes where ranks share limbs; of 8 ranks two have no limb of users.
for ranks in 3 8; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n $ranks "$HEBATCH" eval --keys keys --limb-ranks $ranks \
        'y = x.a * x.b * x.a - 3 * x.b; s = sum(x.a * x.b)' x=x.heb y=y$ranks.heb s=s$ranks.heb
    expect 0 "$HEBATCH" verify y.heb --same-as y$ranks.heb
    expect 0 "$HEBATCH" verify s.heb --same-as s$ranks.heb
done

# Under another key, by both secrets; and sanitized.
expect 0 "$HEBATCH" keygen --params int-test --insecure --out other
expect 0 "$HEBATCH" keygen --key other/secret.h5 --rekey keys/secret.h5 --out rekey
expect 0 "$HEBATCH" rekey seeded.heb moved.heb --keys rekey
expect 0 "$HEBATCH" decrypt --key other/secret.h5 moved.heb moved.csv
cmp x.csv moved.csv || fail "values under another key"
expect 0 "$HEBATCH" sanitize moved.heb clean.heb --key other/public.h5
expect 0 "$HEBATCH" decrypt --key other/secret.h5 clean.heb clean.csv
cmp x.csv clean.csv || fail "sanitized values"

# SEAL has nothing of the kind.
for source in keys x.heb "x.csv --params int-test"; do
    # shellcheck disable=SC2086
    refuse 78 "SEAL has no such chains: levels of this one are for bootstrapping" "$HEBATCH" export $source seal
done
