#!/bin/sh
# Keys from one pair to another, and datasets that come under another key.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# id FILE [LINE]: the key id of a file.
id() {
    "$HEBATCH" info "$1" | sed -n "s/^${2:-key id} *\([0-9a-f]*\).*/\1/p"
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
