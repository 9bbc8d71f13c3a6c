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
# limited RANKS K COMMAND..: on ranks that may have $most KiB of addresses each, beside those that the program, or it and
# MPI, have before they plan: MiB, which differ among builds.
most=600000 alone=0 together=0
limited() {
    launcher="$MPIRUN -n $1" beside=$together
    [ "$1" -gt 1 ] || launcher='' beside=$alone
    members=$2
    shift 2
    # shellcheck disable=SC2086,SC3045
    (ulimit -v $((most + beside * 1024)) && exec $launcher "$HEBATCH" "$@" --limb-ranks "$members")
}
double() {
    limited "$1" "$2" eval 'y = x + x' x=wide.heb y=y.heb -n
}
# left RANKS: MiB of the 585 that a rank has left.
left() {
    double "$1" 1 2>&1 | sed -n 's/.* a rank of this host has \([0-9]*\) MiB.*/\1/p' | head -n 1
}
alone=$((585 - $(left 1))) together=$((585 - $(left 2)))
refuse 71 "needs 7[0-9][0-9] MiB of memory a rank, .* has 5[0-9][0-9] MiB: take a host with more, or divide limbs over 2 ranks \
with --limb-ranks 2, of which each needs 4[0-9][0-9] MiB, on hosts of their own, or compute with fewer columns" double 1 1
needed=$(sed -n 's/.*of which each needs \([0-9]*\) MiB.*/\1/p' err)
expect 71 double 2 1
grep -q ": start fewer ranks on a host, or divide limbs over 2 ranks with --limb-ranks 2, of which each needs $needed MiB" \
    err || fail "two ranks are not told to share limbs"
expect 0 double 2 2
says "^memory  *$needed MiB of buffers a rank"

# Commands that compute nothing: many units at a time take the memory.
expect 0 "$HEBATCH" keygen --params bfv-32768 --out large
columns() {
    "$PYTHON" -c 'import sys; n = int(sys.argv[1])
print(*(f"c{i}" for i in range(n)), sep=",")
print(*(i % 9 for i in range(n)), sep=",")' "$1"
}
columns 100 >many.csv
columns 40 >some.csv
several="--queues 8 --io-threads 8"
most=600000
ways="take a host with more or use fewer --queues and --io-threads, or divide limbs over [2-9] ranks with --limb-ranks"
# shellcheck disable=SC2086
refuse 71 "needs [0-9.]* [MG]iB of memory a rank, and a rank of this host has [0-9]* MiB: $ways [2-9], of which each needs " \
    limited 1 1 encrypt --key large/public.h5 many.csv many.heb $several
most=650000
# shellcheck disable=SC2086
expect 0 limited 2 2 encrypt --key large/public.h5 many.csv many.heb $several -n
[ ! -e many.heb ] && [ ! -e many.heb.partial ] || fail "a job without memory has begun"
expect 0 "$HEBATCH" encrypt --key large/public.h5 some.csv some.heb
most=400000
for command in "decrypt --key large/secret.h5 some.heb some.out.csv" \
    "verify some.heb --key large/secret.h5 --against some.csv"; do
    # shellcheck disable=SC2086
    refuse 71 "needs [0-9]* MiB of memory a rank, and a rank of this host has [0-9]* MiB: $ways" limited 1 1 $command $several
done
rm -rf some.heb

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
