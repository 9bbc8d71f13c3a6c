#!/bin/sh
# limb_memory.sh: what a rank holds where limbs are divided, as plans tell it: a job that ranks of a host have no memory
# for is refused, with the number of ranks that could share limbs, and is planned where they do; two members need half of
# the keys, diagonals and workspace of bootstrapping, four a quarter. Not under sanitizers, which take more memory.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
export HEBATCH_DEVICE=cpu

expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,51 --plain 65537 --insecure --out keys
"$PYTHON" -c 'print(*(f"c{i}" for i in range(6000)), sep=",")
print(*(i % 9 for i in range(6000)), sep=",")' >wide.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --range 0..60 wide.csv wide.heb
# limited RANKS K OPTION..: plans on ranks that may have 586 MiB of memory each.
limited() {
    launcher="$MPIRUN -n $1"
    [ "$1" -gt 1 ] || launcher=
    members=$2
    shift 2
    # shellcheck disable=SC2086,SC3045
    (ulimit -v 600000 && exec $launcher "$HEBATCH" eval 'y = x + x' x=wide.heb y=y.heb --limb-ranks "$members" -n "$@")
}
refuse 71 "needs 7[0-9][0-9] MiB of memory a rank, .* has 586 MiB: take a host with more, or divide limbs over 2 ranks \
with --limb-ranks 2, of which each needs 4[0-9][0-9] MiB, on hosts of their own, or compute with fewer columns" limited 1 1
needed=$(sed -n 's/.*of which each needs \([0-9]*\) MiB.*/\1/p' err)
expect 71 limited 2 1
grep -q ": start fewer ranks on a host, or divide limbs over 2 ranks with --limb-ranks 2, of which each needs $needed MiB" \
    err || fail "two ranks are not told to share limbs"
expect 0 limited 2 2
says "^memory  *$needed MiB of buffers a rank"

# Bootstrapping: the plan, and the words of results.
text="y = x; repeat 20 { y = 1.5*y - 0.5*y^3 }"
"$PYTHON" -c 'print("x", *((-1) ** i * (20 + i % 70) / 100 for i in range(1100)), sep="\n")' >x.csv
expect 0 "$HEBATCH" keygen --params boot-test --insecure --out boot --for "$text"
expect 0 "$HEBATCH" encrypt --key boot/public.h5 --range -1..1 x.csv x.heb
for members in 1 2 4 5; do
    launch 0 $members $members eval --keys boot "$text" x=x.heb y=y.$members.heb --noise expected
    expect 0 "$HEBATCH" verify "y.$members.heb" --same-as y.1.heb
done
"$PYTHON" - <<'PYTHON' || fail "members do not hold their part"
import json
plans = {k: json.load(open(f"y.{k}.heb.report.json"))["plan"] for k in (1, 2, 4, 5)}
whole = plans[1]
for k, plan in plans.items():
    print(k, {name: plan[name] for name in ("key_bytes", "rank_host_bytes", "key_read_bytes", "checkpoint_bytes")})
    share = -(-34 // k) / 34 + 1 / 34  # of 33 primes of ciphertexts and 6 special ones; more where these come out odd
    for name in ("key_bytes", "key_read_bytes"):
        assert plan[name] <= whole[name] * share * 1.05, (k, name)
    # The exchange has 8 MiB of its own here, engines have tables of all primes, and reals stand on all members.
    assert plan["rank_host_bytes"] <= whole["rank_host_bytes"] * share * 1.05 + (14 << 20), k
    assert plan["checkpoint_bytes"] <= whole["checkpoint_bytes"] * share * 1.05 + (16 << 10), k  # rows of one limb
PYTHON
