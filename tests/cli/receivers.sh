#!/bin/sh
# Parts that owners of joint keys make for somebody else: what they add up to opens with his key alone, or moves to other
# owners; what is not asked for as it has to be is refused. Given by ctest besides: JOINT_KEYS (joint_keys.c),
# KILL_AT_LIBRARY (kill_at.c).
here=$(cd "${0%/*}" && pwd)
# shellcheck source=tests/cli/harness.sh
. "$here/harness.sh"

expect 0 "$JOINT_KEYS" w 1000 alice bob carol
expect 0 "$JOINT_KEYS" r 500 dora emil
for name in one two; do
    expect 0 "$HEBATCH" keygen --n 1024 --bits 55,55,55,55,56 --plain 65537 --insecure --out $name --relin --swap \
        --rotations sum
done
key=w/keys/public.h5

id_of() {
    "$HEBATCH" info --json "$1" | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["key_id"])'
}

# part WORLD OWNER DATASET PART OPTIONS: for the sum that the dataset has.
part() {
    world=$1 owner=$2 dataset=$3 to=$4
    shift 4
    expect 0 "$HEBATCH" decrypt --part --key "$world/$owner/party.h5" --session "$world/joint" \
        --sum "$(sum_of "$dataset")" "$dataset" "$to" "$@"
}

# parts DATASET NAME OPTIONS: those of all three, NAME-OWNER.part.
parts() {
    of=$1 name=$2
    shift 2
    for one in alice bob carol; do
        part w $one "$of" "$name-$one.part" "$@"
    done
}

# refuse_part CODE WORDS OWNER OPTIONS DATASET PART
refuse_part() {
    wanted_code=$1 wanted_words=$2 owner=$3
    shift 3
    expect "$wanted_code" "$HEBATCH" decrypt --part --key "w/$owner/party.h5" --session w/joint "$@" --quiet
    complains "$wanted_words"
    absent no.part no.part.partial
}

# encrypted NAME: another encryption of the table.
encrypted() {
    expect 0 "$HEBATCH" encrypt --range 0..99 --key $key t.csv "$1"
}

# --- one receiver: he has the table that the parts in the clear give, and nobody else

table 2500 3 100 >t.csv
for name in t clear; do
    encrypted $name.heb
done
cp -r w/alice alice
parts t.heb t --to one/public.h5
says "^t-carol.part: the part of carol, one of 3, for key $(id_of one/public.h5)$"
complains "^hebatch: receiver     one/public.h5, key $(id_of one/public.h5)$"
expect 0 "$HEBATCH" combine t.heb 't-*.part' for-one.heb
says "^for-one.heb: 2500 rows x 3 columns under key $(id_of one/public.h5), sum $(sum_of for-one.heb)$"
expect 0 "$HEBATCH" decrypt --key one/secret.h5 for-one.heb out.csv
same t.csv out.csv
# Of the bits that are proven, and expected, no more than a few are left over.
"$PYTHON" -c 'import json
bits = json.load(open("out.csv.report.json"))["noise_budget_bits"]
assert bits["proven"] <= bits["least"] <= bits["proven"] + 3, bits' || fail "noise is not what was planned"
parts clear.heb clear
expect 0 "$HEBATCH" combine clear.heb 'clear-*.part' clear.csv
same clear.csv out.csv
expect 0 "$HEBATCH" info for-one.heb
says "^key id *$(id_of one/public.h5)"
says "^history *parts, of key $(id_of $key), sum $(sum_of t.heb)$"
says "'c1', 'c2', 'c3', each: values 0..99"
expect 0 "$HEBATCH" verify for-one.heb
expect 0 "$HEBATCH" verify --key one/secret.h5 --against t.csv for-one.heb
refuse 65 "was encrypted with key" "$HEBATCH" decrypt --key two/secret.h5 for-one.heb no.csv
# He computes on: what stands beside the rows is no part of a sum.
expect 0 "$HEBATCH" eval --keys one --wrap 's = sum(x.c1 * x.c2); d = x.c1 - x.c3' x=for-one.heb s=s.heb d=d.heb
for result in s d; do
    expect 0 "$HEBATCH" decrypt --key one/secret.h5 $result.heb $result.csv
done
awk -F, 'NR > 1 { s += $1 * $2; print $1 - $3 } NR == 1 { print "d" } END { print "s\n" (s % 65537) >"ss" }' t.csv >d.wanted
awk 'NR == 1 || $1 >= 0 { print; next } { print 65537 + $1 }' s.csv >s.unsigned
same s.unsigned ss
same d.csv d.wanted
# The order of the parts is none, and the same parts make the same dataset.
expect 0 "$HEBATCH" combine t.heb t-carol.part t-alice.part t-bob.part again.heb --json
for file in index.h5 part-00000.h5; do
    same again.heb/$file for-one.heb/$file
done
"$PYTHON" -c 'import json
report = json.load(open("out"))
assert report["command"] == "combine" and report["parts"] == ["alice", "bob", "carol"], report
assert report["key_id"] == "'"$(id_of one/public.h5)"'" and report["units"]["there"] == 0, report' || fail "the report"

# --- a part of it says nothing but who it is for

for file in t-alice.part/index.h5 t-alice.part/part-00000.h5; do
    "$PYTHON" -c 'import h5py, sys
f = h5py.File(sys.argv[1])
assert f["ct"].attrs["components"] == 2 and set(f["ct"]) == {"h0", "h1"}
assert bytes(f.attrs["receiver"]).hex() == "'"$(id_of one/public.h5)"'" and f.attrs["receiver_owners"] == 1' $file ||
        fail "the objects of a part for somebody"
done
part w alice t.heb twice.part --to one/public.h5 # the same request: the same bytes, counted once
for file in index.h5 part-00000.h5 joint-session.h5; do
    same t-alice.part/$file twice.part/$file
done
[ "$(stat -c %s w/alice/joint-*.parts)" = $((64 + 64 * 18)) ] || fail "the ledger counts other parts"

# --- slots that are no cell are uniform for the receiver as well, and totals show once

chi_square() {
    awk '{ bin[int($1 * 16 / 65537)]++ } END { e = NR / 16; for (i = 0; i < 16; i++) c += (bin[i] - e) ^ 2 / e; exit !(c < 60) }' \
        "$1" || fail "the slots of $1 are not uniform"
}
opened() {
    "$PYTHON" "$here/parts.py" slots "$1" "$2" one/secret.h5 >"$3" || fail "cannot look at the slots of $2"
    [ "$(wc -l <"$3")" = 1024 ] || fail "$(wc -l <"$3") slots"
}
opened 0 for-one.heb full
[ "$(awk '$1 < 100' full | wc -l)" = 1024 ] || fail "a slot of a full ciphertext is not its cell"
opened 8 for-one.heb rest # of the last 452 rows
[ "$(awk '$1 < 100' rest | wc -l)" -lt 470 ] || fail "something stands beside the rows"
awk '$1 >= 100' rest >beside
chi_square beside
table 1500 2 40 >x.csv
expect 0 "$HEBATCH" encrypt --range 0..39 --key $key x.csv x.heb
expect 0 "$HEBATCH" eval --keys w/keys 'y = x.c1 * x.c2; s = sum(x.c1 * x.c1); p = sum(x); m = mean(x.c1)' --wrap x=x.heb \
    y=y.heb s=s2.heb p=p.heb m=m.heb
for result in y s2 p m; do
    parts $result.heb $result --to one/public.h5
    expect 0 "$HEBATCH" combine $result.heb "$result-*.part" $result-one.heb
    expect 0 "$HEBATCH" decrypt --key one/secret.h5 $result-one.heb $result.csv
done
awk -F, 'NR > 1 { $3 = $1 * $2; a += $1; b += $2; s += $1 * $1 } NR == 1 { print "y" >"yy" } NR > 1 { print $3 >"yy" }
    END { print "s\n" s % 65537 >"ss2"; print "c1,c2\n" a "," b >"pp" }' x.csv
same y.csv yy
same s2.csv ss2
same p.csv pp
"$PYTHON" -c 'import csv
x = [int(row[0]) for row in list(csv.reader(open("x.csv")))[1:]]
mean = [float(row[0]) for row in list(csv.reader(open("m.csv")))[1:]]
assert len(mean) == 1 and abs(mean[0] - sum(x) / len(x)) < 1e-9, mean' || fail "a mean"
opened 0 s2-one.heb total
[ "$(grep -cx "$(tail -n 1 s2.csv)" total)" -le 3 ] || fail "a total shows in more slots than its own"
chi_square total

# Labels, missing cells and their masks, and totals of groups are what they are in the clear.
"$PYTHON" - <<'PYTHON'
import random
random.seed(1)
with open("w.csv", "w") as f:
    f.write("ward,age,kg\n")
    f.writelines("%s,%s,%d\n" % (random.choice("abc"), random.choice(["", "7", "63"]), random.randint(0, 9))
                 for _ in range(1500))
PYTHON
expect 0 "$HEBATCH" encrypt --key $key --category ward=a,b,c --range age=0..120,kg=0..9 --missing age=mask w.csv ward.heb
expect 0 "$HEBATCH" eval --keys w/keys 'g = groupby(p.ward, count(), sum(p.kg), mean(p.kg))' --wrap p=ward.heb g=groups.heb
for result in ward groups; do
    parts $result.heb $result --to one/public.h5
    expect 0 "$HEBATCH" combine $result.heb "$result-*.part" $result-one.heb
    expect 0 "$HEBATCH" decrypt --key one/secret.h5 $result-one.heb $result.csv
done
same ward.csv w.csv
"$PYTHON" -c 'import csv
rows = list(csv.reader(open("w.csv")))[1:]
for ward, count, kg, mean in list(csv.reader(open("groups.csv")))[1:]:
    of = [int(row[2]) for row in rows if row[0] == ward]
    assert (int(count), int(kg)) == (len(of), sum(of)) and abs(float(mean) - sum(of) / len(of)) < 1e-9, ward
assert sum(1 for _ in open("groups.csv")) == 4' || fail "totals of groups"

# --- other owners: a dataset moves, and moves on

encrypted m1.heb
parts m1.heb m1 --to r/keys/public.h5
expect 0 "$HEBATCH" combine m1.heb 'm1-*.part' m2.heb
"$PYTHON" -c 'import h5py
f = h5py.File("m1-bob.part/index.h5")
assert [int(f.attrs[f"receiver_{n}"]) for n in ("owners", "threshold", "results")] == [2, 2, 500]' || fail "receiving owners"
expect 0 "$HEBATCH" info m2.heb
says "^key id *$(id_of r/keys/public.h5)"
refuse 64 "have no secret key: decrypt --part" "$HEBATCH" decrypt --key one/secret.h5 m2.heb no.csv
refuse 65 "is another session" "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --trust m2.heb no.part
for one in dora emil; do
    part r $one m2.heb m2-$one.part
done
expect 0 "$HEBATCH" combine m2.heb 'm2-*.part' m2.csv
same t.csv m2.csv
encrypted n1.heb
parts n1.heb n1 --to r/keys/public.h5
expect 0 "$HEBATCH" combine n1.heb 'n1-*.part' n2.heb
for one in dora emil; do
    part r $one n2.heb n2-$one.part --to two/public.h5
done
expect 0 "$HEBATCH" combine n2.heb 'n2-*.part' n3.heb
expect 0 "$HEBATCH" decrypt --key two/secret.h5 n3.heb n3.csv
same t.csv n3.csv
expect 0 "$HEBATCH" info n3.heb
[ "$(grep -c "^history *parts, of key" out)" = 2 ] || fail "the history of a dataset that moved twice"
# It is under the other owners' key as any dataset is.
expect 0 "$HEBATCH" encrypt --range 0..99 --key r/keys/public.h5 t.csv r.heb
expect 0 "$HEBATCH" add m2.heb r.heb sum.heb
for one in dora emil; do
    part r $one sum.heb sum-$one.part
done
expect 0 "$HEBATCH" combine sum.heb 'sum-*.part' sum.csv
awk -F, 'NR == 1 { print; next } { print 2 * $1 "," 2 * $2 "," 2 * $3 }' t.csv >twice.csv
same sum.csv twice.csv

# --- three of five owners, masked

expect 0 "$JOINT_KEYS" five 1000:3 ann ben cat dan eve
expect 0 "$HEBATCH" encrypt --range 0..99 --key five/keys/public.h5 t.csv v.heb
for one in ann cat eve; do
    part five $one v.heb v-$one.part --owners ann,cat,eve --to one/public.h5
done
expect 0 "$HEBATCH" combine v.heb 'v-*.part' v-one.heb
expect 0 "$HEBATCH" decrypt --key one/secret.h5 v-one.heb v.csv
same t.csv v.csv
refuse 66 "no part of eve" "$HEBATCH" combine v.heb v-ann.part v-cat.part few.heb
absent few.heb few.heb.partial

# --- what is refused

sum=$(sum_of t.heb)
encrypted u.heb
u=$(sum_of u.heb)
# A second part of a ciphertext, for somebody else or in the clear.
refuse_part 65 "was made already" alice --sum "$sum" --to two/public.h5 t.heb no.part
refuse_part 65 "was made already" alice --sum "$sum" --to r/keys/public.h5 t.heb no.part
refuse_part 65 "was made already" alice --sum "$sum" t.heb no.part
refuse_part 65 "was made already" alice --sum "$(sum_of clear.heb)" --to one/public.h5 clear.heb no.part
# Keys that parts are not for.
refuse_part 64 "one/secret.h5: is a secret key" alice --sum "$u" --to one/secret.h5 u.heb no.part
refuse_part 64 "is under this key" alice --sum "$u" --to $key u.heb no.part
refuse_part 66 "did you mean one/" alice --sum "$u" --to one u.heb no.part
refuse_part 66 "nobody.h5" alice --sum "$u" --to nobody.h5 u.heb no.part
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out small
refuse_part 78 "small/public.h5 has other parameters than u.heb" alice --sum "$u" --to small/public.h5 u.heb no.part
expect 0 "$HEBATCH" keygen --n 1024 --bits 55,55,55,55,56 --plain 12289 --insecure --out modulus
refuse_part 78 "has other parameters" alice --sum "$u" --to modulus/public.h5 u.heb no.part
cp one/public.h5 damaged.h5
flip damaged.h5 -3000
refuse_part 65 "damaged.h5" alice --sum "$u" --to damaged.h5 u.heb no.part
# A dataset has all its cells.
refuse_part 64 "has all cells of the table" alice --sum "$u" --to one/public.h5 --rows 1..5 u.heb no.part
refuse_part 64 "has all cells of the table" alice --sum "$u" --to one/public.h5 --columns c1 u.heb no.part
refuse 64 "are of a part: give --part" "$HEBATCH" decrypt --key one/secret.h5 --to two/public.h5 for-one.heb no.csv
# What parts are not for.
refuse 64 "are for key $(id_of one/public.h5), whose owner alone opens them" "$HEBATCH" combine t.heb 't-*.part' no.csv
refuse 64 "are in the clear, and make a table" "$HEBATCH" combine clear.heb 'clear-*.part' no.heb
refuse 64 "resume is of a dataset" "$HEBATCH" combine --resume clear.heb 'clear-*.part' no.csv
refuse 66 "no part of carol" "$HEBATCH" combine t.heb t-alice.part t-bob.part no.heb
refuse 65 "two parts of alice" "$HEBATCH" combine t.heb t-alice.part twice.part t-bob.part no.heb
refuse 73 "for-one.heb" "$HEBATCH" combine t.heb 't-*.part' for-one.heb
# Parts for several: of an owner with two ledgers.
mv w/alice mine
cp -r alice w/alice
part w alice t.heb other.part --to two/public.h5
refuse 65 "is for other cells, or another receiver" "$HEBATCH" combine t.heb other.part t-bob.part t-carol.part no.heb
rm -r w/alice
cp -r alice w/alice
part w alice t.heb bare.part
refuse 65 "is for other cells, or another receiver" "$HEBATCH" combine t.heb t-bob.part t-carol.part bare.part no.csv
refuse 65 "is for other cells, or another receiver" "$HEBATCH" combine t.heb bare.part t-bob.part t-carol.part no.csv
# The same key id, and other owners: bounds of noise would go by another number of them.
encrypted o.heb
part w alice o.heb o-alice.part --to r/keys/public.h5
part w bob o.heb o-bob.part --to r/one-owner.h5
part w carol o.heb o-carol.part --to r/one-result.h5
refuse 65 "another receiver" "$HEBATCH" combine o.heb 'o-*.part' no.heb
rm -r w/alice
mv mine w/alice
# Damage of rows, in either component, and of what is signed.
for place in -3000 -400000; do
    rm -rf flipped.part
    cp -r t-bob.part flipped.part
    flip flipped.part/part-00000.h5 $place
    expect 65 "$HEBATCH" combine t.heb t-alice.part flipped.part t-carol.part no.heb --quiet
    complains "flipped.part/part-00000.h5: .* do not match their checksum"
    absent no.heb no.heb.partial
done
cp -r t-bob.part signed.part
"$PYTHON" -c 'import h5py
f = h5py.File("signed.part/index.h5", "r+")
s = f.attrs["signature"]; s[5] ^= 1; f.attrs.modify("signature", s)'
refuse 65 "signed.part: is not signed by bob" "$HEBATCH" combine t.heb t-alice.part signed.part t-carol.part no.heb
absent no.heb no.heb.partial no.csv
# What is wrong shows to the receiver, who alone sees the noise.
cp -r t.heb changed.heb
"$PYTHON" "$forge" noise changed.heb
for one in alice bob carol; do
    expect 0 "$HEBATCH" decrypt --part --key w/$one/party.h5 --session w/joint --trust --to one/public.h5 changed.heb \
        changed-$one.part
done
expect 0 "$HEBATCH" combine changed.heb 'changed-*.part' changed-one.heb
refuse 65 "has no noise budget left" "$HEBATCH" decrypt --key one/secret.h5 changed-one.heb changed.csv
absent changed.csv
# Too little budget is said before anything is made.
refuse_eval() {
    expect 65 "$HEBATCH" eval --keys w/keys "$1" --wrap x=x.heb y=deep.heb
    complains "parts of 3 owners need"
}
refuse_eval 'y = x.c1 * x.c2 * x.c1 * x.c2 * x.c1 * x.c2'

# --- killed before every call that changes files: the same line makes the same bytes

[ -n "${KILL_AT_LIBRARY-}" ] || exit 0
table 1024 2 100 >k.csv
expect 0 "$HEBATCH" encrypt --key $key k.csv k.heb
sum=$(sum_of k.heb)
cp -r w/carol carol
parts k.heb k --to one/public.h5
expect 0 "$HEBATCH" combine k.heb 'k-*.part' whole.heb
# killed NAME COMMAND..: what it makes is NAME; after each death it is resumed, and is then as KEPT.
killed() {
    made=$1 kept=$2 most=$3
    shift 3
    k=0
    while :; do
        k=$((k + 3))
        rm -rf "$made" "$made.partial" w/carol
        cp -r carol w/carol
        code=0
        KILL_AT=$k LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" "$@" >out 2>err || code=$?
        [ $code = 0 ] && break
        [ $code = 137 ] || fail "exit code $code when killed at $k"
        [ -e "$made" ] || expect 0 "$HEBATCH" "$@" --resume
        for file in index.h5 part-00000.h5; do
            same "$kept/$file" "$made/$file"
        done
    done
    [ $k -gt "$most" ] || fail "killed at no more than $k calls"
}
killed dead.part k-carol.part 20 decrypt --part --key w/carol/party.h5 --session w/joint --sum "$sum" --to one/public.h5 \
    k.heb dead.part
killed dead.heb whole.heb 15 combine k.heb k-alice.part k-bob.part k-carol.part dead.heb
