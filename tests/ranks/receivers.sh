#!/bin/sh
# Parts for the owner of a key, and what they add up to, on ranks: the bytes of one rank on any number of them, also where
# they share limbs; kill -9 and --resume; what is continued with is what was begun with. Given by ctest besides: JOINT_KEYS
# (joint_keys.c).
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"

"$PYTHON" -c 'import random
random.seed(4)
print("age,change")
for row in range(20000):
    print("%d,%d" % (random.randint(0, 120), random.randint(-50, 50)))' >in.csv
expect 0 "$JOINT_KEYS" w 4000 alice bob
expect 0 "$JOINT_KEYS" r 4000:2 dora emil finn
for name in one two; do
    expect 0 "$HEBATCH" keygen --n 1024 --bits 55,55,55,55,56 --plain 65537 --insecure --out $name
done
expect 0 "$HEBATCH" encrypt --key w/keys/public.h5 in.csv in.heb --range age=0..120,change=-50..50
sum=$(sum_of in.heb)
mkdir fresh
cp -r w/alice w/bob fresh
# A part's sum covers all its bytes but the signature, which follows from the sum.
sum_of_part() {
    field "$1.report.json" 'r["sum"]'
}

# made TO NAME: both owners' parts for a key, one rank each, by ledgers that know of no others, and their sum.
made() {
    rm -r w/alice w/bob
    cp -r fresh/alice fresh/bob w
    for owner in alice bob; do
        expect 0 "$HEBATCH" decrypt --part --key w/$owner/party.h5 --session w/joint --sum "$sum" in.heb "$2-$owner.part" \
            --to "$1" --quiet
    done
    expect 0 "$HEBATCH" combine in.heb "$2-alice.part" "$2-bob.part" "$2.heb" --quiet
}

made one/public.h5 one-1
for layout in "2 1" "3 1" "2 2" "3 3" "4 2"; do
    rm -rf many.part many.heb
    # shellcheck disable=SC2086
    launch 0 $layout decrypt --part --key w/alice/party.h5 --session w/joint --sum "$sum" --to one/public.h5 in.heb \
        many.part --queues 2
    [ "$(sum_of_part many.part)" = "$(sum_of_part one-1-alice.part)" ] || fail "another part by $layout ranks"
    # shellcheck disable=SC2086
    launch 0 $layout combine in.heb many.part one-1-bob.part many.heb --queues 2
    expect 0 "$HEBATCH" verify many.heb --same-as one-1.heb
    absent many.heb.partial many.part.partial
    case $layout in
    "2 2" | "3 3") # one group writes what one rank writes
        same many.heb/part-00000.h5 one-1.heb/part-00000.h5
        same many.part/part-00000.h5 one-1-alice.part/part-00000.h5
        ;;
    esac
done
expect 0 "$HEBATCH" verify one-1.heb --key one/secret.h5 --against in.csv
launch 0 3 3 decrypt --key one/secret.h5 many.heb many.csv
same many.csv in.csv

# Packed totals, of which some coefficients are stored, in reverse; and other owners, two of three of whom decrypt.
expect 0 "$HEBATCH" eval --keys w/keys 't = sum(x); s = sum(x.age * x.age)' x=in.heb t=t.heb s=s.heb --wrap
for name in t s; do
    case $name in
    t) to=one/public.h5 ;;
    *) to=r/keys/public.h5 ;;
    esac
    for owner in alice bob; do
        expect 0 "$HEBATCH" decrypt --part --key w/$owner/party.h5 --session w/joint --sum "$(sum_of $name.heb)" \
            $name.heb $name-$owner.part --to $to
    done
    expect 0 "$HEBATCH" combine $name.heb "$name-*.part" $name-1.heb
    for layout in "2 1" "2 2" "3 3"; do
        rm -rf many.part many.heb
        # shellcheck disable=SC2086
        launch 0 $layout decrypt --part --key w/alice/party.h5 --session w/joint --sum "$(sum_of $name.heb)" \
            --to $to $name.heb many.part
        [ "$(sum_of_part many.part)" = "$(sum_of_part $name-alice.part)" ] || fail "another part of $name by $layout ranks"
        # shellcheck disable=SC2086
        launch 0 $layout combine $name.heb many.part $name-bob.part many.heb
        expect 0 "$HEBATCH" verify many.heb --same-as $name-1.heb
    done
done

expect 0 "$HEBATCH" decrypt --key one/secret.h5 t-1.heb t.csv
awk -F, 'NR > 1 { a += $1; c += $2 } NR == 1 { print } END { print a "," c }' in.csv >totals.csv
"$PYTHON" -c 'import csv
a, b = ([int(x) for x in list(csv.reader(open(name)))[1]] for name in ("t.csv", "totals.csv"))
assert all((x - y) % 65537 == 0 for x, y in zip(a, b)) and len(a) == 2, (a, b)' || fail "totals for somebody else"

# Units that were stored before a kill stay, on other ranks as well.
parts="one-1-alice.part one-1-bob.part"
# shellcheck disable=SC2086
strike KILL 2 137 killed.heb 2 1 combine in.heb $parts killed.heb --resume
# shellcheck disable=SC2086
refuse 73 "resume continues it" "$HEBATCH" combine in.heb $parts killed.heb
cp -r w wide
made two/public.h5 two-1
refuse 65 "a part, or the dataset of which they are parts has changed" "$HEBATCH" combine in.heb two-1-alice.part \
    two-1-bob.part killed.heb --resume
expect 0 "$HEBATCH" status killed.heb
says "command *combine"
launch 0 3 3 combine in.heb one-1-bob.part one-1-alice.part killed.heb --resume
"$PYTHON" "$shards" same killed.heb finished 4 || fail "units that were finished have changed"
[ "$(field killed.heb.report.json 'r["units"]["there"]')" = 4 ] || fail "what was there is not told"
expect 0 "$HEBATCH" verify killed.heb --same-as one-1.heb
# shellcheck disable=SC2086
strike TERM 2 75 stopped.heb 2 2 combine in.heb $parts stopped.heb
# shellcheck disable=SC2086
expect 0 "$HEBATCH" combine in.heb $parts stopped.heb --resume
expect 0 "$HEBATCH" verify stopped.heb --same-as one-1.heb
# The same of a part, whose receiver stays the one that it was begun for, whatever the ledger knows.
rm -r w
mv wide w
alice="decrypt --part --key w/alice/party.h5 --session w/joint --sum $sum in.heb"
# shellcheck disable=SC2086
strike KILL 2 137 killed.part 2 1 $alice killed.part --to one/public.h5 --resume
expect 0 "$HEBATCH" status killed.part
says "command *decrypt --part"
cp -r w/alice mine
rm -r w/alice
cp -r fresh/alice w
# shellcheck disable=SC2086
expect 65 "$HEBATCH" $alice killed.part --to two/public.h5 --resume --quiet
complains "has changed"
rm -r w/alice
mv mine w/alice
# shellcheck disable=SC2086
launch 0 3 3 $alice killed.part --to one/public.h5 --resume
[ "$(sum_of_part killed.part)" = "$(sum_of_part one-1-alice.part)" ] || fail "a part that was killed is another one"

# Ranks that see other parts, or other receivers, end together.
mkdir a b
for folder in a b; do
    cp -r in.heb w $folder
done
cp -r one-1-alice.part a/alice.part
cp -r two-1-alice.part b/alice.part
cp -r one-1-bob.part a/bob.part
cp -r two-1-bob.part b/bob.part
differ 65 "a part" a "" b "" combine in.heb alice.part bob.part out.heb
cp one/public.h5 a/to.h5
cp two/public.h5 b/to.h5
differ 65 "the receiver" a "" b "" decrypt --part --key w/alice/party.h5 --session w/joint --sum "$sum" in.heb out.part \
    --to to.h5
