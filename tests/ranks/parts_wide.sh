#!/bin/sh
# Parts of datasets of several plain moduli on ranks: the bytes of one rank on any number of them, also where they share
# limbs; killed in any residue, and resumed; what they add up to, as a table and for the owner of a key.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"

wide="--n 1024 --bits 55,55,55,55,56 --plain-bits 30 --wide 50 --insecure" # two plain moduli
# shellcheck disable=SC2086
joint_keys keys 'y = a.x * a.y' $wide
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $wide --out one --quiet
"$PYTHON" -c 'import random
random.seed(4)
print("x,y")
for row in range(12000):
    print("%d,%d" % (random.randint(-10**8, 10**8), random.randint(0, 10**6)))' >in.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 in.csv in.heb --range x=-100000000..100000000,y=0..1000000 --quiet
sum=$(sum_of in.heb)
cp -r alice alice.fresh
cp -r bob bob.fresh
alice="decrypt --part --key alice/party.h5 --session joint --sum $sum in.heb"
sum_of_part() {
    field "$1.report.json" 'r["sum"]'
}

# made NAME OPTIONS: both owners' parts, one rank each, by ledgers that know of no others.
made() {
    to=$1
    shift
    for owner in alice bob; do
        rm -r $owner
        cp -r $owner.fresh $owner
        expect 0 "$HEBATCH" decrypt --part --key $owner/party.h5 --session joint --sum "$sum" in.heb "$to-$owner.part" --quiet "$@"
    done
}

made clear
expect 0 "$HEBATCH" combine in.heb clear-alice.part clear-bob.part one.csv --quiet
same in.csv one.csv
for layout in "2 1" "3 1" "2 2" "4 2"; do
    rm -rf many.part
    # shellcheck disable=SC2086
    launch 0 $layout $alice many.part --queues 2
    [ "$(sum_of_part many.part)" = "$(sum_of_part clear-alice.part)" ] || fail "another part by $layout ranks"
    # shellcheck disable=SC2086
    launch 0 $layout combine in.heb many.part clear-bob.part many.csv --queues 2 --force
    same in.csv many.csv
    absent many.part.partial many.csv.residue-0.h5.partial
    case $layout in
    "2 2") # one group writes what one rank writes
        for file in clear-alice.part/*; do
            same "$file" "many.part/${file##*/}"
        done
        ;;
    esac
done
[ "$(stat -c %s alice/joint-*.parts)" = $((64 + 64 * 48)) ] || fail "the ledger counts other ciphertexts"

# Killed and resumed: in the first residue, and in the second, whose units are counted behind those of the first.
strike KILL 2 137 killed.part 2 1 $alice killed.part --resume
expect 0 "$HEBATCH" status killed.part
says "command *decrypt --part"
cp -r killed.part.partial first.partial
launch 0 3 3 $alice killed.part --resume
[ "$(sum_of_part killed.part)" = "$(sum_of_part clear-alice.part)" ] || fail "a part that was killed is another one"
rm -r killed.part
strike KILL 14 137 killed.part 2 1 $alice killed.part
[ -e killed.part.partial/index.h5 ] || fail "it was not killed in the second residue"
absent killed.part.partial/index-1.h5
launch 0 3 1 $alice killed.part --resume
[ "$(sum_of_part killed.part)" = "$(sum_of_part clear-alice.part)" ] || fail "a part that was killed is another one"
[ "$(field killed.part.report.json 'r["units"]["there"]')" -ge 24 ] || fail "what was there is not told"
expect 0 "$HEBATCH" combine in.heb killed.part clear-bob.part killed.csv --quiet
same in.csv killed.csv
# What was begun is another request's.
mv first.partial other.part.partial
rm -r alice
cp -r alice.fresh alice
expect 65 "$HEBATCH" $alice other.part --resume --rows 1..5 --quiet
complains "has changed"

# For the owner of a key.
made to-one --to one/public.h5
expect 0 "$HEBATCH" combine in.heb to-one-alice.part to-one-bob.part for-one.heb --quiet
for layout in "2 1" "3 1" "2 2"; do
    rm -rf many.part many.heb
    # shellcheck disable=SC2086
    launch 0 $layout $alice many.part --to one/public.h5
    [ "$(sum_of_part many.part)" = "$(sum_of_part to-one-alice.part)" ] || fail "another part by $layout ranks"
    # shellcheck disable=SC2086
    launch 0 $layout combine in.heb many.part to-one-bob.part many.heb
    expect 0 "$HEBATCH" verify many.heb --same-as for-one.heb
done
strike KILL 14 137 killed.heb 2 1 combine in.heb to-one-alice.part to-one-bob.part killed.heb
[ -e killed.heb.partial/index.h5 ] || fail "it was not killed in the second residue"
launch 0 3 3 combine in.heb to-one-alice.part to-one-bob.part killed.heb --resume
expect 0 "$HEBATCH" verify killed.heb --same-as for-one.heb
expect 0 "$HEBATCH" verify for-one.heb --key one/secret.h5 --against in.csv
