#!/bin/sh
# Keys that are wrong, damaged or open to others; ciphertexts with no noise budget left.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
for name in keys others; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen $SMALL --out $name
done
table 100 2 30000 >in.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 in.csv in.heb

# reject CODE WORDS KEY
reject() {
    refuse "$1" "$2" "$HEBATCH" decrypt --key "$3" in.heb out.csv
    absent out.csv out.csv.partial
}

reject 65 "key" others/secret.h5
reject 65 "public" keys/public.h5
reject 66 "none.h5" none.h5
reject 65 "in.csv" in.csv
cp keys/secret.h5 open.h5
chmod 640 open.h5
reject 77 "chmod 600" open.h5
refuse 77 "chmod 600" "$HEBATCH" encrypt --key open.h5 in.csv out.heb

# Keys from standard input: a pipe, and a file, whose mode counts; one rank alone, once, and nothing beside the key.
streams() {
    expect 0 "$HEBATCH" encrypt --key - in.csv streamed.heb <"$1"
    # shellcheck disable=SC2002 # of a pipe
    cat keys/secret.h5 | expect 0 "$HEBATCH" decrypt --key - streamed.heb streamed.csv || exit 1
    cmp -s in.csv streamed.csv || fail "a key from standard input gave other values"
    expect 0 "$HEBATCH" verify streamed.heb --key - --against in.csv --same-as streamed.heb <keys/secret.h5
    rm -r streamed.heb streamed.heb.report.json streamed.csv streamed.csv.report.json
}
streams keys/secret.h5
streams keys/public.h5
reject 77 "standard input.*chmod 600" - <open.h5
reject 65 "standard input is a public key" - <keys/public.h5
reject 65 "standard input.*more than" - </dev/zero
reject 66 "standard input.*empty" - </dev/null
head -c 1000 keys/secret.h5 | reject 65 "standard input" - || exit 1
refuse 64 "beside the file" "$HEBATCH" keygen --key - --relin <keys/secret.h5
refuse 64 "beside that of the key" "$HEBATCH" decrypt --key - --share 5 in.heb out.csv <keys/secret.h5
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
# on_ranks NAME COMMAND...: its outcome is in NAME.*; at the same time as others, as a launcher takes seconds to end.
on_ranks() {
    name=$1 code=0
    shift
    # shellcheck disable=SC2086
    $MPIRUN -n 2 "$HEBATCH" "$@" --quiet <keys/secret.h5 >"$name.out" 2>"$name.err" || code=$?
    echo "$code" >"$name.code"
}
on_ranks encrypt encrypt --key - in.csv out.heb &
on_ranks decrypt decrypt --key - in.heb out.csv &
on_ranks verify verify in.heb --key - --against in.csv &
wait
for command in encrypt decrypt verify; do
    cp $command.out out
    cp $command.err err
    [ "$(cat $command.code)" = 64 ] || fail "a key from standard input on two ranks: exit code $(cat $command.code)"
    complains "one rank alone reads a key"
done

# The key itself is the end of the file; before it there are bytes that HDF5 leaves unused.
size=$(stat -c %s keys/secret.h5)
for offset in 0 9 40 300 1200 -1000 -5; do
    cp -p keys/secret.h5 flipped.h5
    flip flipped.h5 "$offset"
    reject 65 "flipped.h5" flipped.h5
done
for length in 0 1 100 $((size - 1)); do
    cp -p keys/secret.h5 short.h5
    truncate -s "$length" short.h5
    reject 65 "short.h5" short.h5
done
size=$(stat -c %s keys/public.h5)
for offset in 9 300 -10000 -5; do
    cp -p keys/public.h5 flipped.h5
    flip flipped.h5 "$offset"
    refuse 65 "flipped.h5" "$HEBATCH" encrypt --key flipped.h5 in.csv out.heb
    absent out.heb out.heb.partial
done

# Keys for computing: no key that decrypts or encrypts, and refused when damaged.
expect 0 "$HEBATCH" keygen --params bfv-4096 --out computing --relin --rotations 1
for key in relin.h5 galois-3.h5; do
    reject 65 "key for computing" "computing/$key"
    refuse 65 "key for computing" "$HEBATCH" encrypt --key "computing/$key" in.csv out.heb
    size=$(stat -c %s "computing/$key")
    for offset in 0 9 40 300 -100000 -5; do
        cp "computing/$key" flipped.h5
        flip flipped.h5 "$offset"
        refuse 65 "flipped.h5" "$HEBATCH" info flipped.h5
    done
    for length in 0 1 100 $((size - 1)); do
        cp "computing/$key" short.h5
        truncate -s "$length" short.h5
        refuse 65 "short.h5" "$HEBATCH" info short.h5
    done
    "$PYTHON" - "computing/$key" <<'PYTHON' || fail "$key is not as io/README.md says"
import h5py, sys
with h5py.File(sys.argv[1], "r") as f:
    parts, packed = f["b"].shape
    assert parts == len(f["params/primes"]) - 1 and packed == 4096 * (35 + 35 + 36) // 8
    assert f["seed"].shape == (parts, 32)
    assert f.attrs["kind"] == (b"galois" if "element" in f.attrs else b"relinearization")
PYTHON
done

# Ciphertexts that are nothing but noise: refused, never decrypted to garbage.
cp -r in.heb noisy.heb
"$PYTHON" "$forge" noise noisy.heb || fail "could not forge"
expect 0 "$HEBATCH" verify noisy.heb
refuse 65 "noise budget" "$HEBATCH" decrypt --key keys/secret.h5 noisy.heb out.csv
grep -q "ciphertext 0" err || fail "the ciphertext without noise budget is not named"
absent out.csv out.csv.partial

# A key that is there, for a t that leaves fresh ciphertexts no budget: it can be read, but encrypts nothing.
cp -p keys/public.h5 noisy.h5
"$PYTHON" "$forge" plain noisy.h5 2251799813681153 || fail "could not forge"
expect 0 "$HEBATCH" info noisy.h5
says "t 2251799813681153"
refuse 78 "leaves ciphertexts made with the public key no noise budget: [0-9]* bits too few are proven.*or a t of [0-9]* bits" \
    "$HEBATCH" encrypt --key noisy.h5 in.csv out.heb
absent out.heb out.heb.partial
