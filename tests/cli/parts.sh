#!/bin/sh
# Three owners of joint keys: each makes a part of a result, and anybody combines the parts to a table; what is not asked
# for as it has to be is refused. Given by ctest besides: JOINT_KEYS (joint_keys.c), KILL_AT_LIBRARY (kill_at.c).
here=$(cd "${0%/*}" && pwd)
# shellcheck source=tests/cli/harness.sh
. "$here/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

expect 0 "$JOINT_KEYS" w 1000 alice bob carol
key=w/keys/public.h5
owners="alice bob carol"

# part OWNER DATASET PART OPTIONS: for the sum that the dataset has.
part() {
    owner=$1 dataset=$2 to=$3
    shift 3
    expect 0 "$HEBATCH" decrypt --part --key "w/$owner/party.h5" --session w/joint --sum "$(sum_of "$dataset")" \
        "$dataset" "$to" "$@"
}

# parts DATASET NAME OPTIONS: those of all, NAME-OWNER.part.
parts() {
    of=$1 name=$2
    shift 2
    for one in $owners; do
        part "$one" "$of" "$name-$one.part" "$@"
    done
}

# refuse_part CODE WORDS OWNER OPTIONS DATASET PART
refuse_part() {
    wanted_code=$1 wanted_words=$2 owner=$3
    shift 3
    expect "$wanted_code" "$HEBATCH" decrypt --part --key "w/$owner/party.h5" --session w/joint "$@" --quiet
    complains "$wanted_words"
}

# --- a table comes back, byte by byte

table 2500 3 100 >t.csv
expect 0 "$HEBATCH" encrypt --range 0..99 --key $key t.csv t.heb
parts t.heb t
says "^t-carol.part: the part of carol, one of 3$"
[ "$(stat -c %a t-alice.part)" = 700 ] && [ "$(stat -c %a t-alice.part/index.h5)" = 600 ] || fail "a part is open to others"
[ "$(stat -c %a w/alice/joint-*.parts)" = 600 ] || fail "a ledger is open to others"
expect 0 "$HEBATCH" combine t.heb 't-*.part' out.csv
same t.csv out.csv
says "^noise budget .* proven"
expect 0 "$HEBATCH" combine t.heb t-carol.part t-alice.part t-bob.part - >/dev/null
same t.csv out
expect 0 "$HEBATCH" combine t.heb 't-*.part' out.h5:/t --json
"$PYTHON" -c 'import json
report = json.load(open("out"))
assert report["command"] == "combine" and report["parts"] == ["alice", "bob", "carol"], report
assert report["noise_budget_bits"]["least"] >= report["noise_budget_bits"]["proven"], report' || fail "the report of combine"
"$PYTHON" -c 'import h5py, csv
t = h5py.File("out.h5")["t"][:].tolist()
assert t == [[int(x) for x in row] for row in list(csv.reader(open("t.csv")))[1:]]' || fail "out.h5 is another table"

# --- public keys of the same id that say of other owners: the bounds of noise would be too small

for other in one-owner one-result; do
    expect 0 "$HEBATCH" encrypt --range 0..99 --key w/$other.h5 t.csv $other.heb
    refuse 65 "has other parameters or owners" "$HEBATCH" eval --keys w/keys 'y = x.c1 * x.c2' x=$other.heb y=few.heb
    refuse 65 "name one key with different owners" "$HEBATCH" eval 'y = x + z' x=$other.heb z=t.heb y=few.heb
    refuse 65 "is of another key pair" "$HEBATCH" concat $other.heb t.heb few.heb
    refuse 65 "is of another key pair" "$HEBATCH" encrypt --append --range 0..99 --key $key t.csv $other.heb
done
expect 65 "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --trust one-result.heb no.part --quiet
complains "is another session"

# --- the same request is the same part, also of more ranks, of members that share limbs, and continued

size=$(stat -c %s w/alice/joint-*.parts)
sum_of_part() {
    sed -n 's/.*"sum": "\([0-9a-f]*\)".*/\1/p' "$1.report.json" | tail -n 1
}
part alice t.heb again.part
for file in index.h5 part-00000.h5 joint-session.h5; do
    same t-alice.part/$file again.part/$file
done
for n in 2 3; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n $n "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint/session.h5 \
        --sum "$(sum_of t.heb)" t.heb ranks$n.part
    [ "$(sum_of_part ranks$n.part)" = "$(sum_of_part t-alice.part)" ] || fail "another part by $n ranks"
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n $n "$HEBATCH" combine t.heb ranks$n.part t-bob.part t-carol.part ranks$n.csv
    same t.csv ranks$n.csv
done
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --part --limb-ranks 2 --key w/alice/party.h5 --session w/joint \
    --sum "$(sum_of t.heb)" t.heb limbs.part
[ "$(sum_of_part limbs.part)" = "$(sum_of_part t-alice.part)" ] || fail "another part by members"
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" combine --limb-ranks 2 t.heb limbs.part t-bob.part t-carol.part limbs.csv
same t.csv limbs.csv
[ "$(stat -c %s w/alice/joint-*.parts)" = "$size" ] || fail "a part that was made again was counted again"
[ "$size" = $((64 + 64 * 9)) ] || fail "a ledger of $size bytes for 9 ciphertexts"

# --- too few, and wrong ones

refuse 66 "no part of carol" "$HEBATCH" combine t.heb t-alice.part t-bob.part few.csv
refuse 66 "no part of bob, carol" "$HEBATCH" combine t.heb t-alice.part few.csv
refuse 65 "two parts of alice" "$HEBATCH" combine t.heb t-alice.part again.part t-bob.part few.csv
absent few.csv
refuse 65 "is a dataset, and no part" "$HEBATCH" combine t.heb t-alice.part t.heb few.csv
refuse 65 "part of a decryption that alice made" "$HEBATCH" decrypt --key $key t-alice.part few.csv
refuse 65 "part of a decryption that alice made" "$HEBATCH" eval --keys w/keys 'y = x + 1' x=t-alice.part y=few.heb
refuse 65 "part of a decryption that alice made" "$HEBATCH" info t-alice.part
refuse 65 "part of a decryption that alice made" "$HEBATCH" verify t-alice.part
refuse 65 "part of a decryption that alice made" "$HEBATCH" combine t-alice.part 't-*.part' few.csv
expect 0 "$HEBATCH" encrypt --range 0..99 --key $key t.csv u.heb
parts u.heb u
refuse 65 "u-alice.part: is a part of another dataset" "$HEBATCH" combine t.heb u-alice.part t-bob.part t-carol.part few.csv
cp -r t-bob.part cut.part
truncate -s -8 cut.part/part-00000.h5
refuse 65 "cut.part" "$HEBATCH" combine t.heb t-alice.part cut.part t-carol.part few.csv
rm -r cut.part
cp -r t-bob.part flipped.part
flip flipped.part/part-00000.h5 -5000
refuse 65 "do not match their checksum" "$HEBATCH" combine t.heb t-alice.part flipped.part t-carol.part few.csv
cp -r t-bob.part signed.part
"$PYTHON" -c 'import h5py, numpy
f = h5py.File("signed.part/index.h5", "r+")
s = f.attrs["signature"]; s[5] ^= 1; f.attrs.modify("signature", s)'
refuse 65 "signed.part: is not signed by bob" "$HEBATCH" combine t.heb t-alice.part signed.part t-carol.part few.csv
"$PYTHON" -c 'import h5py
a, b = (h5py.File(f"{n}.part/index.h5", "r+") for n in ("signed", "t-carol"))
a.attrs.modify("signature", b.attrs["signature"])'
refuse 65 "signed.part: is not signed by bob" "$HEBATCH" combine t.heb t-alice.part signed.part t-carol.part few.csv
# Rows of another part, with sums that hold and the signature that was there: the sum is not the one that was signed.
cp -r t-bob.part swapped.part
for file in index.h5 part-00000.h5; do
    cp u-bob.part/$file swapped.part/
done
refuse 65 "is a part of another dataset" "$HEBATCH" combine t.heb t-alice.part swapped.part t-carol.part few.csv
# The session says whose cards these are.
expect 0 "$JOINT_KEYS" other 1000 alice bob dave
cp -r t-bob.part session.part
cp other/joint/session.h5 session.part/joint-session.h5
refuse 65 "is another session" "$HEBATCH" combine t.heb t-alice.part session.part t-carol.part few.csv
rm session.part/joint-session.h5
refuse 66 "session.h5" "$HEBATCH" combine t.heb t-alice.part session.part t-carol.part few.csv
absent few.csv

# --- what an owner does not do

sum=$(sum_of t.heb)
refuse_part 64 "needs --sum, --recompute or --trust" alice t.heb no.part
refuse_part 64 "no.csv: a part is no table: name it no.part" alice --sum "$sum" t.heb no.csv
refuse_part 64 "does not go to standard output: name it OUT.part" alice --sum "$sum" t.heb -
refuse_part 73 "u.heb: is a dataset, which no part replaces" alice --sum "$sum" t.heb u.heb
refuse_part 73 "u.heb: is a dataset, which no part replaces" alice --sum "$sum" t.heb u.heb --force
refuse_part 66 "nothing.heb: cannot open the dataset" alice --sum "$sum" nothing.heb t-alice.part # before OUT
refuse_part 64 "are of --recompute" alice --sum "$sum" --keys w/keys t.heb no.part
refuse_part 64 "are of --recompute" alice --sum "$sum" --range x=0..1 t.heb no.part
refuse_part 64 "are of --recompute" alice --sum "$sum" --noise worst t.heb no.part
refuse_part 64 "are of --recompute" alice --sum "$sum" --compact 3 t.heb no.part
refuse_part 64 "x=t.heb: inputs are of --recompute" alice --sum "$sum" x=t.heb t.heb no.part
refuse 64 "are of --recompute" "$HEBATCH" decrypt --key w/alice/party.h5 --keys w/keys t.heb no.csv
refuse_part 64 "usage: hebatch decrypt --part --key PARTY.h5" alice --sum "$sum" t.heb
refuse 64 "usage: hebatch decrypt --key SECRET.h5 IN.heb TABLE" "$HEBATCH" decrypt --key w/alice/party.h5 t.heb
refuse 64 "key FILE is missing: party.h5 of the owner" "$HEBATCH" decrypt --part --session w/joint --sum "$sum" t.heb no.part
# Variables of a shell, which are for eval, are no options of this line.
HEBATCH_KEYS=w/keys expect 0 "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --sum "$sum" --dry-run t.heb no.part
for command in "sanitize --open --key $key" "combine --force" "rekey --key $key --keys w"; do
    # shellcheck disable=SC2086
    refuse 66 "nothing.heb: cannot open the dataset" "$HEBATCH" ${command%% *} nothing.heb ${command#* } $(
        [ "${command%% *}" = combine ] && echo t-alice.part) t.heb
done
refuse 66 "nothing.heb: cannot open the dataset" "$HEBATCH" combine nothing.heb t-alice.part t.csv
refuse_part 64 "expected the sum" alice --sum 5f0c t.heb no.part
refuse_part 65 "sum of t.heb is $sum, not 0000" alice --sum 00000000000000000000000000000000 t.heb no.part
refuse_part 65 "was made already" alice --sum "$sum" --rows 1..5 t.heb no.part
refuse_part 65 "was made already" alice --sum "$sum" --columns c1 t.heb no.part
absent no.part no.part.partial
refuse 64 "is under the key of one owner" "$HEBATCH" combine "$("$HEBATCH" keygen $SMALL --out one >/dev/null 2>&1
    "$HEBATCH" encrypt --key one/public.h5 t.csv one.heb >/dev/null 2>&1
    echo one.heb)" t-alice.part few.csv
refuse_part 64 "is under the key of one owner" alice --trust one.heb no.part
refuse_part 66 "one is a directory: did you mean one/public.h5?$" alice --to one --sum "$sum" t.heb no.part
refuse_part 65 "w/alice/party.h5: is the party file of an owner of joint keys, where a key (public.h5, secret.h5) is needed" \
    alice --to w/alice/party.h5 --sum "$sum" t.heb no.part
refuse 65 "is a key (public.h5, secret.h5), where a file of owners of joint keys (party.h5) is needed" "$HEBATCH" \
    decrypt --part --key one/secret.h5 --session w/joint --sum "$sum" t.heb no.part
refuse 65 "another session" "$HEBATCH" decrypt --part --key w/alice/party.h5 --session other/joint --sum "$sum" t.heb no.part
refuse 65 "no card of the session" "$HEBATCH" decrypt --part --key other/dave/party.h5 --session w/joint --sum "$sum" \
    t.heb no.part
chmod 640 w/alice/party.h5
refuse 77 "chmod 600" "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --sum "$sum" t.heb no.part
chmod 600 w/alice/party.h5
# A result whose component 1 is the same: its noise is another one, and with two parts it would not hide the secret.
expect 0 "$HEBATCH" eval --compact off --keys w/keys 'y = x + 1' x=t.heb y=shifted.heb
refuse_part 65 "was made already" alice --sum "$(sum_of shifted.heb)" shifted.heb no.part
# Component 0 does not matter: whatever a server makes of it, it gets the same part.
cp -r t.heb changed.heb
"$PYTHON" "$forge" noise changed.heb
[ "$(sum_of changed.heb)" != "$sum" ] || fail "the dataset was not changed"
refuse_part 0 "" alice --trust changed.heb changed.part
"$PYTHON" -c 'import h5py
a, b = (h5py.File(f"{n}.part/part-00000.h5")["ct/h0"] for n in ("t-alice", "changed"))
assert all((a[l][:] == b[l][:]).all() for l in a) and len(a) == 4' || fail "the part depends on component 0"
refuse 65 "changed.part: is a part of another dataset" "$HEBATCH" combine t.heb changed.part t-bob.part t-carol.part few.csv
parts_of_changed="changed.part"
for one in bob carol; do
    refuse_part 0 "" $one --trust changed.heb changed-$one.part
    parts_of_changed="$parts_of_changed changed-$one.part"
done
# shellcheck disable=SC2086
refuse 65 "one of the parts is wrong .*; nobody can tell which: let every owner make his again" "$HEBATCH" combine changed.heb $parts_of_changed few.csv
absent few.csv

# --- the ledger

mv w/bob/joint-*.parts ledger
refuse_part 65 "is gone" bob --sum "$sum" t.heb no.part
refuse 65 "is another session than that of the keys of t.heb" "$HEBATCH" decrypt --part --key other/bob/party.h5 \
    --session other/joint --trust t.heb no.part
head -c 40 ledger >"w/bob/joint-$(basename w/bob/joint-*.h5 .h5 | cut -c 7-).parts"
chmod 600 w/bob/joint-*.parts
refuse_part 65 "joint-.*parts: ends early, at byte 40" bob --sum "$sum" t.heb no.part
rm w/bob/joint-*.parts
expect 0 "$HEBATCH" decrypt --part --new-ledger --key w/bob/party.h5 --session w/joint --sum "$sum" t.heb new.part
same new.part/part-00000.h5 t-bob.part/part-00000.h5
refuse_part 64 "joint-.*.parts is there, and goes on: leave the option out" bob --new-ledger --sum "$sum" t.heb no.part
absent no.part no.part.partial
# While another process holds it, an owner is told so, and can stop at once.
held=$(echo w/bob/joint-*.parts)
"$PYTHON" -c 'import fcntl, sys, time
held = open(sys.argv[1], "rb+")
fcntl.flock(held, fcntl.LOCK_EX)
open("is-held", "w").close()
time.sleep(60)' "$held" &
holder=$!
until [ -e is-held ]; do sleep 0.05; done
"$HEBATCH" decrypt --part --key w/bob/party.h5 --session w/joint --sum "$sum" t.heb held.part >out 2>err &
waiter=$!
until grep -q "another process holds it; waiting for a minute at most" err; do sleep 0.05; done
kill -TERM $waiter
code=0
wait $waiter || code=$?
[ $code = 75 ] || fail "exit code $code of a job that was asked to stop while it waited for a ledger"
kill -0 $holder || fail "the ledger was released: the job did not end at once"
absent held.part
kill $holder
wait $holder || true
# An older ledger, of a backup, does not know what was made since: for another request it would give another part, and
# with both anybody has the secret. joint-ID.h5 knows how many records there were, so it is refused for any request.
long=a1234567890123456789012345678901 # as long as a name may be
expect 0 "$JOINT_KEYS" older 100 alice $long
expect 0 "$HEBATCH" encrypt --range 0..99 --key older/keys/public.h5 t.csv o.heb
part_of_older() {
    to=$1
    shift
    "$HEBATCH" decrypt --part --key older/alice/party.h5 --session older/joint --sum "$(sum_of o.heb)" o.heb "$to" "$@" --quiet
}
expect 0 part_of_older o.part
expect 0 "$HEBATCH" decrypt --part --key older/$long/party.h5 --session older/joint --trust o.heb o-long.part
expect 0 "$HEBATCH" combine o.heb o.part o-long.part o.csv
same t.csv o.csv
ledger=$(echo older/alice/joint-*.parts)
cp -p "$ledger" newest.parts
for records in 8 4 0; do # those of some ciphertexts ago
    truncate -s $((64 + 64 * records)) "$ledger"
    expect 65 part_of_older other.part --rows 1..5
    complains "joint-.*.parts: has $records records, and had 9: an older one was put back"
    expect 64 part_of_older o-again.part --new-ledger
    absent other.part other.part.partial o-again.part o-again.part.partial
done
cp -p newest.parts "$ledger"
expect 0 part_of_older o-again.part
same o.part/part-00000.h5 o-again.part/part-00000.h5
[ "$(stat -c %s "$ledger")" = $((64 + 64 * 9)) ] || fail "a ledger of $(stat -c %s "$ledger") bytes"
expect 65 part_of_older other.part --rows 1..5
expect 0 "$JOINT_KEYS" little 12 alice bob
for name in l m; do
    expect 0 "$HEBATCH" encrypt --key little/keys/public.h5 t.csv $name.heb
done
expect 0 "$HEBATCH" decrypt --part --key little/alice/party.h5 --session little/joint --trust l.heb l.part
expect 65 "$HEBATCH" decrypt --part --key little/alice/party.h5 --session little/joint --trust m.heb m.part
complains "12 parts were promised for these keys: 3 are left, 9 asked for, one of each ciphertext .* make new keys"
# Where a dataset has more by itself, nothing is counted.
expect 0 "$JOINT_KEYS" tiny 8 alice bob
expect 0 "$HEBATCH" encrypt --key tiny/keys/public.h5 t.csv n.heb
expect 65 "$HEBATCH" decrypt --part --key tiny/alice/party.h5 --session tiny/joint --trust n.heb n.part
complains "n.heb: has 9 ciphertexts, and 8 parts were promised for these keys"
absent m.part m.part.partial n.part n.part.partial tiny/alice/joint-*.parts

# Who is refused has used nothing up: all ciphertexts are looked up before the first one counts, by any ranks.
expect 0 "$JOINT_KEYS" once 20 alice bob
table 2048 3 100 >two-blocks.csv
for i in 1 2 3 4; do
    expect 0 "$HEBATCH" encrypt --range 0..99 --key once/keys/public.h5 two-blocks.csv once$i.heb
done
expect 0 "$HEBATCH" concat once1.heb once2.heb once12.heb
expect 0 "$HEBATCH" concat once3.heb once4.heb once34.heb
expect 0 "$HEBATCH" concat once3.heb once3.heb once33.heb
# once N CODE RECORDS DATASET PART OPTIONS: a part by N ranks, and the records after it.
once() {
    ranks=$1 wanted_code=$2 records=$3
    shift 3
    # shellcheck disable=SC2086
    expect "$wanted_code" $MPIRUN -n "$ranks" "$HEBATCH" decrypt --part --key once/alice/party.h5 --session once/joint \
        --trust "$@"
    [ "$(stat -c %s once/alice/joint-*.parts)" = $((64 + 64 * records)) ] ||
        fail "$1: $(stat -c %s once/alice/joint-*.parts) bytes of records, not $records"
}
once 1 0 6 once2.heb once2.part --rows 1..5
complains "^hebatch: ledger *0 results recorded, 20 left"
grep -A 4 '"results"' once2.part.report.json | tr -d ' \n' | grep -q '"promised":20,"recorded":6,"left":14' ||
    fail "the report does not say how many results are left"
expect 0 "$HEBATCH" info once/alice/joint-*.parts
says "^kind *ledger of the parts"
says "^recorded *6 results; the plan of hebatch decrypt --part says how many are left"
expect 0 "$HEBATCH" info --json once/alice/joint-*.parts
says '"recorded": 6'
for n in 1 2 3; do
    once $n 65 6 once12.heb once12.part
    complains "a part of ciphertext [0-9]* was made already.*hebatch sanitize --open IN.heb OUT.heb --key PUBLIC.h5"
done
once 1 0 12 once1.heb once1.part
for n in 1 2 3; do
    once $n 65 12 once34.heb once34.part
    complains "20 parts were promised for these keys: 8 are left, 12 asked for"
done
# shellcheck disable=SC2086
once 2 65 12 once34.heb once34.part --limb-ranks 2
complains "8 are left, 12 asked for"
once 1 65 12 once34.heb once34.part --rows 1..1 --columns c1
complains "8 are left, 12 asked for, one of each ciphertext of the dataset, whichever its cells"
cp -r once3.heb once-cut.heb
flip once-cut.heb/part-00000.h5 -5000
once 1 65 12 once-cut.heb once-cut.part
complains "do not match their checksum"
absent once12.part.partial once34.part.partial once-cut.part.partial
# What stands in a dataset twice counts once.
once 3 0 18 once33.heb once33.part
once 2 0 18 once33.heb once33-again.part
[ "$(sum_of_part once33.part)" = "$(sum_of_part once33-again.part)" ] || fail "another part of ciphertexts that stand twice"

# --- some cells

expect 0 "$HEBATCH" encrypt --range 0..99 --key $key t.csv v.heb
parts v.heb v --rows 1000..1100 --columns c3,c1
expect 0 "$HEBATCH" combine v.heb 'v-*.part' cells.csv
awk -F, 'NR == 1 || (NR > 1000 && NR <= 1101) { print $3 "," $1 }' t.csv >cells
same cells cells.csv
refuse_part 65 "was made already" alice --sum "$(sum_of v.heb)" v.heb no.part
refuse_part 64 "has 2500 rows" alice --sum "$(sum_of v.heb)" --rows 3000 v.heb no.part

# Whoever combines sees every slot: those that are no cell are uniform, in a column that is not asked for, and beside the
# 25 cells of another. Values of the table are below 100 of 65537.
seen() {
    "$PYTHON" "$here/parts.py" "$@" >seen || fail "cannot look at the slots of $3"
    [ "$(wc -l <seen)" = 1024 ] || fail "$(wc -l <seen) slots"
}
chi_square() {
    awk '{ bin[int($1 * 16 / 65537)]++ } END { e = NR / 16; for (i = 0; i < 16; i++) c += (bin[i] - e) ^ 2 / e; exit !(c < 60) }' \
        seen || fail "the slots of $1 are not uniform"
}
seen slots 1 v.heb v-*.part
[ "$(awk '$1 < 100' seen | wc -l)" -lt 20 ] || fail "a column shows that nobody asked for"
chi_square "a column that is not asked for"
seen slots 0 v.heb v-*.part
below=$(awk '$1 < 100' seen | wc -l)
[ "$below" -ge 25 ] && [ "$below" -lt 45 ] || fail "$below values of a table where 25 were asked for"
# All cells of a whole table show, and nothing of it where a part is missing.
seen slots 0 t.heb t-*.part
[ "$(awk '$1 < 100' seen | wc -l)" = 1024 ] || fail "a slot of a full ciphertext is not its cell"
seen slots 0 t.heb t-alice.part t-bob.part
chi_square "a result without the part of carol"

# --- results

table 1500 2 40 >x.csv
expect 0 "$HEBATCH" encrypt --range 0..39 --key $key x.csv x.heb
expect 0 "$HEBATCH" eval --keys w/keys 'y = x.c1 * x.c2; s = sum(x.c1 * x.c1); p = sum(x)' --wrap x=x.heb y=y.heb \
    s=s.heb p=p.heb
complains "owners  *3: results keep 59 bits of the noise budget for their parts"
# They are stored in few limbs, and can be decrypted; where too little is left, nothing is computed.
"$HEBATCH" info y.heb | grep -q "at 2 of 4 limbs" || fail "y.heb is not compact"
refuse_eval() {
    expect 65 "$HEBATCH" eval --keys w/keys "$1" --wrap x=x.heb y=deep.heb
    complains "character 1 of .*: parts of 3 owners need 56 bits of noise budget, and [0-9]* are left; bfv-16384 would do"
    absent deep.heb deep.heb.partial
}
refuse_eval 'y = x.c1 * x.c2 * x.c1 * x.c2 * x.c1 * x.c2'
for result in y s p; do
    parts $result.heb $result
    expect 0 "$HEBATCH" combine $result.heb "$result-*.part" $result.csv
done
awk -F, 'NR > 1 { $3 = $1 * $2; a += $1; b += $2; s += $1 * $1 } NR == 1 { print "y" >"yy" } NR > 1 { print $3 >"yy" }
    END { print "s\n" s % 65537 >"ss"; print "c1,c2\n" a "," b >"pp" }' x.csv
for result in y s p; do
    same $result.csv $result$result
done
expect 0 "$HEBATCH" eval --keys w/keys 'q = (sum(x.c1), mean(x.c2), count())' --wrap x=x.heb q=q.heb
refuse_part 64 "this dataset has totals, all of which a part is for: leave the two options out" alice --columns 1 \
    --sum "$(sum_of q.heb)" q.heb no.part
# A total stands in all slots of its ciphertext, and shows in one.
seen slots 0 s.heb s-*.part
shown=$(tail -n 1 s.csv)
[ "$(grep -cx "$shown" seen)" -le 3 ] || fail "a total shows in more slots than its own"
chi_square "a total"

# --- keys and datasets go to files of SEAL and back, where the same computation has the same words

expect 0 "$HEBATCH" export w/keys seal-keys
expect 0 "$HEBATCH" import seal-keys --keys back --insecure
# The owners go with them: bounds of fresh noise depend on how many there are.
for keys in w/keys back; do
    expect 0 "$HEBATCH" info $keys/public.h5
    says "^owners       3, of whom 3 decrypt, 1000 ciphertexts"
    rm -rf fresh.heb
    expect 0 "$HEBATCH" encrypt --range 0..39 --key $keys/public.h5 x.csv fresh.heb
    expect 0 "$HEBATCH" info fresh.heb
    grep -E "^(noise budget|owners)" out >"$(dirname $keys/x | tr / -)".bounds
done
same w-keys.bounds back.bounds
for wrong in 's/"owners": 3/"owners": 1/' 's/"owners": 3/"owners": 65/' 's/"threshold": 3/"threshold": 6/' \
    's/"results": [0-9]*/"results": 0/' '/"session"/d; s/\("results".*\),/\1/'; do
    rm -rf wrong-keys && cp -r seal-keys wrong-keys
    sed -i "$wrong" wrong-keys/keys.json
    refuse 65 "does not name a key as 'hebatch export' does" "$HEBATCH" import wrong-keys --keys wrong --insecure
done
expect 0 "$HEBATCH" export x.heb seal-x
expect 0 "$HEBATCH" import seal-x --key back/public.h5 back.heb
for of in w/keys=x back=back; do
    expect 0 "$HEBATCH" eval --keys "${of%=*}" 'y = x.c1 * swap(x.c2)' --wrap --compact off --noise unknown \
        x="${of#*=}.heb" y="${of#*=}-words.heb"
done
"$PYTHON" -c 'import h5py
a, b = (h5py.File(f"{n}-words.heb/index.h5")["ct"] for n in ("x", "back"))
assert all((a[c][l][:] == b[c][l][:]).all() for c in ("c0", "c1") for l in a[c]) and len(a["c1"]) == 4' ||
    fail "exported joint keys compute other words"

# --- keys that the commands made, of owners whose secrets are under passphrases

printf 'correct horse\n' >phrase
printf 'another one\n' >wrong
chmod 600 phrase wrong
mkdir cards
for name in erin frank; do
    expect 0 "$HEBATCH" keygen --party $name --out $name --seal --cost interactive --passphrase file:phrase
    cp $name/card.h5 cards/$name.h5
done
expect 0 "$HEBATCH" keygen --session sealed --cards 'cards/*.h5' --n 1024 --bits 45,45,45,45,46 --plain-bits 17 --insecure \
    --results 100
for step in 1 2 3; do
    for name in erin frank; do
        "$HEBATCH" keygen --join sealed --key $name/party.h5 --insecure --passphrase file:phrase >out 2>err ||
            [ $? = 66 ] || fail "step $step of $name"
    done
done
expect 0 "$HEBATCH" keygen --combine sealed --out sealed-keys
expect 0 "$HEBATCH" encrypt --range 0..39 --key sealed-keys/public.h5 x.csv z.heb
# Before the keys are compared no part is made, whatever is said of the dataset, on any rank.
for way in "--sum $(sum_of z.heb)" --trust "--recompute z=x --keys sealed-keys x=z.heb"; do
    # shellcheck disable=SC2086
    expect 65 $MPIRUN -n 2 "$HEBATCH" decrypt --part --key erin/party.h5 --session sealed $way z.heb z-erin.part --quiet
    complains "erin/joint-[0-9a-f]*.h5: notes no keys that you compared.* --join FOLDER --key PARTY.h5 --check KEYS"
    absent z-erin.part z-erin.part.partial erin/joint-*.parts
done
rm -r z.heb
for name in erin frank; do
    expect 0 "$HEBATCH" keygen --join sealed --key $name/party.h5 --check sealed-keys --passphrase file:phrase
done
expect 0 "$HEBATCH" encrypt --range 0..39 --key sealed-keys/public.h5 x.csv z.heb
expect 77 "$HEBATCH" decrypt --part --key erin/party.h5 --session sealed --sum "$(sum_of z.heb)" --passphrase file:wrong \
    z.heb z-erin.part
complains "the passphrase is not that of this key"
absent z-erin.part z-erin.part.partial
expect 0 "$HEBATCH" decrypt --part --key erin/party.h5 --session sealed --sum "$(sum_of z.heb)" --passphrase file:phrase \
    z.heb z-erin.part
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --part --key frank/party.h5 --session sealed --sum "$(sum_of z.heb)" \
    --passphrase file:phrase z.heb z-frank.part
expect 0 "$HEBATCH" combine z.heb 'z-*.part' z.csv
same x.csv z.csv

# --- two of three owners

expect 0 "$JOINT_KEYS" some 1000:2 alice bob carol
# part_of OWNER OWNERS DATASET PART OPTIONS
part_of() {
    owner=$1 of=$2 dataset=$3 to=$4
    shift 4
    expect 0 "$HEBATCH" decrypt --part --key "some/$owner/party.h5" --session some/joint --owners "$of" \
        --sum "$(sum_of "$dataset")" "$dataset" "$to" "$@"
}
# refuse_some CODE WORDS OWNER OWNERS DATASET
refuse_some() {
    wanted_words=$2
    expect "$1" "$HEBATCH" decrypt --part --key "some/$3/party.h5" --session some/joint --owners "$4" --quiet \
        --sum "$(sum_of "$5")" "$5" no.part
    complains "$wanted_words"
    absent no.part no.part.partial
}
for pair in alice,bob alice,carol bob,carol; do
    one=${pair%,*} two=${pair#*,}
    expect 0 "$HEBATCH" encrypt --range 0..99 --key some/keys/public.h5 t.csv $pair.heb
    part_of "$one" $pair $pair.heb $pair-1.part
    part_of "$two" $two,$one $pair.heb $pair-2.part # in any order
    says "$pair-2.part: the part of $two, one of 2$"
    expect 0 "$HEBATCH" combine $pair.heb "$pair-*.part" $pair.csv
    same t.csv $pair.csv
    refuse 66 "no part of $two: each of them makes one with hebatch decrypt --part" "$HEBATCH" combine $pair.heb $pair-1.part few.csv
done
refuse_some 64 "--owners: exactly 2 of alice, bob, carol" alice alice alice,bob.heb
refuse_some 64 "--owners: exactly 2 of alice, bob, carol" alice alice,bob,carol alice,bob.heb
refuse_some 64 "--owners: exactly 2 of alice, bob, carol" alice alice,alice alice,bob.heb
refuse_some 64 "--owners: exactly 2 of alice, bob, carol" alice alice,dave alice,bob.heb
refuse_some 64 "--owners: exactly 2 of alice, bob, carol" alice alice,bob, alice,bob.heb
refuse_some 64 "carol, whose part it is, is none of them" carol alice,bob alice,bob.heb
refuse 64 "--owners: exactly 2 of alice, bob, carol" "$HEBATCH" decrypt --part --key some/alice/party.h5 \
    --session some/joint --sum "$(sum_of alice,bob.heb)" alice,bob.heb no.part
refuse 64 "give --part" "$HEBATCH" decrypt --key some/alice/party.h5 --owners alice,bob alice,bob.heb no.csv
# Another set is refused to who made a part already; parts of two sets do not add up.
refuse_some 65 "was made already" alice alice,carol alice,bob.heb
part_of carol alice,carol alice,bob.heb stranger.part
refuse 65 "stranger.part: is for a decryption by other owners than the part of alice" "$HEBATCH" combine alice,bob.heb \
    alice,bob-1.part stranger.part few.csv
refuse 65 "two parts of alice" "$HEBATCH" combine alice,bob.heb alice,bob-1.part alice,bob-1.part few.csv
absent few.csv
# All of a session in which all decrypt may be named; ranks, members and selected cells.
part_again() {
    expect 0 "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --owners "$1" --sum "$(sum_of t.heb)" t.heb \
        named.part
}
part_again carol,alice,bob
same t-alice.part/part-00000.h5 named.part/part-00000.h5
for n in 2 3; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n $n "$HEBATCH" decrypt --part --key some/bob/party.h5 --session some/joint --owners alice,bob \
        --sum "$(sum_of alice,bob.heb)" alice,bob.heb some$n.part
    [ "$(sum_of_part some$n.part)" = "$(sum_of_part alice,bob-2.part)" ] || fail "another part by $n ranks"
done
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --part --limb-ranks 2 --key some/bob/party.h5 --session some/joint \
    --owners alice,bob --sum "$(sum_of alice,bob.heb)" alice,bob.heb somelimbs.part
[ "$(sum_of_part somelimbs.part)" = "$(sum_of_part alice,bob-2.part)" ] || fail "another part by members"
expect 0 "$HEBATCH" encrypt --range 0..99 --key some/keys/public.h5 t.csv w.heb
part_of alice alice,carol w.heb w-alice.part --rows 1000..1100 --columns c3,c1
part_of carol alice,carol w.heb w-carol.part --rows 1000..1100 --columns c3,c1
expect 0 "$HEBATCH" combine w.heb 'w-*.part' some.csv
same cells some.csv
# Results compute with what parts of two take, and decrypt.
expect 0 "$HEBATCH" encrypt --range 0..39 --key some/keys/public.h5 x.csv x2.heb
expect 0 "$HEBATCH" eval --keys some/keys 'y = x.c1 * x.c2' --wrap x=x2.heb y=y2.heb
complains "owners  *2 of 3: results keep [0-9]* bits of the noise budget for their parts"
part_of bob bob,carol y2.heb y2-bob.part
part_of carol bob,carol y2.heb y2-carol.part
expect 0 "$HEBATCH" combine y2.heb 'y2-*.part' y2.csv
same y2.csv yy
# The share is in joint-ID.h5 alone.
mv some/bob/joint-*.h5 state.h5
refuse_some 65 "joint-.*: is gone: .* --check KEYS compares the keys" bob alice,bob w.heb
mv state.h5 "some/bob/$(basename some/alice/joint-*.h5)"

# --- killed before every call that changes files: the same line makes the same bytes

[ -n "${KILL_AT_LIBRARY-}" ] || exit 0
table 1024 2 100 >k.csv
expect 0 "$HEBATCH" encrypt --key $key k.csv k.heb
sum=$(sum_of k.heb)
cp -r w/carol carol
part carol k.heb k.part
k=0
while :; do
    k=$((k + 1))
    rm -rf killed.part killed.part.partial w/carol
    cp -r carol w/carol
    code=0
    KILL_AT=$k LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" decrypt --part --key w/carol/party.h5 --session w/joint --sum "$sum" \
        k.heb killed.part >out 2>err || code=$?
    [ $code = 0 ] && break
    [ $code = 137 ] || fail "exit code $code when killed at $k"
    [ -e killed.part ] || expect 0 "$HEBATCH" decrypt --part --resume --key w/carol/party.h5 --session w/joint --sum "$sum" \
        k.heb killed.part
    for file in index.h5 part-00000.h5 joint-session.h5; do
        same k.part/$file killed.part/$file
    done
done
[ $k -gt 20 ] || fail "killed at no more than $k calls"
