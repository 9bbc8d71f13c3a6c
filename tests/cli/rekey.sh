#!/bin/sh
# Keys from one pair to another, and datasets that come under another key.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

# id FILE [LINE]: the key id of a file.
id() {
    "$HEBATCH" info "$1" 2>/dev/null | sed -n "s/^${2:-key id} *\([0-9a-f]*\).*/\1/p"
}

# --- keys

SEED=00000000000000000000000000000000000000000000000000000000000000
# shellcheck disable=SC2086
for name in old new third; do
    expect 0 "$HEBATCH" keygen $CHAIN --out $name
done
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 1024 --bits 30,30,32 --plain-bits 16 --insecure --out others
expect 0 "$HEBATCH" keygen --rekey old/secret.h5 --key new/secret.h5 --out moves
moves=$(cat out)
[ "$moves" = "moves/rekey-$(id old/public.h5 | cut -c 1-8)-$(id new/public.h5 | cut -c 1-8).h5" ] || fail "name: $moves"
complains 'deletes it afterwards'
[ "$(stat -c %a "$moves")" = 600 ] || fail "a rekeying key is open to others"
[ "$(id "$moves")" = "$(id new/public.h5)" ] || fail "not to the new pair"
[ "$(id "$moves" 'from key id')" = "$(id old/public.h5)" ] || fail "not from the old pair"
expect 0 "$HEBATCH" info moves
says 'rekeying key'
refuse 73 'never overwritten' "$HEBATCH" keygen --rekey old/secret.h5 --key new/secret.h5 --out moves
refuse 64 'one pair' "$HEBATCH" keygen --rekey old/secret.h5 --key old/secret.h5 --out moves
refuse 64 'give --key' "$HEBATCH" keygen --rekey old/secret.h5 --out moves
refuse 64 'give --key' "$HEBATCH" keygen --rekey old/secret.h5 --key new/secret.h5 --to new/public.h5 --out moves
refuse 64 '--out DIR' "$HEBATCH" keygen --rekey old/secret.h5 --key new/secret.h5
refuse 64 'nothing else' "$HEBATCH" keygen --rekey old/secret.h5 --key new/secret.h5 --out moves --relin
refuse 64 '--to names' "$HEBATCH" keygen --key new/secret.h5 --to new/public.h5
refuse 65 'with the old secret' "$HEBATCH" keygen --rekey old/public.h5 --key new/secret.h5 --out moves
refuse 65 'is a public key' "$HEBATCH" keygen --rekey old/secret.h5 --key new/public.h5 --out moves
refuse 65 'is a secret key' "$HEBATCH" keygen --rekey old/secret.h5 --to new/secret.h5 --out moves
refuse 78 'other parameters' "$HEBATCH" keygen --rekey old/secret.h5 --key others/secret.h5 --out moves
cp old/secret.h5 open.h5
chmod 640 open.h5
refuse 77 'chmod 600' "$HEBATCH" keygen --rekey open.h5 --key new/secret.h5 --out elsewhere
absent elsewhere
chmod 640 "$moves"
refuse 77 'chmod 600' "$HEBATCH" info "$moves"
chmod 600 "$moves"
expect 0 "$HEBATCH" keygen --rekey old/secret.h5 --to third/public.h5 --out theirs
expect 0 "$HEBATCH" info theirs/rekey-*.h5
says 'of another person'
expect 0 "$HEBATCH" keygen --rekey old/secret.h5 --key new/secret.h5 --out none --dry-run
absent none
# The same seed gives the same key; keys from other secrets share none of it.
for out in a b; do
    expect 0 "$HEBATCH" keygen --rekey old/secret.h5 --key new/secret.h5 --out $out --insecure-test-seed ${SEED}01
done
same a/rekey-*.h5 b/rekey-*.h5
# A secret key that a passphrase seals, on either side.
echo 'horse battery' >word
chmod 600 word
cp -r old sealed
expect 0 "$HEBATCH" passphrase sealed/secret.h5 --cost interactive --new-passphrase file:word
refuse 77 'passphrase' "$HEBATCH" keygen --rekey sealed/secret.h5 --key new/secret.h5 --out c --passphrase command:'echo x'
expect 0 "$HEBATCH" keygen --rekey sealed/secret.h5 --key new/secret.h5 --out c --passphrase file:word \
    --insecure-test-seed ${SEED}01
same a/rekey-*.h5 c/rekey-*.h5
expect 0 "$HEBATCH" keygen --rekey new/secret.h5 --key sealed/secret.h5 --out d --passphrase file:word
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" keygen --rekey old/secret.h5 --key new/secret.h5 --out e --insecure-test-seed ${SEED}01
same a/rekey-*.h5 e/rekey-*.h5

# --- datasets

# moved KEYS OLD-KEY NEW-KEY NAME TABLE: NAME.heb under the new key decrypts to the table, byte by byte, and no longer
# opens with the old one.
moved() {
    expect 0 "$HEBATCH" rekey "$4.heb" "$4-moved.heb" --keys "$1"
    expect 0 "$HEBATCH" verify "$4-moved.heb"
    expect 0 "$HEBATCH" decrypt --key "$3/secret.h5" "$4-moved.heb" "$4-moved.csv"
    ! grep -q WARNING err || fail "$4: $(cat err)"
    same "$4-moved.csv" "$5"
    refuse 65 'was encrypted with key' "$HEBATCH" decrypt --key "$2/secret.h5" "$4-moved.heb" no.csv
    [ "$(id "$4-moved.heb")" = "$(id "$3/public.h5")" ] || fail "$4: another key id"
    sum=$("$HEBATCH" info "$4.heb" 2>/dev/null | sed -n 's/^sum *//p')
    expect 0 "$HEBATCH" info "$4-moved.heb"
    says "history *rekey, of key $(id "$2/public.h5"), sum $sum"
}
printf 'a,b\n' >t.csv
for row in $(seq 1500); do
    echo "$((row * 37 % 1000)),$((row % 50 - 25))"
done >>t.csv
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,51 --plain 12289 --insecure --out narrow
for pair in one two; do
    expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,51 --plain 12289 --insecure --relin --rotations sum --out $pair
done
expect 0 "$HEBATCH" keygen --rekey one/secret.h5 --key two/secret.h5 --out one-two
expect 0 "$HEBATCH" keygen --rekey two/secret.h5 --key one/secret.h5 --out one-two # the way back beside it
for key in public secret; do
    expect 0 "$HEBATCH" encrypt --key one/$key.h5 t.csv $key.heb --range a=0..999,b=-25..25
    moved one-two one two $key t.csv
done
# Computing goes on under the new key, and there and back is the same table.
expect 0 "$HEBATCH" eval --keys two 'm = x.a * 3 + x.b * x.b' x=secret-moved.heb m=m.heb
expect 0 "$HEBATCH" decrypt --key two/secret.h5 m.heb m.csv
awk -F, 'NR > 1 {print $1 * 3 + $2 * $2}' t.csv >expected
tail -n +2 m.csv | same - expected
expect 0 "$HEBATCH" rekey secret-moved.heb back.heb --keys one-two
expect 0 "$HEBATCH" decrypt --key one/secret.h5 back.heb back.csv
same back.csv t.csv
[ "$("$HEBATCH" info back.heb | grep -c '^history')" = 2 ] || fail "two steps"
"$HEBATCH" info back.heb --json >json
grep -q '"history": \[' json || fail "no history in the report"
# The last 32 steps are kept.
mv back.heb even.heb
for _ in $(seq 16); do
    rm -rf odd.heb
    expect 0 "$HEBATCH" rekey even.heb odd.heb --keys one-two --quiet
    rm -rf even.heb
    expect 0 "$HEBATCH" rekey odd.heb even.heb --keys one-two --quiet
done
[ "$("$HEBATCH" info even.heb | grep -c '^history')" = 32 ] || fail "32 steps"
[ "$("$HEBATCH" info even.heb | sed -n 's/^history .*sum //p' | head -n 1)" = \
    "$("$HEBATCH" info odd.heb | sed -n 's/^sum *//p')" ] || fail "the last step comes first"
expect 0 "$HEBATCH" decrypt --key one/secret.h5 even.heb even.csv
same even.csv t.csv
# Results: computed ones, packed totals of which some coefficients are kept, cells that are missing with a fill.
expect 0 "$HEBATCH" eval --keys one 'y = x.a * x.b + 1' x=public.heb y=y.heb --wrap
expect 0 "$HEBATCH" decrypt --key one/secret.h5 y.heb y.csv
moved one-two one two y y.csv
expect 0 "$HEBATCH" eval --keys one 'g = (sum(x.a), sum(x.b))' x=public.heb g=g.heb --wrap
expect 0 "$HEBATCH" decrypt --key one/secret.h5 g.heb g.csv
moved one-two one two g g.csv
printf 'v,w\n5,1\n,2\n7,\n' >gaps.csv
expect 0 "$HEBATCH" encrypt --key one/secret.h5 gaps.csv gaps.heb --missing mask --range v=5..9,w=0..3
expect 0 "$HEBATCH" decrypt --key one/secret.h5 gaps.heb gaps-back.csv
moved one-two one two gaps gaps-back.csv
# A sum has summands and no history; rows are appended under the new key.
expect 0 "$HEBATCH" add public-moved.heb secret-moved.heb sum.heb
! "$HEBATCH" info sum.heb | grep -q '^history' || fail "a sum has a history"
expect 0 "$HEBATCH" encrypt --append --key two/public.h5 t.csv public-moved.heb --range a=0..999,b=-25..25
expect 0 "$HEBATCH" info public-moved.heb
says '3000 rows'
says '^history'
expect 0 "$HEBATCH" decrypt --key two/secret.h5 public-moved.heb grown.csv
(cat t.csv && tail -n +2 t.csv) >twice.csv
same grown.csv twice.csv
expect 0 "$HEBATCH" rekey public-moved.heb grown-back.heb --keys one-two
expect 0 "$HEBATCH" decrypt --key one/secret.h5 grown-back.heb grown-back.csv
same grown-back.csv twice.csv
# A table without rows.
head -n 1 t.csv >empty.csv
expect 0 "$HEBATCH" encrypt --key one/public.h5 empty.csv empty.heb
moved one-two one two empty empty.csv

# Several plain moduli: all residues.
for pair in wide-one wide-two; do
    expect 0 "$HEBATCH" keygen --n 1024 --bits 55,55,56 --plain-bits 30 --insecure --wide 60 --out $pair
done
expect 0 "$HEBATCH" keygen --rekey wide-one/secret.h5 --key wide-two/secret.h5 --out wide-moves
(echo v && for row in $(seq 1200); do echo "$((row * 1000000000000))"; done) >wide.csv
expect 0 "$HEBATCH" encrypt --key wide-one/public.h5 wide.csv wide.heb --range v=0..2000000000000000
moved wide-moves wide-one wide-two wide wide.csv

# Reals, also of a chain with bootstrapping, whose data is below the highest level, and in blocks.
for pair in reals-one reals-two; do
    expect 0 "$HEBATCH" keygen --n 2048 --levels 1 --scale-bits 34 --insecure --out $pair
done
expect 0 "$HEBATCH" keygen --rekey reals-one/secret.h5 --key reals-two/secret.h5 --out reals-moves
(echo x && for row in $(seq 1500); do echo "$((row % 90)).5"; done) >reals.csv
for key in public secret; do
    expect 0 "$HEBATCH" encrypt --key reals-one/$key.h5 reals.csv real-$key.heb
    expect 0 "$HEBATCH" rekey real-$key.heb real-$key-moved.heb --keys reals-moves
    complains 'precision .*at least'
    expect 0 "$HEBATCH" verify real-$key-moved.heb --key reals-two/secret.h5 --against reals.csv
    ! grep -q WARNING err || fail "$(cat err)"
done
for pair in boot-one boot-two; do
    expect 0 "$HEBATCH" keygen --params boot-test --insecure --out $pair
done
expect 0 "$HEBATCH" keygen --rekey boot-one/secret.h5 --key boot-two/secret.h5 --out boot-moves
expect 0 "$HEBATCH" info boot-moves/rekey-*.h5
says 'rekeying key, levels 0 to'
expect 0 "$HEBATCH" encrypt --key boot-one/public.h5 reals.csv boot.heb
expect 0 "$HEBATCH" rekey boot.heb boot-moved.heb --keys boot-moves
expect 0 "$HEBATCH" verify boot-moved.heb --key boot-two/secret.h5 --against reals.csv

# --- what is refused

# deny CODE WORDS ARGUMENTS...: and nothing is left.
deny() {
    code_of_denial=$1 words_of_denial=$2
    shift 2
    refuse "$code_of_denial" "$words_of_denial" "$HEBATCH" rekey "$@"
    absent no.heb no.heb.partial
}
deny 64 '--keys is missing' public.heb no.heb
deny 66 'has no rekeying key from' public.heb no.heb --keys moves
deny 66 'has no rekeying key from' public.heb no.heb --keys one
deny 66 'No such file' public.heb no.heb --keys nowhere
deny 65 'is from key' public.heb no.heb --keys "$moves"
deny 65 'is no rekeying key' public.heb no.heb --keys one/relin.h5
deny 65 'key of a pair' public.heb no.heb --keys one/secret.h5
deny 64 'is read' public.heb public.heb --keys one-two --force
deny 66 'none.heb' none.heb no.heb --keys one-two
key=$(echo one-two/rekey-"$(id one/public.h5 | cut -c 1-8)"-*.h5)
cp "$key" open.h5
chmod 644 open.h5
deny 77 'chmod 600' public.heb no.heb --keys open.h5
expect 0 "$HEBATCH" rekey public.heb named.heb --keys "$key"
expect 0 "$HEBATCH" keygen --rekey one/secret.h5 --key narrow/secret.h5 --out one-two
deny 64 'are both from the key' public.heb no.heb --keys one-two
refuse 73 'use --force' "$HEBATCH" rekey public.heb named.heb --keys "$key"
expect 0 "$HEBATCH" rekey public.heb named.heb --keys "$key" --force
expect 0 "$HEBATCH" rekey public.heb plan.heb --keys "$key" --dry-run
says 'noise budget .*at least'
absent plan.heb plan.heb.partial
# Nothing is sanitized for the same person. HEBATCH_KEY is the key of other commands.
deny 64 '--key: .* of the same person.*hebatch sanitize' public.heb no.heb --keys "$key" --key two/public.h5
deny 64 '--bits: .* of the same person' public.heb no.heb --keys "$key" --bits 40
deny 64 '--insecure-test-seed: .* of the same person' public.heb no.heb --keys "$key" --insecure-test-seed ${SEED}01
expect 0 env HEBATCH_KEY=two/secret.h5 "$HEBATCH" rekey public.heb plan.heb --keys "$key" --dry-run
# Damage is found where it is, in the key and in the data.
cp "$key" damaged.h5
printf '\377\377\377' | dd of=damaged.h5 bs=1 seek=$(($(stat -c %s damaged.h5) - 1000)) conv=notrunc 2>/dev/null
expect 65 "$HEBATCH" rekey public.heb no.heb --keys damaged.h5 --quiet
complains 'damaged.h5.*the file is damaged'
cp -r public.heb hurt.heb
flip hurt.heb/part-00000.h5 -2000
expect 65 "$HEBATCH" rekey hurt.heb no.heb --keys "$key" --quiet
complains 'hurt.heb/part-00000.h5: .*checksum'
absent no.heb no.heb.partial
# No proven budget is left of a result that was computed to the expected noise.
expect 0 "$HEBATCH" eval --keys one 'z = x.a * x.b * x.a * x.b * x.a' x=public.heb z=z.heb --wrap --noise expected
deny 65 'may not be decryptable' z.heb no.heb --keys "$key"
