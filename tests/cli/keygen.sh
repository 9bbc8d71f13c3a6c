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
refuse 64 "64 hexadecimal digits" "$HEBATCH" keygen $SMALL --out four --insecure-test-seed 00ff
# shellcheck disable=SC2086
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
