#!/bin/sh
# Key files: permissions, never overwritten, both or none, reproducible from a test seed and only from it.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
seed=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
[ "$(stat -c %a keys)" = 700 ] || fail "the directory is open to others"
[ "$(stat -c %a keys/secret.h5)" = 600 ] || fail "the secret key is open to others"
grep -Eq '^[0-9a-f]{32}$' out || fail "no key id on stdout"
id=$(cat out)
expect 0 "$HEBATCH" info keys/secret.h5
says "key id  *$id"
says "secret key"
expect 0 "$HEBATCH" info keys/public.h5
says "key id  *$id"
expect 0 "$HEBATCH" info --json keys/public.h5
"$PYTHON" -m json.tool out >/dev/null || fail "info --json is no JSON"

cp -p keys/secret.h5 kept
# shellcheck disable=SC2086
refuse 73 "secret.h5 exists" "$HEBATCH" keygen $SMALL --out keys
same kept keys/secret.h5
rm keys/secret.h5
# shellcheck disable=SC2086
refuse 73 "public.h5 exists" "$HEBATCH" keygen $SMALL --out keys
absent keys/secret.h5

for name in one two; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen $CHAIN --out $name --insecure-test-seed $seed
    grep -q "INSECURE TEST SEED" err || fail "a test seed is not announced"
    grep -q "INSECURE PARAMETERS" err || fail "insecure parameters are not announced"
done
same one/secret.h5 two/secret.h5
same one/public.h5 two/public.h5
expect 0 "$HEBATCH" info one/public.h5
says "INSECURE"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out three
cmp -s one/secret.h5 three/secret.h5 && fail "two random keys are equal"
# A test seed is to be seen on the command line, and heard of even with --quiet.
# shellcheck disable=SC2086
expect 0 env HEBATCH_INSECURE_TEST_SEED=$seed "$HEBATCH" keygen $CHAIN --out unseeded
cmp -s one/secret.h5 unseeded/secret.h5 && fail "a test seed was taken from the environment"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out quiet --quiet --insecure-test-seed $seed
grep -q "INSECURE TEST SEED" err || fail "--quiet silences the warning of a test seed"

# shellcheck disable=SC2086
refuse 73 "--key three/secret.h5 instead of --out adds keys" "$HEBATCH" keygen $CHAIN --out three --for "y = a * b"
absent three/relin.h5

# shellcheck disable=SC2086
refuse 64 "64 hexadecimal digits" "$HEBATCH" keygen $SMALL --out four --insecure-test-seed 00ff
# shellcheck disable=SC2086
refuse 64 "--follow-files is for the tables of --model" "$HEBATCH" keygen $SMALL --out four --follow-files
refuse 64 "out DIR is missing" "$HEBATCH" keygen $SMALL
refuse 64 "bfv-1" "$HEBATCH" keygen --params bfv-1 --out four
refuse 78 "insecure" "$HEBATCH" keygen --n 1024 --bits 30 --out four
absent four
# shellcheck disable=SC2086
refuse 73 "cannot create" "$HEBATCH" keygen $SMALL --out missing/keys
# shellcheck disable=SC2086
refuse 73 "kept" "$HEBATCH" keygen $SMALL --out kept/keys

# A disk that is full after the first file: that file goes too. 20 KiB hold the secret key of N = 8192, not the public one.
(
    trap '' XFSZ # EFBIG instead of a signal
    ulimit -f 40 # blocks of 512 bytes
    refuse 74 "public.h5" "$HEBATCH" keygen --params bfv-8192 --out full
) || exit 1
absent full/secret.h5 full/public.h5
[ -z "$(ls -A full)" ] || fail "something was left in full/: $(ls -A full)"

# Keys for computing: planned, made with a pair or beside one, the same either way, kept when they are there.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out plan --relin --rotations 1,-1 --swap --dry-run
says "plan/relin.h5, relinearization key"
says "plan/galois-3.h5, key of rotate(x,1)"
says "key of rotate(x,-1)"
says "key of swap(x)"
says "a key on disk"
absent plan
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out at-once --relin --rotations 1,1,2 --insecure-test-seed $seed
same at-once/secret.h5 one/secret.h5
[ "$(echo at-once/*)" = "at-once/galois-3.h5 at-once/galois-9.h5 at-once/public.h5 at-once/relin.h5 at-once/secret.h5" ] ||
    fail "other files than asked for: $(echo at-once/*)"
expect 0 "$HEBATCH" keygen --key one/secret.h5 --relin --insecure-test-seed $seed
cp one/relin.h5 kept
expect 0 "$HEBATCH" keygen --key one/secret.h5 --relin --rotations 1,2 --progress 0
complains "made 1/2 keys (50%) in .*ETA [0-9]"
same one/relin.h5 kept
same one/relin.h5 at-once/relin.h5
cmp -s one/galois-3.h5 at-once/galois-3.h5 && fail "a random key is the one of the test seed"
grep -q "relin.h5, relinearization key: is there and stays" err || fail "a key that stays is not announced"
[ "$(cat out)" = "$("$HEBATCH" info one/public.h5 | sed -n 's/^key id *//p')" ] || fail "not the id of the pair"
expect 0 "$HEBATCH" keygen --key two/secret.h5 --rotations=-1,sum --json
"$PYTHON" -m json.tool out >/dev/null || fail "keygen --json is no JSON"
[ "$(find two -name 'galois-*' | wc -l)" = 11 ] || fail "an inner sum of N = 1024 takes 9 rotations and the swap"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out all --rotations all
[ "$(find all -name 'galois-*' | wc -l)" = 18 ] || fail "N = 1024 has 17 rotations by powers of two, and the swap"

# The keys that an expression needs, and no more.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out needed --for 'y = a*b + rotate(a, 1) - 3'
complains "t = [0-9]* holds results from 0 to [0-9]*, or from -[0-9]* to [0-9]*; others wrap"
[ "$(echo needed/*)" = "needed/galois-3.h5 needed/public.h5 needed/relin.h5 needed/secret.h5" ] ||
    fail "not the keys that the expression needs: $(echo needed/*)"
expect 0 "$HEBATCH" keygen --key needed/secret.h5 --for 'y = a + 2*b' --dry-run
says "none: the expression"
expect 0 "$HEBATCH" keygen --key needed/secret.h5 --for 'y = swap(sum(a))'
[ "$(find needed -name 'galois-*' | wc -l)" = 10 ] || fail "an inner sum takes 9 rotations and the swap"
refuse 64 "character 8" "$HEBATCH" keygen --key needed/secret.h5 --for 'y = a *'

expect 0 "$HEBATCH" info one
says "relin.h5  *relinearization key  *[0-9.]* KiB"
says "galois-9.h5  *key of rotate(x,2)"
says "size .* in 5 files"
expect 0 "$HEBATCH" info one/galois-9.h5
says "key of rotate(x,2)"
says "$("$HEBATCH" info one/public.h5 | grep 'key id')"
for name in one one/relin.h5 one/galois-3.h5; do
    expect 0 "$HEBATCH" info --json $name
    "$PYTHON" -m json.tool out >/dev/null || fail "info --json is no JSON"
done

# A key of another pair, under another key's name, or damaged, is refused before anything is made.
cp three/secret.h5 other.h5 && mkdir mixed && cp other.h5 mixed/secret.h5 && chmod 600 mixed/secret.h5
cp one/relin.h5 mixed
refuse 73 "another key pair" "$HEBATCH" keygen --key mixed/secret.h5 --rotations 1 --relin
cp one/galois-3.h5 one/galois-27.h5
refuse 73 "another key, the key of rotate(x,1)" "$HEBATCH" keygen --key one/secret.h5 --rotations 4,3
flip one/galois-9.h5 40
refuse 65 "galois-9.h5" "$HEBATCH" keygen --key one/secret.h5 --rotations 4,2
absent mixed/galois-3.h5 one/galois-81.h5
mkdir stray && cp one/relin.h5 stray
# shellcheck disable=SC2086
refuse 73 "relin.h5 exists" "$HEBATCH" keygen $CHAIN --out stray --relin
absent stray/secret.h5

# Words that cannot be.
for steps in 0 512 -512 1,,2 x 1.5 "" 99999999999999999999 SUM; do
    # shellcheck disable=SC2086
    refuse 64 "" "$HEBATCH" keygen $CHAIN --out four "--rotations=$steps"
done
refuse 64 "HEBATCH_KEY" "$HEBATCH" keygen --key one/secret.h5 --out four --relin
refuse 64 "the parameters are those" "$HEBATCH" keygen --key one/secret.h5 --params bfv-4096 --relin
refuse 64 "say what to make" "$HEBATCH" keygen --key one/secret.h5
refuse 65 "public key" "$HEBATCH" keygen --key one/public.h5 --relin
# shellcheck disable=SC2086
refuse 78 "special prime" "$HEBATCH" keygen $SMALL --out four --relin
refuse 78 "batching" "$HEBATCH" keygen --n 1024 --bits 30,30,31 --plain 6 --insecure --out four --rotations 1
expect 0 "$HEBATCH" keygen --n 1024 --bits 30,30,31 --plain 6 --insecure --out five --relin
absent four

# A failure leaves no file of its run, and every file of others. 100 KiB hold a pair of N = 4096, not a key for computing.
(
    trap '' XFSZ
    ulimit -f 200
    refuse 74 "relin.h5" "$HEBATCH" keygen --params bfv-4096 --out full --relin
) || exit 1
[ -z "$(ls -A full)" ] || fail "something was left in full/: $(ls -A full)"
expect 0 "$HEBATCH" keygen --params bfv-4096 --out six --rotations 1
mkdir six/galois-9.h5.partial # no file of an earlier run
refuse 73 "galois-9.h5.partial" "$HEBATCH" keygen --key six/secret.h5 --relin --rotations 1,2
absent six/relin.h5
[ -f six/galois-3.h5 ] || fail "a key of an earlier run was removed"
