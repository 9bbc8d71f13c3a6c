#!/bin/sh
# Parts of decryptions of datasets of several plain moduli: integers above any one of them, decrypted by all owners and by
# some, and for somebody else; a part is of all residues, none of which can be missing or another part's; each ciphertext
# of each residue counts. Given by ctest besides: KILL_AT_LIBRARY (kill_at.c).
here=$(cd "${0%/*}" && pwd)
# shellcheck source=tests/cli/harness.sh
. "$here/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
WIDE="--n 1024 --bits 55,55,55,55,56 --plain-bits 30 --wide 80 --insecure" # three plain moduli
for name in alice bob carol; do
    expect 0 "$HEBATCH" keygen --party $name --out $name --quiet
    mkdir -p cards
    cp $name/card.h5 cards/$name.h5
done

# owned FOLDER RESULTS OPTIONS...: joint keys of the three, in FOLDER and FOLDER-keys.
owned() {
    folder=$1 results=$2
    shift 2
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen --session "$folder" --cards 'cards/*.h5' $WIDE --results "$results" "$@"
    cp err "$folder.said"
    for round in 1 2 3; do
        for one in alice bob carol; do
            "$HEBATCH" keygen --join "$folder" --key $one/party.h5 --insecure --quiet >out 2>err || [ $? = 66 ] ||
                fail "$one: round $round"
        done
    done
    expect 0 "$HEBATCH" keygen --combine "$folder" --out "$folder-keys" --quiet
    for one in alice bob carol; do
        expect 0 "$HEBATCH" keygen --join "$folder" --key $one/party.h5 --check "$folder-keys" --quiet
    done
}

# part OWNER DATASET PART OPTIONS: for the sum that the dataset has.
part() {
    owner=$1 dataset=$2 to=$3
    shift 3
    expect 0 "$HEBATCH" decrypt --part --key "$owner/party.h5" --session "${session:-all}" --sum "$(sum_of "$dataset")" \
        "$dataset" "$to" "$@"
}

# parts DATASET NAME OPTIONS: those of all, NAME-OWNER.part.
parts() {
    of=$1 name=$2
    shift 2
    for one in ${owners:-alice bob carol}; do
        part "$one" "$of" "$name-$one.part" "$@"
    done
}

# ledger OWNER SESSION: the name of the file.
ledger() {
    "$HEBATCH" info --json "$2/session.h5" | "$PYTHON" -c 'import json, sys
print("'"$1"'/joint-%s.parts" % json.load(sys.stdin)["session"][:8])'
}

# same_part A B: byte by byte.
same_part() {
    for file in "$1"/*; do
        same "$file" "$2/${file##*/}"
    done
    [ "$(find "$1" -type f | wc -l)" = "$(find "$2" -type f | wc -l)" ] || fail "$1 and $2 have other files"
}

# --- keys say what they count

# shellcheck disable=SC2086
refuse 64 "results 2: a result has a ciphertext or more for each of 3 plain moduli" "$HEBATCH" keygen --session few \
    --cards 'cards/*.h5' $WIDE --results 2
# shellcheck disable=SC2086
expect 65 "$HEBATCH" keygen --session few --cards 'cards/*.h5' --n 1024 --bits 55,55,56 --plain-bits 50 --wide 138 --insecure \
    --results 100
complains "parts of 3 owners need [0-9]* bits of noise budget"
absent few
owned all 1000 --relin --rotations sum --swap
grep -q "decrypt  *3 of 3 owners, 1000 ciphertexts in all, those of all 3 plain moduli$" all.said || fail "what counts"
expect 0 "$HEBATCH" info all-keys/public.h5
says "owners  *3, of whom 3 decrypt, 1000 ciphertexts in all, those of all 3 plain moduli; session"
expect 0 "$HEBATCH" params suggest 'y = a * b' --columns a=1,b=1 --rows 10 --range a=0..10000000000,b=0..10000000000 \
    --owners 3 --results 5000
says "owners  *3, 5000 results, those of all [2-8] plain moduli; all their steps"

# --- a table comes back, by parts that have all residues

"$PYTHON" - <<'PYTHON'
import random
random.seed(1)
with open("t.csv", "w") as f:
    f.write("a,b,c\n")
    f.writelines("%d,%d,%d\n" % (random.randint(-10**9, 10**9), random.randint(0, 10**9), random.randint(0, 99))
                 for _ in range(2500))
PYTHON
range="--range a=-1000000000..1000000000,b=0..1000000000,c=0..99"
# encrypted NAME KEYS
encrypted() {
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt $range --key "$2/public.h5" t.csv "$1" --quiet
}
encrypted t.heb all-keys
encrypted twins.heb all-keys
expect 0 "$HEBATCH" decrypt --part --key alice/party.h5 --session all --trust t.heb dry.part --dry-run
says "^counted  *27 of the 1000 ciphertexts that the keys were made for, those of all 3 plain moduli$"
absent "$(ledger alice all)" dry.part dry.part.partial
cp -r alice fresh
cp -r alice empty
parts t.heb t
[ "$(grep -c "the part of carol, one of 3" out)" = 1 ] || fail "a part is told once"
[ "$(grep -c "^hebatch: counted " err)" = 1 ] || fail "the plan is told once"
for file in index.h5 index-1.h5 index-2.h5 part-00000.h5 part-1-00000.h5 part-2-00000.h5 joint-session.h5; do
    [ "$(stat -c %a t-alice.part/$file)" = 600 ] || fail "t-alice.part/$file is open to others, or is missing"
done
"$PYTHON" -c 'import json
r = json.load(open("t-alice.part.report.json"))
assert r["counted"] == 27 and len(r["sum"]) == 64, r' || fail "the report of a part"
"$PYTHON" -c 'import h5py
i = [h5py.File("t-alice.part/index%s.h5" % r, "r") for r in ("", "-1", "-2")]
assert ["signature" in f.attrs for f in i] == [False, False, True]
assert len({bytes(f.attrs["part_of"]) for f in i}) == 1 and len({int(f["params/plain"][0]) for f in i}) == 3' ||
    fail "the objects of a part"
expect 0 "$HEBATCH" combine t.heb 't-*.part' out.csv --json
same t.csv out.csv
"$PYTHON" -c 'import json
bits = json.load(open("out"))["noise_budget_bits"]
assert bits["proven"] <= bits["least"] <= bits["proven"] + 3, bits' || fail "noise is not what was planned"
expect 0 "$HEBATCH" combine t.heb t-carol.part t-alice.part t-bob.part - >/dev/null
same t.csv out
# The same request is the same part, counted once; every ciphertext of every residue counts.
part alice t.heb again.part
same_part t-alice.part again.part
[ "$(stat -c %s "$(ledger alice all)")" = $((64 + 64 * 27)) ] || fail "the ledger does not count 27 ciphertexts"

# --- residues that are missing, or another part's

# refuse_combine CODE WORDS: with bob.part in the place of t-bob.part.
refuse_combine() {
    refuse "$1" "$2" "$HEBATCH" combine t.heb t-alice.part bob.part t-carol.part few.csv
    absent few.csv few.csv.partial few.csv.residue-0.h5.partial
    rm -r bob.part
    cp -r t-bob.part bob.part
}
cp -r t-bob.part bob.part
for file in index.h5 index-1.h5 index-2.h5 part-00000.h5 part-1-00000.h5 part-2-00000.h5; do
    rm bob.part/$file
    refuse_combine 66 "$file"
done
mv bob.part/index.h5 kept
mv bob.part/index-1.h5 bob.part/index.h5
mv kept bob.part/index-1.h5
refuse_combine 65 "holds residue 1 in the place of residue 0"
cp bob.part/index-1.h5 bob.part/index.h5
refuse_combine 65 "holds residue 1 in the place of residue 0"
mv bob.part/part-1-00000.h5 bob.part/part-00000.h5
refuse_combine 65 "part-00000.h5: belongs to another dataset"
# A residue of another part of the same owner and dataset, for other cells, as a copy of his ledger allowed it.
mv bob used
cp -r fresh bob
cp used/* bob
rm bob/*.parts
expect 0 "$HEBATCH" decrypt --part --new-ledger --key bob/party.h5 --session all --sum "$(sum_of t.heb)" t.heb other.part \
    --rows 1..5 --quiet
rm -r bob
mv used bob
for r in "" -1; do
    cp other.part/index$r.h5 other.part/part$r-00000.h5 bob.part
    refuse_combine 65 "is of another dataset than the last of the residues"
    # Also where the last index says that it belongs to the others: the signature is of them all.
    cp other.part/index$r.h5 other.part/part$r-00000.h5 bob.part
    "$PYTHON" - "$r" <<'PYTHON'
import sys, h5py
r = int(sys.argv[1][1:] or 0)
with h5py.File("bob.part/index-2.h5", "r+") as last, h5py.File("other.part/index%s.h5" % sys.argv[1], "r") as own:
    last["residues/data_sum"][r] = own.attrs["data_sum"]
PYTHON
    refuse_combine 65 "bob.part: is not signed by bob"
done
# Nor where the owner himself signs that: his part has another request for one residue than for the others.
"$PYTHON" "$forge" mixed bob.part t-bob.part bob/party.h5
expect 0 "$HEBATCH" combine t.heb t-alice.part bob.part t-carol.part forged.csv --quiet
same t.csv forged.csv
"$PYTHON" "$forge" mixed bob.part other.part bob/party.h5
refuse_combine 65 "bob.part: is for other cells, or another receiver, under plain modulus 1 (from 0) than under the first"
refuse 65 "is for other cells, or another receiver, than the part of alice" "$HEBATCH" combine t.heb t-alice.part other.part \
    t-carol.part few.csv
flip bob.part/part-2-00000.h5 -5000
refuse_combine 65 "do not match their checksum"
"$PYTHON" -c 'import h5py
f = h5py.File("bob.part/index-2.h5", "r+")
s = f.attrs["signature"]; s[5] ^= 1; f.attrs.modify("signature", s)'
refuse_combine 65 "bob.part: is not signed by bob"
refuse 66 "no part of bob" "$HEBATCH" combine t.heb t-alice.part t-carol.part few.csv
# One component 1 in two residues, as a server would make it: it is refused before any is recorded, by any ranks; with an
# empty ledger, of which nothing is looked up, with the second residue. No part leaves.
"$PYTHON" "$forge" twins twins.heb
expect 0 "$HEBATCH" verify twins.heb --quiet
before=$(stat -c %s "$(ledger carol all)")
for n in 1 3; do
    # shellcheck disable=SC2086
    expect 65 $MPIRUN -n $n "$HEBATCH" decrypt --part --key carol/party.h5 --session all --trust twins.heb no.part --quiet
    complains "twins.heb: ciphertexts for two plain moduli have the same component 1, of which one part alone may be made"
    [ "$(stat -c %s "$(ledger carol all)")" = "$before" ] || fail "a refused dataset was recorded"
done
expect 65 "$HEBATCH" decrypt --part --key empty/party.h5 --session all --trust twins.heb no.part --quiet
complains "a part of ciphertext 0 was made already, for .* another plain modulus or other noise"
absent no.part no.part.partial

# --- results above any one plain modulus, and their sums

encrypted x.heb all-keys
encrypted u.heb all-keys
expect 0 "$HEBATCH" eval --keys all-keys 'y = x.a * x.b; s = sum(x.a * x.b); p = sum(x); g = x.a - x.b' x=x.heb y=y.heb s=s.heb \
    p=p.heb g=g.heb
complains "owners  *3: results keep [0-9]* bits of the noise budget for their parts"
refuse 65 "parts of 3 owners need [0-9]* bits of noise budget" "$HEBATCH" eval --keys all-keys \
    'y = x.a * x.b * x.c * x.c' --wrap x=x.heb y=deep.heb
absent deep.heb deep.heb.partial
# check NAME...: the results, as Python finds them.
check() {
    "$PYTHON" - "$@" <<'PYTHON' || fail "wrong results"
import csv, sys
t = [[int(v) for v in row] for row in list(csv.reader(open("t.csv")))[1:]]
wanted = {"y": [[a * b] for a, b, c in t], "s": [[sum(a * b for a, b, c in t)]], "p": [[sum(c) for c in zip(*t)]],
          "g": [[a - b] for a, b, c in t]}
for name in sys.argv[1:]:
    found = [[int(v) for v in row] for row in list(csv.reader(open(name + ".csv")))[1:]]
    assert found == wanted[name], (name, found[:3], wanted[name][:3])
assert abs(wanted["s"][0][0]) >> 60
PYTHON
}
for result in y s p g; do
    parts $result.heb $result
    expect 0 "$HEBATCH" combine $result.heb "$result-*.part" $result.csv
done
check y s p g
expect 0 "$HEBATCH" combine s.heb 's-*.part' s.h5:/s
# An owner computes a result again: all of its residues. Whatever eval was told of --compact, and also what was opened.
again() {
    "$HEBATCH" decrypt --part --key carol/party.h5 --session all --recompute "$@"
}
expect 0 again 'y = x.a * x.b; s = sum(x.a * x.b); p = sum(x); g = x.a - x.b' --keys all-keys x=x.heb y=y.heb s=s.heb p=p.heb \
    g=g.heb y.heb again-y.part
same_part y-carol.part again-y.part
[ "$(grep -c "^hebatch: owners  *3" err)" = 1 ] || fail "the plan of a computation is told once"
expect 0 "$HEBATCH" eval --keys all-keys 'd = x.a + x.c' x=x.heb d=d.heb --compact off
expect 0 again 'd = x.a + x.c' --keys all-keys x=x.heb d.heb d-carol.part
expect 0 "$HEBATCH" sanitize --open --key all-keys/public.h5 d.heb opened.heb
expect 0 again 'd = x.a + x.c' --keys all-keys x=x.heb opened.heb opened.part
expect 0 again 'd = x.a + x.c' --keys all-keys x=x.heb opened.heb dry.part --dry-run
refuse 65 "is another result, or one of other inputs" again 'd = x.a + x.c' --keys all-keys x=u.heb d.heb no.part
# One residue alone is another one: its sum holds, and the sum of the whole with it.
cp -r d.heb forged.heb
"$PYTHON" "$forge" twins forged.heb
expect 0 "$HEBATCH" verify forged.heb --quiet
refuse 65 "is another result, or one of other inputs" again 'd = x.a + x.c' --keys all-keys x=x.heb forged.heb no.part
absent no.part no.part.partial
for left in *.recomputed*; do
    [ ! -e "$left" ] || fail "$left was left behind"
done
# Some cells of a table.
parts u.heb u --rows 1000..1100 --columns c,a
expect 0 "$HEBATCH" combine u.heb 'u-*.part' cells.csv
awk -F, 'NR == 1 || (NR > 1000 && NR <= 1101) { print $3 "," $1 }' t.csv >cells
same cells cells.csv

# --- for somebody else, and for other owners

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $WIDE --out one --relin --quiet
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 1024 --bits 55,55,55,55,56 --plain-bits 30 --insecure --out narrow --quiet
encrypted r.heb all-keys
refuse 78 "has other parameters than r.heb" "$HEBATCH" decrypt --part --key alice/party.h5 --session all --trust r.heb no.part \
    --to narrow/public.h5
parts r.heb r --to one/public.h5
[ "$(grep -c "^hebatch: receiver " err)" = 1 ] || fail "the receiver is told once"
refuse 64 "are for key" "$HEBATCH" combine r.heb 'r-*.part' few.csv
refuse 64 "are in the clear" "$HEBATCH" combine t.heb 't-*.part' few.heb
cp -r r-bob.part cut.part
rm cut.part/index-1.h5
refuse 66 "index-1.h5" "$HEBATCH" combine r.heb r-alice.part cut.part r-carol.part few.heb
rm -rf few.heb few.heb.*
expect 0 "$HEBATCH" combine r.heb 'r-*.part' for-one.heb
says "^for-one.heb: 2500 rows x 3 columns under key"
[ "$(wc -l <out)" = 1 ] || fail "the dataset is told more than once"
expect 0 "$HEBATCH" decrypt --key one/secret.h5 for-one.heb one.csv
same t.csv one.csv
expect 0 "$HEBATCH" verify --key one/secret.h5 --against t.csv for-one.heb
expect 0 "$HEBATCH" info for-one.heb
says "^history *parts, of key .*, sum $(sum_of r.heb)$"
expect 0 "$HEBATCH" eval --keys one 'g = x.a - x.b' x=for-one.heb g=g-one.heb
expect 0 "$HEBATCH" decrypt --key one/secret.h5 g-one.heb g.csv --force
check g

owned some 1000 --threshold 2
encrypted m.heb all-keys
parts m.heb m --to some-keys/public.h5
expect 0 "$HEBATCH" combine m.heb 'm-*.part' moved.heb
session=some owners="alice carol"
parts moved.heb moved --owners alice,carol
expect 0 "$HEBATCH" combine moved.heb 'moved-*.part' moved.csv
same t.csv moved.csv
encrypted v.heb some-keys
owners="bob carol"
parts v.heb v --owners bob,carol --rows 1000..1100 --columns c,a
refuse 66 "no part of carol" "$HEBATCH" combine v.heb v-bob.part few.csv
expect 0 "$HEBATCH" combine v.heb 'v-*.part' some.csv
same cells some.csv
expect 65 "$HEBATCH" decrypt --part --key bob/party.h5 --session some --owners alice,bob --trust v.heb no.part --quiet
complains "was made already"
session='' owners=''

# --- what was promised

owned little 30
encrypted l.heb little-keys
encrypted m2.heb little-keys
session=little
parts l.heb l
expect 65 "$HEBATCH" decrypt --part --key alice/party.h5 --session little --trust m2.heb no.part --quiet
complains "30 parts were promised for these keys: 3 are left, 27 asked for"
absent no.part no.part.partial
owned none 26
encrypted n.heb none-keys
expect 65 "$HEBATCH" decrypt --part --key alice/party.h5 --session none --trust n.heb no.part --quiet
complains "n.heb: has 27 ciphertexts, of all plain moduli together, and 26 parts were promised for these keys"
absent no.part no.part.partial "$(ledger alice none)"
session=''

# --- a passphrase is asked for once

cat >asked.sh <<'END'
echo asked >>asked
echo "correct horse"
END
mkdir sealed
for name in erin frank; do
    expect 0 "$HEBATCH" keygen --party $name --out $name --seal --cost interactive --passphrase "command:sh asked.sh" --quiet
    cp $name/card.h5 sealed/$name.h5
done
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --session two --cards 'sealed/*.h5' $WIDE --results 100 --quiet
for round in 1 2 3; do
    for name in erin frank; do
        "$HEBATCH" keygen --join two --key $name/party.h5 --insecure --passphrase "command:sh asked.sh" >out 2>err ||
            [ $? = 66 ] || fail "round $round of $name"
    done
done
expect 0 "$HEBATCH" keygen --combine two --out two-keys --quiet
for name in erin frank; do
    expect 0 "$HEBATCH" keygen --join two --key $name/party.h5 --check two-keys --quiet \
        --passphrase "command:sh asked.sh"
done
encrypted z.heb two-keys
for name in erin frank; do
    rm -f asked
    expect 0 "$HEBATCH" decrypt --part --key $name/party.h5 --session two --sum "$(sum_of z.heb)" z.heb z-$name.part \
        --passphrase "command:sh asked.sh"
    [ "$(wc -l <asked)" = 1 ] || fail "a passphrase was asked for $(wc -l <asked) times"
done
expect 0 "$HEBATCH" combine z.heb 'z-*.part' z.csv
same t.csv z.csv

# --- killed before every call that changes files: the same line makes the same bytes

[ -n "${KILL_AT_LIBRARY-}" ] || exit 0
head -n 1000 t.csv | cut -d, -f1 >k.csv
expect 0 "$HEBATCH" encrypt --range -1000000000..1000000000 --key all-keys/public.h5 k.csv k.heb --quiet
sum=$(sum_of k.heb)
cp -r carol before
part carol k.heb k.part
k=0
while :; do
    k=$((k + 5))
    rm -rf killed.part killed.part.partial carol
    cp -r before carol
    code=0
    KILL_AT=$k LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" decrypt --part --key carol/party.h5 --session all --sum "$sum" \
        k.heb killed.part >out 2>err || code=$?
    [ $code = 0 ] && break
    [ $code = 137 ] || fail "exit code $code when killed at $k"
    [ -e killed.part ] || expect 0 "$HEBATCH" decrypt --part --resume --key carol/party.h5 --session all --sum "$sum" \
        k.heb killed.part
    rm -f killed.part/job.json # of a job that was killed when the part had its name
    same_part k.part killed.part
done
[ $k -gt 40 ] || fail "killed at no more than $k calls"
