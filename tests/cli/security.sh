#!/bin/sh
# Which security table keys and datasets are of: chosen, refused, written down, shown; keys of before there was a choice.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
vectors=$(CDPATH='' cd -- "${0%/*}/../vectors" && pwd)
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
today="128 bits (classical, MATZOV) by the table of 2024 (ePrint 2024/463, table 5.2)"
standard="128 bits (classical) by the HE-standard table of 2018"

# attributes FILE: what stands in a file about its parameters.
attributes() {
    "$PYTHON" - "$1" <<'PYTHON' || fail "cannot read $1"
import h5py, sys
file = h5py.File(sys.argv[1])
params = file["params"]
table = [int(params[name][0]) for name in ("security_table", "quantum") if name in params]
sum = bytes(file.attrs["checksum"]).hex() if "checksum" in file.attrs else "-"
print(int(file.attrs["version"]), int(params["security"][0]), table, sum)
PYTHON
}

# Keys and a dataset of an earlier version are of 2018.
cp -r "$vectors/keys2018" old
mv old/data old/data.heb
chmod 600 old/secret.h5
expect 0 "$HEBATCH" info old/secret.h5
says "^security     $standard; above the table of 2024 (53 bits)$"
expect 0 "$HEBATCH" info old
says "^security     $standard; above"
expect 0 "$HEBATCH" info old/data.heb
says "^security     $standard; above"
expect 0 "$HEBATCH" info old/galois-3.h5 --json
says '"security_table": 2018'
expect 0 "$HEBATCH" decrypt --key old/secret.h5 old/data.heb data.csv
same old/table.csv data.csv
expect 0 "$HEBATCH" encrypt --key old/public.h5 old/table.csv public.heb
expect 0 "$HEBATCH" decrypt --key old/secret.h5 public.heb public.csv
same old/table.csv public.csv
expect 0 "$HEBATCH" eval --keys old --noise expected 'y = rotate(a,1)' a=old/data.heb y=y.heb
expect 0 "$HEBATCH" info y.heb
says "^security     $standard; above"
expect 0 "$HEBATCH" decrypt --key old/secret.h5 y.heb y.csv
"$PYTHON" - <<'PYTHON' || fail "rotated by an old key"
table, rotated = ([int(line) for line in open(name).read().split()[1:]] for name in ("old/table.csv", "y.csv"))
assert rotated == table[1:] + [0]
PYTHON

# The same keys again: the same files, but for the name of the program that made them, and the digests of rows.
refuse 78 "allows 53 bits at N = 2048 .*--security-table 2018 allows it" \
    "$HEBATCH" keygen --n 2048 --bits 26,28 --plain 12289 --out again
absent again
expect 0 "$HEBATCH" keygen --n 2048 --bits 26,28 --plain 12289 --security-table 2018 --rotations 1 --out again \
    --insecure-test-seed $seed
grep -q "security     $standard; above the table of 2024 (53 bits)$" err || fail "keygen does not say the table"
"$PYTHON" "$forge" older again/galois-3.h5 || fail "its rows have not their digests"
for file in secret public galois-3; do
    attributes old/$file.h5 >old.txt
    attributes again/$file.h5 >again.txt
    same old.txt again.txt
done
expect 0 "$HEBATCH" decrypt --key again/secret.h5 old/data.heb again.csv
same old/table.csv again.csv

# Keys of one seed under three tables are one pair, each with its own words.
CHAIN="--n 4096 --bits 39,40 --plain 40961"
for table in "2024 128" "2018 128" "2024 128q"; do
    # shellcheck disable=SC2086 # two words
    set -- $table
    # shellcheck disable=SC2086 # options
    expect 0 "$HEBATCH" keygen $CHAIN --security-table "$1" --security "$2" --out "keys-$1-$2" --insecure-test-seed $seed
done
grep -q "security     128 bits (quantum, ChaLoy21) by the table of 2024" err || fail "keygen does not say the model"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out keys --insecure-test-seed $seed --quiet
id=$(cat out)
for name in keys-2024-128 keys; do
    attributes $name/public.h5 >$name.txt
    grep -q '^2 128 \[2024, 0\]' $name.txt || fail "$name: $(cat $name.txt)"
done
same keys-2024-128.txt keys.txt
attributes keys-2018-128/public.h5 >found.txt
grep -q '^1 128 \[\]' found.txt || fail "2018: $(cat found.txt)"
attributes keys-2024-128q/public.h5 >found.txt
grep -q '^2 128 \[2024, 1\]' found.txt || fail "128q: $(cat found.txt)"
for name in keys-2024-128 keys-2018-128 keys-2024-128q; do
    expect 0 "$HEBATCH" info $name/public.h5
    says "^key id       $id$"
    expect 0 "$HEBATCH" encrypt --key $name/secret.h5 old/table.csv $name.heb
done
expect 0 "$HEBATCH" info keys-2024-128q.heb
says "^security     128 bits (quantum, ChaLoy21) by the table of 2024 (ePrint 2024/463, table 5.2)$"
expect 0 "$HEBATCH" info keys-2024-128.heb
says "^security     $today$"
expect 0 "$HEBATCH" info keys-2018-128.heb
says "^security     $standard$"
expect 0 "$HEBATCH" decrypt --key keys-2018-128/secret.h5 keys-2024-128q.heb crossed.csv
same old/table.csv crossed.csv
expect 0 "$HEBATCH" decrypt --key keys-2024-128/secret.h5 keys-2018-128.heb back.csv
same old/table.csv back.csv
expect 0 "$HEBATCH" eval --noise expected 's = a + b' a=keys-2018-128.heb b=keys-2024-128.heb s=s.heb
expect 0 "$HEBATCH" verify s.heb

# Another year in a file is another version's.
cp -r keys-2024-128 changed
"$PYTHON" - <<'PYTHON' || fail "cannot change a key"
import h5py
h5py.File("changed/public.h5", "r+")["params/security_table"][0] = 2030
PYTHON
refuse 65 "there is no security table of 2030" "$HEBATCH" info changed/public.h5
"$PYTHON" - <<'PYTHON' || fail "cannot change a key"
import h5py
h5py.File("changed/public.h5", "r+")["params/security_table"][0] = 2018
PYTHON
refuse 65 "does not match its checksum" "$HEBATCH" info changed/public.h5

# SEAL's default chains come in as they are; by the table of today they do not.
mkdir seal
cp "$vectors/n4096/parms.seal" seal/parms.seal
cp "$vectors/n4096/sk.seal" seal/secret.seal
expect 0 "$HEBATCH" import seal --keys seal-keys
expect 0 "$HEBATCH" info seal-keys/secret.h5
says "^parameters   seal-4096: "
says "^security     $standard; above the table of 2024 (106 bits)$"
refuse 78 "109 bits, and the table of 2024 .* allows 106 bits" "$HEBATCH" import seal --keys no --security-table 2024
