#!/bin/sh
# Datasets that come under the key of another person, or of several owners: sanitized on the way; and what is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
SEED=0000000000000000000000000000000000000000000000000000000000000001
CHAIN="--n 1024 --bits 50,50,50,51 --plain 12289 --insecure"

# id FILE [LINE]: the key id of a file.
id() {
    "$HEBATCH" info "$1" 2>/dev/null | sed -n "s/^${2:-key id} *\([0-9a-f]*\).*/\1/p"
}
# field FILE EXPRESSION: of the report that is in it, as r.
field() {
    "$PYTHON" -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}
printf 'a,b\n' >t.csv
for row in $(seq 1500); do
    echo "$((row * 37 % 1000)),$((row % 50 - 25))"
done >>t.csv

# --- the key

# shellcheck disable=SC2086
for name in mine theirs others; do
    expect 0 "$HEBATCH" keygen $CHAIN --relin --rotations sum --out $name --quiet
done
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,51 --plain 12289 --insecure --out shorter --quiet
expect 0 "$HEBATCH" keygen --rekey mine/secret.h5 --to theirs/public.h5 --out moves
key=$(cat out)
complains 'only the server that moves the data gets it'
complains 'hebatch rekey takes --key theirs/public.h5, and sanitizes the data'
[ "$(stat -c %a moves)" = 700 ] && [ "$(stat -c %a "$key")" = 600 ] || fail "a rekeying key is open to others"
[ "$(id "$key")" = "$(id theirs/public.h5)" ] && [ "$(id "$key" 'from key id')" = "$(id mine/public.h5)" ] ||
    fail "from or to another pair"
expect 0 "$HEBATCH" info "$key"
says 'of another person'
refuse 78 'other parameters' "$HEBATCH" keygen --rekey mine/secret.h5 --to shorter/public.h5 --out moves
refuse 64 'one pair' "$HEBATCH" keygen --rekey mine/secret.h5 --to mine/public.h5 --out moves
# Keys are drawn anew, by a test from its seed.
for out in a b; do
    expect 0 "$HEBATCH" keygen --rekey mine/secret.h5 --to theirs/public.h5 --out $out --insecure-test-seed $SEED
done
same a/rekey-*.h5 b/rekey-*.h5
! cmp -s "$key" a/rekey-*.h5 || fail "a key of a test's seed"

# --- data

# moved DATASET TABLE: under their key it decrypts to the table, byte by byte, says nothing else, and no longer opens with
# mine.
moved() {
    expect 0 "$HEBATCH" rekey "$1.heb" "$1-theirs.heb" --keys moves --key theirs/public.h5
    complains '^hebatch: sanitized *within 2^-4[0-9.]* of any other computation'
    says "under key $(id theirs/public.h5), sanitized, sum"
    absent "$1-theirs.heb.partial" "$1-theirs.heb.partial.key"
    expect 0 "$HEBATCH" verify "$1-theirs.heb" --quiet
    expect 0 "$HEBATCH" decrypt --key theirs/secret.h5 "$1-theirs.heb" "$1-theirs.csv"
    ! grep -q WARNING err || fail "$1: $(cat err)"
    same "$1-theirs.csv" "$2"
    refuse 65 'was encrypted with key' "$HEBATCH" decrypt --key mine/secret.h5 "$1-theirs.heb" no.csv
    sum=$("$HEBATCH" info "$1.heb" 2>/dev/null | sed -n 's/^sum *//p')
    expect 0 "$HEBATCH" info "$1-theirs.heb"
    says "^sanitized *within 2^-4"
    says "^noise budget [12] bits proven, [12] expected, at 1 of 3 limbs"
    says "^history *rekey, of key $(id mine/public.h5), sum $sum"
}
for name in public secret; do
    expect 0 "$HEBATCH" encrypt --key mine/$name.h5 t.csv $name.heb --range a=0..999,b=-25..25 --quiet
    moved $name t.csv
done
refuse 65 'these parameters would do for inputs as encrypt makes them' "$HEBATCH" eval --keys theirs 'y = x.a * x.b' \
    x=public-theirs.heb y=no.heb --wrap
expect 0 "$HEBATCH" encrypt --key mine/secret.h5 t.csv rows.heb --range a=0..999,b=-25..25 --pack rows --quiet
moved rows t.csv
expect 0 "$HEBATCH" encrypt --key mine/public.h5 t.csv coefficients.heb --encoding coefficients --range a=0..999,b=-25..25 --quiet
moved coefficients t.csv
# A result, packed totals of which some coefficients are stored, missing cells, no rows, rows that were appended.
for one in 'y = x.a * x.b' 'g = (sum(x.a), sum(x.b))'; do
    name=${one%% *}
    expect 0 "$HEBATCH" eval --keys mine "$one" x=public.heb "$name=$name.heb" --wrap --compact off --quiet
    expect 0 "$HEBATCH" decrypt --key mine/secret.h5 "$name.heb" "$name.csv" --quiet
    moved "$name" "$name.csv"
done
printf 'v,w\n5,1\n,2\n7,\n' >gaps.csv
expect 0 "$HEBATCH" encrypt --key mine/secret.h5 gaps.csv gaps.heb --missing mask --range v=5..9,w=0..3 --quiet
expect 0 "$HEBATCH" decrypt --key mine/secret.h5 gaps.heb gaps-back.csv --quiet
moved gaps gaps-back.csv
head -n 1 t.csv >empty.csv
expect 0 "$HEBATCH" encrypt --key mine/public.h5 empty.csv empty.heb --quiet
expect 0 "$HEBATCH" rekey empty.heb empty-theirs.heb --keys moves --key theirs/public.h5 --quiet
expect 0 "$HEBATCH" decrypt --key theirs/secret.h5 empty-theirs.heb empty-theirs.csv --quiet
same empty-theirs.csv empty.csv
cp -r public.heb grown.heb
expect 0 "$HEBATCH" encrypt --append --key mine/public.h5 t.csv grown.heb --range a=0..999,b=-25..25 --quiet
(cat t.csv && tail -n +2 t.csv) >twice.csv
moved grown twice.csv
# Under a key of mine first: two steps.
expect 0 "$HEBATCH" keygen --rekey others/secret.h5 --key mine/secret.h5 --out way --quiet
expect 0 "$HEBATCH" encrypt --key others/public.h5 t.csv far.heb --range a=0..999,b=-25..25 --quiet
expect 0 "$HEBATCH" rekey far.heb near.heb --keys way --quiet
expect 0 "$HEBATCH" rekey near.heb far-theirs.heb --keys moves --key theirs/public.h5 --quiet
expect 0 "$HEBATCH" verify far-theirs.heb --key theirs/secret.h5 --against t.csv --quiet
[ "$("$HEBATCH" info far-theirs.heb | grep -c '^history')" = 2 ] || fail "two steps"

# --- plans, reports, draws

expect 0 "$HEBATCH" rekey public.heb plan.heb --keys moves --key theirs/public.h5 --bits 20 --dry-run
says '^key .*, to the pair of another person'
says '^sanitized *within 2^-2[0-9.]* of'
says '^noise budget [0-9]* bits before, 2 behind; 3 limbs before, 1 behind'
absent plan.heb plan.heb.partial plan.heb.partial.key plan.heb.report.json
[ "$(field public-theirs.heb.report.json 'r["another"], r["sanitized"] >= 40, r["limbs_before"], r["limbs_after"]')" = \
    "(True, True, 3, 1)" ] || fail "the report does not say how"
for n in 1 2; do
    expect 0 "$HEBATCH" rekey public.heb seed$n.heb --keys moves --key theirs/public.h5 --insecure-test-seed $SEED
    complains 'INSECURE TEST SEED'
    expect 0 "$HEBATCH" rekey public.heb drawn$n.heb --keys moves --key theirs/public.h5 --quiet
done
expect 0 "$HEBATCH" verify seed1.heb --same-as seed2.heb
expect 1 "$HEBATCH" verify drawn1.heb --same-as drawn2.heb --quiet
# shellcheck disable=SC2094
expect 0 "$HEBATCH" rekey public.heb piped.heb --keys moves --key - --quiet <theirs/public.h5
expect 0 "$HEBATCH" verify piped.heb --key theirs/secret.h5 --against t.csv --quiet

# --- several plain moduli: one root for all residues

for pair in wide-mine wide-theirs; do
    expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,51 --plain-bits 16 --insecure --wide 30 --out $pair --quiet
done
expect 0 "$HEBATCH" keygen --rekey wide-mine/secret.h5 --to wide-theirs/public.h5 --out wide-moves --quiet
expect 0 "$HEBATCH" encrypt --key wide-mine/public.h5 t.csv wide.heb --range a=0..999,b=-25..25 --quiet
expect 0 "$HEBATCH" rekey wide.heb wide-moved.heb --keys wide-moves --key wide-theirs/public.h5 --quiet
expect 0 "$HEBATCH" verify wide-moved.heb --key wide-theirs/secret.h5 --against t.csv --quiet
absent wide-moved.heb.partial wide-moved.heb.partial.key

# --- keys of several owners: room for parts is left

long="--n 1024 --bits 50,50,50,50,51 --plain-bits 21 --insecure"
# shellcheck disable=SC2086
joint_keys ours 'y = a.a + a.b' $long
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $long --out long --quiet
expect 0 "$HEBATCH" keygen --rekey long/secret.h5 --to ours/public.h5 --out to-ours --quiet
expect 0 "$HEBATCH" encrypt --key long/public.h5 t.csv long.heb --range a=0..999,b=-25..25 --quiet
expect 0 "$HEBATCH" rekey long.heb joint.heb --keys to-ours --key ours/public.h5 --quiet
expect 0 "$HEBATCH" info joint.heb
says '^sanitized'
says '^noise budget [5-6][0-9] bits proven'
says 'owners'
combined joint
same joint.csv t.csv

# --- what is refused

# deny CODE WORDS ARGUMENTS...: and nothing is left.
deny() {
    code_of_denial=$1 words_of_denial=$2
    shift 2
    refuse "$code_of_denial" "$words_of_denial" "$HEBATCH" rekey "$@"
    absent no.heb no.heb.partial no.heb.partial.key
}
deny 64 '--key is missing: .* leads to the key of another person' public.heb no.heb --keys moves
deny 64 'theirs/secret.h5 is a secret key' public.heb no.heb --keys moves --key theirs/secret.h5
deny 65 "others/public.h5 is key $(id others/public.h5), but .* leads to key $(id theirs/public.h5)" public.heb no.heb \
    --keys moves --key others/public.h5
deny 66 'No such file' public.heb no.heb --keys moves --key nowhere.h5
deny 65 'theirs/relin.h5' public.heb no.heb --keys moves --key theirs/relin.h5
for bits in 0 19 61; do
    deny 64 "--bits $bits: 20 to 60" public.heb no.heb --keys moves --key theirs/public.h5 --bits $bits
done
deny 64 'needs noise of more than 62 bits' public.heb no.heb --keys moves --key theirs/public.h5 --bits 60
expect 0 "$HEBATCH" eval --keys mine 'y = x.a * x.b' x=public.heb y=compact.heb --wrap --quiet
deny 65 'compact.heb: sanitizing needs [5-9][0-9] bits of budget, [0-9]* are left; eval made it compact: with eval --compact off' \
    compact.heb no.heb --keys moves --key theirs/public.h5
expect 0 "$HEBATCH" eval --keys mine 'y = x.a * x.b * x.a * x.b' x=public.heb y=deep.heb --wrap --compact off --quiet
deny 65 'deep.heb: sanitizing needs [5-9][0-9] bits of budget, [0-9]* are left$' deep.heb no.heb --keys moves \
    --key theirs/public.h5
deny 65 'was encrypted with key' public-theirs.heb no.heb --keys "$key" --key theirs/public.h5
for pair in reals-mine reals-theirs; do
    expect 0 "$HEBATCH" keygen --n 2048 --levels 1 --scale-bits 34 --insecure --out $pair --quiet
done
expect 0 "$HEBATCH" keygen --rekey reals-mine/secret.h5 --to reals-theirs/public.h5 --out reals-moves --quiet
expect 0 "$HEBATCH" encrypt --key reals-mine/public.h5 t.csv reals.heb --quiet
deny 65 'reals.heb has reals: .*old secret key' reals.heb no.heb --keys reals-moves --key reals-theirs/public.h5
cp -r public.heb hurt.heb
flip hurt.heb/part-00000.h5 -2000
expect 65 "$HEBATCH" rekey hurt.heb no.heb --keys moves --key theirs/public.h5 --quiet
complains 'hurt.heb/part-00000.h5: .*checksum'
absent no.heb no.heb.partial no.heb.partial.key
