#!/bin/sh
# Files of Microsoft SEAL in and out: real ones (tests/vectors), the same bytes back, every compression, shapes of tables,
# and what is refused, with nothing left behind.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# Results are computed with further, or compared word by word.
export HEBATCH_COMPACT=off
vectors=$(CDPATH='' cd -- "${0%/*}/../vectors" && pwd)

# values_of SET NAME: words of the vectors, one a line.
values_of() {
    od -An -v -t u8 -w8 "$vectors/$1/$2.u64" | tr -d ' '
}
# folder_of_keys NAME SET: SEAL's files under the names that import looks for.
folder_of_keys() {
    mkdir "$1"
    cp "$vectors/$2/parms.seal" "$1/parms.seal"
    cp "$vectors/$2/sk.seal" "$1/secret.seal"
}
folder_of_keys full n1024
cp "$vectors/n1024/pk.seal" full/public.seal
cp "$vectors/n1024/rlk.seal" full/relin.seal
cp "$vectors/n1024/glk.seal" full/galois.seal

# Keys: in, and the same bytes out.
refuse 78 "insecure" "$HEBATCH" import full --keys keys
absent keys keys.partial
expect 0 "$HEBATCH" import full --keys keys --insecure
grep -q "INSECURE PARAMETERS" err || fail "no warning"
[ "$(stat -c %a keys/secret.h5)" = 600 ] || fail "the secret is open to others"
id=$(cat out)
for file in public relin galois-3 galois-683 galois-2047; do
    expect 0 "$HEBATCH" info keys/$file.h5
    says "$id"
done
expect 0 "$HEBATCH" export keys back --seal 4.4
for file in parms secret public relin galois; do
    same full/$file.seal back/$file.seal
done
[ "$(stat -c %a back/secret.seal)" = 600 ] || fail "the exported secret is open to others"
for how in zlib zstd; do # and as other versions write them
    expect 0 "$HEBATCH" export keys packed-$how --compress $how
    expect 0 "$HEBATCH" import packed-$how --keys keys-$how --insecure
    [ "$(cat out)" = "$id" ] || fail "another key id after $how"
    same keys/relin.h5 keys-$how/relin.h5
    same keys/galois-683.h5 keys-$how/galois-683.h5
done

# Ciphertexts of SEAL, one of them seeded, against what it says is in them.
sets="ct0 ct1 ct2 ct3 ct4_seeded"
files=""
for name in $sets; do
    files="$files $vectors/n1024/$name.seal"
done
for k in 0 1 2 3; do
    values_of n1024 slots$k >slots$k.txt
done
paste -d, slots0.txt slots1.txt slots2.txt slots3.txt slots1.txt >wanted.txt
# shellcheck disable=SC2086 # names without spaces of our own
expect 0 "$HEBATCH" import $files table.heb --key keys --columns 5
expect 0 "$HEBATCH" verify table.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 table.heb table.csv
tail -n +2 table.csv >values.txt
same wanted.txt values.txt
# shellcheck disable=SC2086
expect 0 "$HEBATCH" import $files one.heb --key keys/relin.h5 --rows 4097
expect 0 "$HEBATCH" info one.heb
says "4097 rows x 1 column"
# shellcheck disable=SC2086
refuse 65 "fill 6 files; 5 are given" "$HEBATCH" import $files no.heb --key keys --columns 2 --rows 3000
# shellcheck disable=SC2086
expect 0 "$HEBATCH" import $files quiet.heb --key keys --columns 5 --noise-bits 30
expect 0 "$HEBATCH" info quiet.heb --json
# Nobody has proven the noise of what was imported, nor of what is computed from it: that is said everywhere.
"$PYTHON" -c 'import json; b = json.load(open("out"))["noise_budget_bits"]; assert "proven" not in b and b["assumed"]' ||
    fail "the noise of an import is called proven in JSON"
expect 0 "$HEBATCH" info table.heb
says "bits assumed, .* expected"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 table.heb table.csv --force
says "assumed, .* expected"
complains "keep these values from .* is assumed and not proven"
grep -q "proven" out && fail "the noise of an import is called proven"
expect 0 "$HEBATCH" eval 'y = t + t' t=table.heb y=twice.heb
grep -q "at least (assumed: inputs are imported)" err || fail "a plan does not say that noise is assumed"
expect 0 "$HEBATCH" info twice.heb
says "bits assumed, .* expected"
for bits in 1 7; do # what is stated is what is shown
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" import $files stated.heb --key keys --columns 5 --noise-budget $bits --force
    expect 0 "$HEBATCH" info stated.heb
    says "noise budget $bits bits assumed"
done
# shellcheck disable=SC2086
expect 0 "$HEBATCH" import $files stated.heb --key keys --columns 5 --noise-budget 30 --force
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 stated.heb stated.csv
grep -q "30 were assumed when its ciphertexts" err || fail "a budget that was stated too high is not told"
# shellcheck disable=SC2086
refuse 64 "have at most" "$HEBATCH" import $files no.heb --key keys --columns 5 --noise-budget 400
# shellcheck disable=SC2086
refuse 64 "give one of them" "$HEBATCH" import $files no.heb --key keys --columns 5 --noise-budget 4 --noise-bits 4
expect 0 "$HEBATCH" info quiet.heb --json
expect 0 "$HEBATCH" export table.heb exported --seal 4.4
for i in 0 1 2 3; do
    same "$vectors/n1024/ct$i.seal" exported/ct-00000$i.seal
done
[ "$(stat -c %s exported/ct-000004.seal)" = 32881 ] || fail "a seeded ciphertext is not exported whole"
expect 0 "$HEBATCH" import exported again.heb --key keys
expect 0 "$HEBATCH" verify again.heb --key keys/secret.h5 --against table.csv
expect 0 "$HEBATCH" import exported/*.seal listed.heb --key keys
expect 0 "$HEBATCH" verify again.heb --same-as listed.heb

# Numbers without zeros in front: a folder is taken by them, a list as it is, with a warning.
mkdir counted
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
    cp "$vectors/n1024/ct$((i % 4)).seal" counted/ct-$i.seal
done
expect 0 "$HEBATCH" import counted counted.heb --key keys --columns 12
if grep -q warning err; then fail "a warning of a folder's order"; fi
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 counted.heb counted.csv
cut -d, -f1-4 wanted.txt >four.txt
paste -d, four.txt four.txt four.txt >counted.txt
tail -n +2 counted.csv >values.txt
same counted.txt values.txt
expect 0 "$HEBATCH" import counted/*.seal counted2.heb --key keys --columns 12 --quiet
grep -q "warning: counted/ct-11.seal comes before counted/ct-2.seal, as the shell sorts" err || fail "no warning of the order"

# At a lower level: a ciphertext of SEAL after mod_switch_to_next, in a file made here of its words.
"$PYTHON" - "$vectors/n1024" <<'PYTHON' || fail "a file at a lower level"
import json, struct, sys
folder = sys.argv[1]
level = json.load(open(folder + "/params.json"))["parms_ids"][-1]
words = open(folder + "/ops/modswitch.u64", "rb").read()
head = lambda size: struct.pack("<HBBBBHQ", 0xA15E, 16, 4, 4, 0, 0, size)
array = head(24 + len(words)) + struct.pack("<Q", len(words) // 8) + words
fields = bytes.fromhex(level["parms_id"]) + struct.pack("<BQQQdQ", 0, 2, 1024, level["limbs"], 1.0, 1)
assert level["limbs"] == 1
open("lower.seal", "wb").write(head(16 + len(fields + array)) + fields + array)
PYTHON
expect 0 "$HEBATCH" import lower.seal lower.heb --key keys
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 lower.heb lower.csv
tail -n +2 lower.csv >values.txt
same slots1.txt values.txt
expect 0 "$HEBATCH" export lower.heb lower --seal 4.4
same lower.seal lower/ct-000000.seal

# The security level of 4096 with seeded keys only; no public key: it is made of the secret, always the same.
folder_of_keys seeded n4096
cp "$vectors/n4096/rlk_seeded.seal" seeded/relin.seal
expect 0 "$HEBATCH" import seeded --keys keys4
id=$(cat out)
expect 0 "$HEBATCH" import seeded --keys keys4-again
[ "$(cat out)" = "$id" ] || fail "another key id of the same secret"
table 3000 2 1000 >in.csv
expect 0 "$HEBATCH" encrypt --key keys4/public.h5 in.csv mine.heb
expect 0 "$HEBATCH" decrypt --key keys4/secret.h5 mine.heb mine.csv
same in.csv mine.csv
# A server has no secret: the switching keys alone say whose they are.
mkdir server
cp seeded/parms.seal seeded/relin.seal server
expect 0 "$HEBATCH" import server --keys server-keys
expect 0 "$HEBATCH" import "$vectors/n4096/ct0.seal" "$vectors/n4096/ct4_seeded.seal" served.heb --key server-keys

# A product of SEAL's, of three polynomials, comes in with the words that SEAL relinearizes it to.
"$PYTHON" - "$vectors/n1024" <<'PYTHON' || fail "a product"
import struct, sys
file = bytearray(open(sys.argv[1] + "/ct0.seal", "rb").read()[:113])
words = open(sys.argv[1] + "/ops/mul.u64", "rb").read()
struct.pack_into("<Q", file, 8, len(file) + len(words))       # the object
struct.pack_into("<Q", file, 49, 3)                           # polynomials
struct.pack_into("<Q", file, 97, 16 + 8 + len(words))         # the array in it
struct.pack_into("<Q", file, 105, len(words) // 8)
open("product.seal", "wb").write(bytes(file) + words)
PYTHON
expect 0 "$HEBATCH" import "$vectors/n1024/ct0.seal" product.seal products.heb --key keys --columns 2 --noise-bits 50
expect 0 "$HEBATCH" info products.heb
says "assumed"
expect 0 "$HEBATCH" verify products.heb
expect 0 "$HEBATCH" export products.heb products --seal 4.4
same "$vectors/n1024/ct0.seal" products/ct-000000.seal
tail -c +114 products/ct-000001.seal >words
same "$vectors/n1024/ops/mulrelin.u64" words
expect 0 "$HEBATCH" import product.seal one-product.heb --key keys/public.h5 --noise-bits 50
refuse 64 "product.seal: is a product" "$HEBATCH" import product.seal no.heb --key keys
cp -r keys unable
rm unable/relin.h5
refuse 65 "3 polynomials, not 2: relinearize" "$HEBATCH" import product.seal no.heb --key unable --noise-bits 50
absent no.heb no.heb.partial

# One pair has one id, whichever of its files came: exports say it, an option does, and so does the directory.
for name in own other; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen $CHAIN --out $name --relin --rotations 1
    expect 0 "$HEBATCH" export $name $name-out
done
id=$("$HEBATCH" info own/public.h5 | sed -n 's/^key id *//p')
expect 0 "$HEBATCH" import own-out --keys own-back --insecure
[ "$(cat out)" = "$id" ] || fail "a pair came back under another id"
mkdir own-server own-bare own-later
cp own-out/parms.seal own-out/galois.seal own-out/keys.json own-server
cp own-out/parms.seal own-out/galois.seal own-bare
cp own-out/parms.seal own-out/relin.seal own-later
expect 0 "$HEBATCH" import own-server --keys own-served --insecure
[ "$(cat out)" = "$id" ] || fail "a server's keys have another id"
expect 0 "$HEBATCH" import own-bare --keys own-named --insecure --key-id "$id"
[ "$(cat out)" = "$id" ] || fail "--key-id was not adopted"
table 1000 1 100 >turned.csv
expect 0 "$HEBATCH" encrypt --key own/public.h5 turned.csv turned-in.heb
expect 0 "$HEBATCH" eval --keys own-named 'y = rotate(x, 1)' x=turned-in.heb y=turned.heb
expect 0 "$HEBATCH" decrypt --key own/secret.h5 turned.heb turned-out.csv
[ "$(sed -n 2p turned-out.csv)" = "$(sed -n 3p turned.csv)" ] || fail "a rotation with imported keys is wrong"
# Further keys come to a directory of the same pair; what is there stays.
cp own-served/galois-3.h5 kept
expect 0 "$HEBATCH" import own-later --keys own-served --insecure
[ "$(cat out)" = "$id" ] || fail "further keys have another id"
expect 0 "$HEBATCH" info own-served/relin.h5
says "$id"
expect 0 "$HEBATCH" import own-out --keys own-served --insecure
for file in public secret relin galois-3; do
    expect 0 "$HEBATCH" info own-served/$file.h5
    says "$id"
done
same kept own-served/galois-3.h5
[ "$(stat -c %a own-served/secret.h5)" = 600 ] || fail "the secret that came later is open to others"
absent own-served.further own-served.further.partial
# Seeded: new switching keys of the same secret in about half the bytes, which serve as the old ones do.
expect 0 "$HEBATCH" export own own-seeded --seeded
grep -q "made anew of the same secret" err || fail "nobody said that the switching keys are others"
same own-out/public.seal own-seeded/public.seal
same own-out/keys.json own-seeded/keys.json
for file in relin galois; do
    whole=$(stat -c %s own-out/$file.seal) half=$(stat -c %s own-seeded/$file.seal)
    [ "$half" -lt $((whole * 55 / 100)) ] || fail "$file.seal has $half bytes seeded, $whole without"
done
expect 0 "$HEBATCH" import own-seeded --keys own-anew --insecure # checks every key with the secret
[ "$(cat out)" = "$id" ] || fail "a pair came back from seeded files under another id"
cmp -s own/relin.h5 own-anew/relin.h5 && fail "a seeded export has the keys of the directory"
mkdir own-small
cp own-seeded/parms.seal own-seeded/relin.seal own-seeded/galois.seal own-seeded/keys.json own-small
expect 0 "$HEBATCH" import own-small --keys own-seedling --insecure
expect 0 "$HEBATCH" eval --keys own-seedling 'y = rotate(x, 1)' x=turned-in.heb y=turned2.heb
expect 0 "$HEBATCH" decrypt --key own/secret.h5 turned2.heb turned2.csv
same turned-out.csv turned2.csv
expect 0 "$HEBATCH" keygen --params bfv-8192 --out deep --relin
expect 0 "$HEBATCH" export deep deep-seeded --seeded
rm deep-seeded/secret.seal
expect 0 "$HEBATCH" import deep-seeded --keys deep-back
expect 0 "$HEBATCH" encrypt --key deep-back/public.h5 turned.csv deep.heb
expect 0 "$HEBATCH" eval --keys deep-back 'y = x * x' x=deep.heb y=squared.heb
expect 0 "$HEBATCH" decrypt --key deep/secret.h5 squared.heb squared.csv
awk 'NR > 1 { print $1 * $1 }' turned.csv >squares.txt
tail -n +2 squared.csv >values.txt
same squares.txt values.txt
expect 0 "$HEBATCH" export own own-packed --seeded --compress zstd --seal 3.6
expect 0 "$HEBATCH" import own-packed --keys own-unpacked --insecure
expect 0 "$HEBATCH" export own own-again --seeded # never the same seeds twice
cmp -s own-seeded/relin.seal own-again/relin.seal && fail "two seeded exports have the same keys"
refuse 66 "own-named: has no secret.h5: --seeded makes switching keys anew" "$HEBATCH" export own-named no --seeded
cp -r own own-pair
rm own-pair/relin.h5 own-pair/galois-*.h5
refuse 66 "no relinearization or Galois key for --seeded" "$HEBATCH" export own-pair no --seeded
cp -r own own-open
chmod 644 own-open/secret.h5
refuse 77 "secret.h5" "$HEBATCH" export own-open no --seeded
refuse 64 "seeded works on a directory of keys" "$HEBATCH" export turned-in.heb no --seeded
refuse 64 "seeded works on a directory of keys" "$HEBATCH" export turned.csv no --seeded --params bfv-4096
absent no no.partial
# None of another pair, where that can be seen.
rm other-out/keys.json
cp -r own-back checked
rm checked/relin.h5
mkdir others-relin
cp other-out/parms.seal other-out/relin.seal others-relin
expect 65 "$HEBATCH" import others-relin --keys checked --insecure
grep -q "is no key of the secret key" err || fail "a key of another pair was not refused for that"
absent checked/relin.h5 checked.further.partial
expect 65 "$HEBATCH" import other-out --keys own-named --insecure
grep -q "is the public key of .* but own-named says $id" err || fail "another pair came to a directory"
absent own-named/public.h5 own-named/secret.h5
expect 65 "$HEBATCH" import other-out --keys elsewhere --insecure --key-id "$id"
grep -q "but --key-id says $id" err || fail "an id was adopted that the public key does not have"
absent elsewhere elsewhere.partial
expect 65 "$HEBATCH" import seeded --keys own-named
grep -q "other parameters" err || fail "keys of other parameters came to a directory"
refuse 64 "hexadecimal" "$HEBATCH" import own-bare --keys elsewhere --insecure --key-id 12
refuse 64 "goes with --keys" "$HEBATCH" import turned.csv x.heb --key own --key-id "$id"

# Our own data: what the table was comes back with it, through every compression; a seeded dataset is expanded.
"$PYTHON" - <<'PYTHON' || fail "a table"
import csv
with open("names.csv", "w") as f:
    w = csv.writer(f)
    w.writerow(["a,b", "caf\u00e9", "n"])
    w.writerows([i, -i, i % 7] for i in range(3000))
PYTHON
for key in secret public; do
    for how in none zlib zstd; do
        expect 0 "$HEBATCH" encrypt --key keys4/$key.h5 --pack rows names.csv own.heb --force
        expect 0 "$HEBATCH" export own.heb own-$key-$how --compress $how
        expect 0 "$HEBATCH" import own-$key-$how own-back.heb --key keys4 --force
        expect 0 "$HEBATCH" decrypt --key keys4/secret.h5 own-back.heb own-back.csv --force
        expect 0 "$HEBATCH" encrypt --key keys4/public.h5 own-back.csv compared.heb --force
        "$PYTHON" -c 'import csv, sys; a, b = (list(csv.reader(open(f))) for f in sys.argv[1:]); sys.exit(a != b)' \
            names.csv own-back.csv || fail "$key $how: the table came back changed"
    done
done
expect 0 "$HEBATCH" export names.csv plain --params bfv-4096
expect 0 "$HEBATCH" import plain plain.csv
same own-back.csv plain.csv
expect 0 "$HEBATCH" export in.csv coefficients --params bfv-4096 --encoding coefficients --compress zstd
expect 0 "$HEBATCH" import coefficients coefficients.h5:/x
expect 0 "$HEBATCH" import "$vectors/n4096/plain1.seal" slots.csv
tail -n +2 slots.csv >values.txt
values_of n4096 slots1 >slots1.txt
same slots1.txt values.txt

# Slots behind the last row hold something where others encrypted: a sum leaves them out.
expect 0 "$HEBATCH" keygen --params bfv-8192 --out sums --rotations sum
table 8192 1 100 >full.csv
expect 0 "$HEBATCH" encrypt --key sums/public.h5 full.csv full.heb
expect 0 "$HEBATCH" export full.heb full-out
expect 0 "$HEBATCH" import full-out front.heb --key sums --rows 100
expect 0 "$HEBATCH" eval --keys sums 's = sum(x)' x=front.heb s=sum.heb
expect 0 "$HEBATCH" decrypt --key sums/secret.h5 sum.heb sum.csv
[ "$(tail -n 1 sum.csv)" = "$(awk 'NR > 1 && NR <= 101 { s += $1 } END { print s }' full.csv)" ] || fail "another sum"

# Refused: reason, code, nothing left.
reject() {
    code=$1 words=$2
    shift 2
    refuse "$code" "$words" "$HEBATCH" import "$@"
    absent bad.heb bad.heb.partial bad bad.partial bad.csv bad.csv.partial
}
head -c 20000 "$vectors/n1024/ct0.seal" >cut.seal
cat "$vectors/n1024/ct0.seal" "$vectors/n1024/ct1.seal" >two.seal
cp "$vectors/n1024/ct0.seal" size3.seal && printf '\003' | dd of=size3.seal bs=1 seek=49 conv=notrunc 2>/dev/null
cp "$vectors/n1024/ct0.seal" ntt.seal && printf '\001' | dd of=ntt.seal bs=1 seek=48 conv=notrunc 2>/dev/null
cp "$vectors/n1024/ct0.seal" ckks.seal && printf '\160\101' | dd of=ckks.seal bs=1 seek=79 conv=notrunc 2>/dev/null
cp "$vectors/n1024/ct0.seal" range.seal && printf '\377' | dd of=range.seal bs=1 seek=120 conv=notrunc 2>/dev/null
cp "$vectors/n1024/ct0.seal" clear.seal && dd if=/dev/zero of=clear.seal bs=1 seek=16497 count=16384 conv=notrunc 2>/dev/null
good=$vectors/n1024/ct0.seal
reject 65 "cut short" cut.seal bad.heb --key keys
reject 65 "followed by something else" two.seal bad.heb --key keys
reject 65 "polynomials of\|cut short\|another" "$good" size3.seal bad.heb --key keys --noise-bits 50
reject 65 "NTT form" "$good" ntt.seal bad.heb --key keys
reject 65 "of CKKS" "$good" ckks.seal bad.heb --key keys
reject 65 "not below their modulus" "$good" range.seal bad.heb --key keys
reject 65 "a dataset has one level" "$good" lower.seal bad.heb --key keys
reject 65 "transparent" "$good" clear.seal bad.heb --key keys
reject 65 "another N, t, chain or scheme" "$vectors/n4096/ct0.seal" bad.heb --key keys
reject 65 "scale\|parms_id\|cut short\|correction" "$vectors/n1024/plain0.seal" bad.heb --key keys
reject 65 "is no file of SEAL" "$good" in.csv bad.heb --key keys
reject 66 "missing.seal" missing.seal bad.heb --key keys
reject 66 "no \*.seal there" server bad.heb --key keys
reject 64 "key is missing" "$good" bad.heb
reject 64 "the output is missing" "$good" --key keys
reject 65 "no directory of keys" "$good" bad.heb --key full
cp -r exported broken
printf '{"rows": 1e99}' >broken/index.json
reject 65 "index.json" broken bad.heb --key keys
rm broken/index.json
ln -s index.json broken/index.json # a file that cannot be looked at is not one that is missing
reject 66 "broken/index.json: cannot open" broken bad.heb --key keys
cp -r exported fewer
rm fewer/ct-000002.seal
reject 65 "fewer/ct-000002.seal: is missing, of the 5 files of fewer/index.json" fewer bad.heb --key keys
reject 65 "fill 5 files; 4 are given" fewer/*.seal bad.heb --key keys
cp exported/ct-000002.seal fewer/ct-2.seal
reject 65 "fewer/ct-000002.seal: is missing" fewer bad.heb --key keys
mv fewer/ct-2.seal fewer/ct-000002.seal
cp fewer/ct-000002.seal fewer/ct-000002b.seal
reject 65 "fewer/ct-000002b.seal: is none of the 5 files" fewer bad.heb --key keys
head -n 1 in.csv >none.csv
expect 0 "$HEBATCH" encrypt --key keys4/public.h5 none.csv none.heb
for name in none.heb none.csv; do
    refuse 65 "$name: has no rows: there is nothing to export" "$HEBATCH" export $name bad --params bfv-4096
    absent bad bad.partial
done
for file in secret public relin galois; do # every key is checked with the secret
    cp -r full mixed
    case $file in
        secret) flip mixed/secret.seal 100 ;;
        *) "$PYTHON" - mixed/$file.seal <<'PYTHON' ;;
import sys
d = bytearray(open(sys.argv[1], "rb").read())
d[-8] ^= 1 # a small change of the last residue
open(sys.argv[1], "r+b").write(d)
PYTHON
    esac
    reject 65 "ternary\|another pair\|their modulus" mixed --keys bad --insecure
    rm -r mixed
done
cp -r full mixed
cp "$vectors/n4096/rlk_seeded.seal" mixed/relin.seal
reject 65 "parms_id" mixed --keys bad --insecure
cp full/galois.seal mixed/relin.seal
reject 65 "higher powers\|another pair\|of rotations" mixed --keys bad --insecure
rm mixed/parms.seal
reject 66 "parms.seal" mixed --keys bad --insecure
mkdir empty
cp full/parms.seal empty
reject 66 "none of" empty --keys bad --insecure

# Never over what is there, least of all what a running job writes.
mkdir busy.heb.partial
echo '{}' >busy.heb.partial/job.json
lock busy.heb.partial/job.json
refuse 73 "another job is writing it" "$HEBATCH" import exported busy.heb --key keys --force
unlock
[ -e busy.heb.partial/job.json ] || fail "what a running job writes was removed"
expect 0 "$HEBATCH" import exported busy.heb --key keys --force
cp keys/relin.h5 kept
expect 0 "$HEBATCH" import full --keys keys --insecure # all of them are there, and stay
same kept keys/relin.h5
refuse 65 "no directory of keys\|is no key" "$HEBATCH" import full --keys exported --insecure
refuse 73 "back" "$HEBATCH" export keys back
refuse 73 "table.heb" "$HEBATCH" import exported table.heb --key keys
refuse 64 "compress lzma" "$HEBATCH" export keys no --compress lzma
refuse 64 "seal 4.5" "$HEBATCH" export keys no --seal 4.5
cp keys/secret.h5 keys4/secret.h5 2>/dev/null
refuse 65 "another key pair" "$HEBATCH" export keys4 no
absent no no.partial

# Keys of CKKS as SEAL has it come back the same, by anyone who says what scale is meant; other CKKS is none of SEAL's.
expect 0 "$HEBATCH" keygen --n 2048 --bits 45,30,45 --scale-bits 30 --like-seal --insecure --security-table 2018 --out real --relin --rotations 3
expect 0 "$HEBATCH" export real real-seal
reject 64 "say it with --scale-bits" real-seal --keys real-back --insecure
expect 0 "$HEBATCH" import real-seal --keys real-back --scale-bits 30 --insecure
same real/public.h5 real-back/public.h5
expect 0 "$HEBATCH" info real-back
says "^parameters   custom: N 2048, 3 primes of 120 bits in all, scale 2^30$"
says "key of rotate(x,3) "
reject 65 "other parameters than the keys in real-back" real-seal --keys real-back --scale-bits 29
expect 0 "$HEBATCH" import real-seal --keys real-back
for digits in "--levels 2 --scale-bits 34" "--bits 40,40,40,41,41 --special-primes 2"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen --n 2048 $digits --insecure --out other-keys
    refuse 78 "one special prime and digits of one prime" "$HEBATCH" export other-keys other-seal
    absent other-seal other-seal.partial
    rm -r other-keys
done

# CKKS that SEAL made: keys, the one for X -> X left out, and ciphertexts at the scale that is meant.
mkdir given-reals && cd given-reals || exit 1
mkdir given
for name in parms secret public relin galois; do
    cp "$vectors/ckks/seal/$name.seal" given/
done
expect 0 "$HEBATCH" import given --keys seal-real --scale-bits 30 --insecure --json
"$PYTHON" - <<'PYTHON' || fail "a report of keys of CKKS"
import json
report = json.load(open("out"))
assert report["secret"] and report["public"] and report["relinearization"] and report["galois"] == 2
PYTHON
absent seal-real/galois-1.h5
expect 0 "$HEBATCH" info seal-real
says "key of rotate(x,1) "
says "key of conj(x) "
for name in fresh square; do
    expect 0 "$HEBATCH" import "$vectors/ckks/seal/$name.seal" $name.heb --key seal-real --rows 4 --noise-bits 20
    expect 0 "$HEBATCH" decrypt --key seal-real/secret.h5 $name.heb $name.csv
    says "none expected, as the range of the values is unknown; .* bits by the measured noise"
done
expect 0 "$HEBATCH" info fresh.heb
says "precision    none expected, as the range of the values is unknown, at . of . limbs"
expect 0 "$HEBATCH" info --json fresh.heb
"$PYTHON" - <<'PYTHON' || fail "precision without a range"
import json
assert list(json.load(open("out"))["precision_bits"].values()) == [None, None]
PYTHON
expect 0 "$HEBATCH" eval --keys seal-real 'y = rotate(x * x, 1)' x=fresh.heb y=turned.heb --range x=-8..8
expect 0 "$HEBATCH" decrypt --key seal-real/secret.h5 turned.heb turned.csv
"$PYTHON" - <<'PYTHON' || fail "values of Microsoft SEAL"
values = [0.5, -1.25, 3e-3, 7]
squares = [x * x for x in values]
# At a scale of 2^30 the one after a product is 1.00003 times that, which `square` does not say.
for name, wanted in ("fresh", values), ("square", squares), ("turned", squares[1:] + [0]):
    got = [float(line) for line in open(name + ".csv").read().split()[1:]]
    assert len(got) == 4 and all(abs(a - b) < 2**-12 * max(1, abs(b)) for a, b in zip(got, wanted)), (name, got)
PYTHON
# Values above what tables hold are read where a range says that they may be.
expect 0 "$HEBATCH" eval --keys seal-real 'y = 1000000000*x' x=fresh.heb y=huge.heb --range x=-8..8
expect 0 "$HEBATCH" export huge.heb exported-huge
expect 0 "$HEBATCH" import exported-huge huge-again.heb --key seal-real --noise-bits 50
refuse 65 "what tables of scale = 2^30 can hold, and nobody says that it may be" \
    "$HEBATCH" decrypt --key seal-real/secret.h5 huge-again.heb never.csv
expect 0 "$HEBATCH" eval --keys seal-real 'y = x' x=huge-again.heb y=huge-said.heb --range x=-8e9..8e9
expect 0 "$HEBATCH" decrypt --key seal-real/secret.h5 huge-said.heb huge-said.csv
# Complex numbers and pairs keep their kind; of files that say nothing --complex says it.
printf 'z,a,b\n0.5-1j,1,5\n-1.25,2,-6\n3e-3+2j,3,7\n' >complex.csv
expect 0 "$HEBATCH" encrypt --key seal-real/secret.h5 --pair p=a,b complex.csv complex.heb
expect 0 "$HEBATCH" export complex.heb exported-complex
expect 0 "$HEBATCH" import exported-complex complex-again.heb --key seal-real
expect 0 "$HEBATCH" verify complex-again.heb --key seal-real/secret.h5 --against complex.csv --tolerance 1e-3
expect 0 "$HEBATCH" import exported-complex/ct-000000.seal said.heb --key seal-real --rows 3 --complex --noise-bits 20
expect 0 "$HEBATCH" decrypt --key seal-real/secret.h5 said.heb said.csv
[ "$(grep -c 'j$' said.csv)" = 3 ] || fail "not complex as it was said"
expect 0 "$HEBATCH" eval --keys seal-real 'y = 2*re(z) + abs2(z)' z=said.heb y=parts.heb --range z=-4..4
refuse 64 "have no i for numbers" "$HEBATCH" eval --keys seal-real 'y = im(z)' z=said.heb y=never.heb --range z=-4..4
printf 'z,a\n0.5-1j,1\n-1.25+0j,2\n' >mixed.csv
expect 0 "$HEBATCH" export mixed.csv exported-both --n 1024 --bits 40,30,40 --scale-bits 30 --like-seal --insecure
expect 0 "$HEBATCH" import exported-both both.csv --scale-bits 30 --insecure
grep -q '^0\.[45][0-9]*-[01][.0-9]*j,[01]' both.csv || fail "plaintexts of complex numbers: $(cat both.csv)"
# Plaintexts of SEAL, of either level, and our own.
cp "$vectors/ckks/seal/parms.seal" .
for name in plain plain_low; do
    cp "$vectors/ckks/seal/$name.seal" .
    expect 0 "$HEBATCH" import $name.seal $name.csv --scale-bits 30 --insecure --rows 4
done
# At another scale than the parameters'.
expect 0 "$HEBATCH" import plain.seal plain29.csv --scale-bits 29 --insecure --rows 4
printf 'a,b\n0.5,1\n-1.25,2\n3e-3,3\n7,-4\n' >ours.csv
expect 0 "$HEBATCH" export ours.csv exported-plain --n 1024 --bits 40,30,40 --scale-bits 30 --like-seal --insecure
expect 0 "$HEBATCH" import exported-plain ours-again.csv --scale-bits 30 --insecure
"$PYTHON" - <<'PYTHON'
import struct
# The scale, in front of the array: behind header 16, parms_id 32, count 8. A third, no power of two; a square; none.
data = bytearray(open("exported-plain/plain-000000.seal", "rb").read())
assert struct.unpack_from("<d", data, 56)[0] == 2.0**30
for name, scale in ("third", 2.0**30 / 3), ("squared", 2.0**60), ("zero", 0.0):
    struct.pack_into("<d", data, 56, scale)
    open(name + ".seal", "wb").write(data)
PYTHON
for name in third squared; do
    expect 0 "$HEBATCH" import $name.seal $name.csv --scale-bits 30 --insecure --rows 4
done
refuse 65 "not between 1 and 2^100" "$HEBATCH" import zero.seal never.csv --scale-bits 30 --insecure --rows 4
absent never.csv
"$PYTHON" - <<'PYTHON' || fail "plaintexts of reals"
import csv
def column(name, i):
    return [float(row[i]) for row in list(csv.reader(open(name)))[1:]]
values = [0.5, -1.25, 3e-3, 7]
thirds, squares = [v / 3 for v in column("third.csv", 0)], [v * 2**30 for v in column("squared.csv", 0)]
for got in (column("plain.csv", 0), column("plain_low.csv", 0), column("ours-again.csv", 0), column("plain29.csv", 0),
            thirds, squares):
    assert len(got) == 4 and all(abs(a - b) < 2**-24 for a, b in zip(got, values)), got
assert all(abs(a - b) < 2**-24 for a, b in zip(column("ours-again.csv", 1), [1, 2, 3, -4]))
PYTHON
refuse 78 "made with --like-seal" "$HEBATCH" export ours.csv exported-own --params ckks-13
# And back again, to the words that came.
expect 0 "$HEBATCH" export fresh.heb exported-reals
expect 0 "$HEBATCH" import exported-reals again.heb --key seal-real --noise-bits 20
expect 0 "$HEBATCH" info --json fresh.heb
"$PYTHON" - <<'PYTHON' || fail "words that came back"
import h5py
one, two = h5py.File("fresh.heb/index.h5"), h5py.File("again.heb/index.h5")
for component in "c0", "c1":
    for row in one["ct"][component]:
        assert (one["ct"][component][row][:] == two["ct"][component][row][:]).all()
PYTHON
