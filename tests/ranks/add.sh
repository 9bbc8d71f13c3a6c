#!/bin/sh
# hebatch add: sums of many datasets in both schemes against Python's, alike on any number of ranks; datasets that were
# made otherwise beside one another; kill -9 and --resume; and what is not added.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
# Results are computed with further, or compared word by word.
export HEBATCH_COMPACT=off

# contributors KIND COUNT ENCRYPT-OPTIONS: KIND/1.heb ... of tables of 2500 rows, of integers or reals.
contributors() {
    kind=$1
    count=$2
    shift 2
    mkdir -p "$kind"
    "$PYTHON" - "$kind" "$count" <<'PYTHON'
import random, sys
random.seed(2)
reals = sys.argv[1] == "reals"
for i in range(int(sys.argv[2])):
    with open("%s/%d.csv" % (sys.argv[1], i + 1), "w") as f:
        f.write("age,change\n")
        for row in range(2500):
            f.write("%d,%s\n" % (random.randint(0, 120), random.randint(-50, 50) / (8 if reals else 1)))
PYTHON
    sed -i 's/\.0$//' "$kind"/*.csv
    for i in $(seq 1 "$count"); do
        "$HEBATCH" encrypt "$kind/$i.csv" "$kind/$i.heb" "$@" --quiet >out 2>err || fail "$kind/$i.csv is not encrypted"
    done
}

# sums RESULT.csv TOLERANCE TABLE...: the result is the sum of the tables.
sums() {
    "$PYTHON" - "$@" <<'PYTHON' || fail "$1 is not the sum"
import csv, sys
read = lambda name: list(csv.reader(open(name)))
result, tolerance, tables = read(sys.argv[1]), float(sys.argv[2]), [read(name) for name in sys.argv[3:]]
assert result[0] == tables[0][0] and len(result) == len(tables[0]), result[0]
for row in range(1, len(result)):
    for column in range(len(result[0])):
        whole = sum(float(t[row][column]) for t in tables)
        assert abs(float(result[row][column]) - whole) <= tolerance, (row, column, result[row][column], whole)
PYTHON
}

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out keys --quiet
contributors integers 20 --key keys/public.h5 --range age=0..120,change=-50..50
expect 0 "$HEBATCH" add 'integers/*.heb' sum.heb
says "sum.heb: 2500 rows x 2 columns, the sum of 20 datasets"
complains "added 120/120 units"
! grep -q "twice" err || fail "a sum is seen where there is none"
expect 0 "$HEBATCH" info sum.heb
says "column *'age': values 0..2400"
says "column *'change': values -1000..1000"
says "noise budget [1-9]"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 sum.heb sum.csv --quiet
sums sum.csv 0 integers/*.csv
# The order of the operands is that of concat; anyone who adds divides units, or limbs.
launch 0 2 1 add integers/*.heb two.heb
launch 0 2 2 add integers/*.heb limbs.heb
for other in two limbs; do
    expect 0 "$HEBATCH" verify $other.heb --same-as sum.heb
done
expect 0 "$HEBATCH" add 'integers/*.heb' plan.heb --dry-run
says "inputs *20 datasets"
says "noise budget .*at least"
says "column *'age': values 0..2400"
absent plan.heb plan.heb.partial plan.heb.report.json
# As eval has it.
expect 0 "$HEBATCH" add integers/1.heb integers/2.heb integers/3.heb three.heb
expect 0 "$HEBATCH" eval 's = a + b + c' a=integers/1.heb b=integers/2.heb c=integers/3.heb s=eval.heb
expect 0 "$HEBATCH" info three.heb
grep "noise\|column" out >three.txt
expect 0 "$HEBATCH" info eval.heb
grep "noise\|column" out >eval.txt
same three.txt eval.txt

# Datasets of the secret key, and in other units: eval makes a row block a unit, so that units are read whole and added
# in part.
expect 0 "$HEBATCH" encrypt integers/4.csv seeded.heb --key keys/secret.h5 --range age=0..120,change=-50..50 --quiet
for order in "seeded.heb integers/5.heb eval.heb" "eval.heb seeded.heb integers/5.heb"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" add $order mixed.heb --force
    complains "eval.heb was computed, and .* was not: if it is a sum of datasets that are added here, their rows count twice"
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 mixed.heb mixed.csv --force
    sums mixed.csv 0 integers/[12345].csv
done

# Units that were stored before a kill stay, on other ranks as well.
strike KILL 1 137 killed.heb 2 1 add integers/*.heb killed.heb --resume
refuse 73 "resume continues it" "$HEBATCH" add 'integers/*.heb' killed.heb
refuse 65 "a dataset that is added has changed" "$HEBATCH" add 'integers/1*.heb' killed.heb --resume
launch 0 1 1 add 'integers/*.heb' killed.heb --resume
"$PYTHON" "$shards" same killed.heb finished 2 || fail "units that were finished have changed"
[ "$(field killed.heb.report.json 'r["units"]["there"], r["units"]["done"]')" = "(2, 4)" ] || fail "what was made is not told"
expect 0 "$HEBATCH" verify killed.heb --same-as sum.heb
expect 75 "$HEBATCH" add 'integers/*.heb' stopped.heb --max-time 0.001s
complains "stopped.heb.partial keeps the finished part"
expect 0 "$HEBATCH" status stopped.heb
says "command *add"
expect 0 "$HEBATCH" add 'integers/*.heb' stopped.heb --resume
expect 0 "$HEBATCH" verify stopped.heb --same-as sum.heb

# deny CODE WORDS INPUT...: is not added, with one reason that has the words; nothing is left.
deny() {
    code_of_denial=$1 words_of_denial=$2
    shift 2
    expect "$code_of_denial" "$HEBATCH" add "$@" bad.heb --quiet
    [ "$(grep -c "^hebatch add: " err)" = 1 ] || fail "not one reason"
    complains "^hebatch add: .*$words_of_denial"
    absent bad.heb bad.heb.partial
}

# Damage is found where it is.
cp -r integers/17.heb good.heb
flip integers/17.heb/part-00000.h5 -20000
deny 65 "integers/17.heb/part-00000.h5: .*do not match their checksum" 'integers/*.heb'
rm -rf integers/17.heb
mv good.heb integers/17.heb

deny 65 "integers/1.heb is there twice" integers/1.heb integers/2.heb integers/1.heb
cp -r integers/1.heb copy.heb
deny 65 "copy.heb and integers/1.heb are the same ciphertexts" copy.heb integers/2.heb integers/1.heb
deny 64 "integers/1.heb alone is no sum" integers/1.heb
# A sum knows what is in it, also by way of other sums and where all was computed.
mkdir left
cp -r integers/1.heb integers/2.heb left
expect 0 "$HEBATCH" add left/1.heb left/2.heb left/sum.heb
deny 65 "left/sum.heb is a sum that left/[12].heb is in, whose rows would count twice" 'left/*.heb'
expect 0 "$HEBATCH" add 'left/s*.heb' integers/3.heb sums.heb
! grep -q "twice" err || fail "a sum is seen where there is none"
deny 65 "sums.heb is a sum that left/2.heb is in" left/2.heb sums.heb
deny 65 "sums.heb and three.heb are sums that have a dataset in common" sums.heb three.heb
for i in 1 2; do
    expect 0 "$HEBATCH" eval 'y = 2*a' a=integers/$i.heb y=left/y$i.heb
done
expect 0 "$HEBATCH" add 'left/y*.heb' left/ysum.heb
deny 65 "left/ysum.heb is a sum that left/y[12].heb is in" 'left/y*.heb'
# Computed datasets do not say which rows they have: a pattern takes none beside others, nor a sum that has one in it.
expect 0 "$HEBATCH" add left/ysum.heb integers/3.heb left/mixed.heb
deny 65 "left/mixed.heb was computed and integers/4.heb was not: .* rows would count twice" integers/4.heb 'left/m*.heb'
# damaged PYTHON WORDS: the list of what is in a sum, g, is changed.
damaged() {
    cp -r sums.heb damaged.heb
    "$PYTHON" -c 'import sys, h5py, numpy as np
g = h5py.File("damaged.heb/index.h5", "r+")["summands"]
exec(sys.argv[1])' "$1" || fail "cannot damage it"
    deny 65 "damaged.heb/index.h5: .*$2" damaged.heb integers/4.heb
    rm -rf damaged.heb
}
damaged 'g["data_sum"][1, 0] ^= 1' "its list of summands does not match its digest"
damaged 'g.attrs.modify("traced", np.uint64(0))' "its list of summands does not match its digest"
damaged 'g.attrs.modify("traced", np.uint64(2))' "traced"
damaged 'g.attrs.modify("count", np.uint64(2**58))' "data_sum"
damaged 'del g["data_sum"]' "data_sum"
deny 66 "no file has a name of this pattern" 'nothing/*.heb'
refuse 64 "is read, and" "$HEBATCH" add 'integers/*.heb' integers/3.heb --force
deny 64 "has no column 'height'" integers/1.heb integers/2.heb --range height=0..1
# Ranges: what may leave them is no sum, unless it may wrap.
for i in 1 2 3; do
    expect 0 "$HEBATCH" encrypt integers/$i.csv unknown$i.heb --key keys/public.h5 --quiet
done
deny 65 "unknown3.heb: with it, dataset 3 of the sum, .*may leave the plain range" 'unknown?.heb' --range age=0..30000,change=-50..50
expect 0 "$HEBATCH" add 'unknown?.heb' wrap.heb --range age=0..30000,change=-50..50 --wrap
complains "column 'age' may have wrapped"
expect 0 "$HEBATCH" info wrap.heb
says "column *'change': values -150..150"
expect 0 "$HEBATCH" add 'unknown?.heb' unknown.heb
complains "'age' and 1 more may have wrapped"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 unknown.heb unknown.csv
sums unknown.csv 0 integers/[123].csv
# Meanings, keys and shapes.
printf 'sex,born,kg\nf,2001-02-03,7.25\nm,1999-01-01,8.5\n' >people.csv
for i in 1 2; do
    expect 0 "$HEBATCH" encrypt people.csv sex$i.heb --columns sex --category sex=f,m --key keys/public.h5 --quiet
    expect 0 "$HEBATCH" encrypt people.csv born$i.heb --columns born --key keys/public.h5 --quiet
    expect 0 "$HEBATCH" encrypt people.csv kg$i.heb --columns kg --scale kg=100 --key keys/public.h5 --quiet
done
deny 65 "sex2.heb: a category takes only comparisons" sex1.heb sex2.heb
deny 65 "born2.heb: two dates cannot be added" born1.heb born2.heb
deny 65 "kg1.heb: has columns of other names than born1.heb" born1.heb kg1.heb
deny 65 "has 2500 rows\|rows, .* has 2" kg1.heb integers/1.heb
expect 0 "$HEBATCH" encrypt people.csv others.heb --columns kg --key keys/public.h5 --scale kg=1000 --quiet
deny 65 "column kg means something else" kg1.heb others.heb
expect 0 "$HEBATCH" add kg1.heb kg2.heb kg.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 kg.heb kg.csv
[ "$(tail -n +2 kg.csv | tr '\n' ' ')" = "14.5 17 " ] || fail "decimals are not added"
expect 0 "$HEBATCH" eval 'y = modswitch(x)' x=kg1.heb y=low.heb
deny 65 "low.heb: its ciphertexts have 1 limbs, those of kg2.heb 2" kg2.heb low.heb

# Reals: errors add, scales are those of a level.
expect 0 "$HEBATCH" keygen --n 2048 --levels 1 --scale-bits 34 --insecure --out reals-keys --quiet
contributors reals 6 --key reals-keys/public.h5
expect 0 "$HEBATCH" add 'reals/*.heb' real.heb
complains "precision .*at least"
expect 0 "$HEBATCH" decrypt --key reals-keys/secret.h5 real.heb real.csv
sums real.csv 0.01 reals/*.csv
launch 0 2 2 add 'reals/*.heb' real2.heb
expect 0 "$HEBATCH" verify real2.heb --same-as real.heb
deny 65 "have different parameters" kg1.heb reals/1.heb
deny 64 "values of CKKS do not wrap" --wrap 'reals/*.heb'

# Several plain moduli: the residues one after another.
expect 0 "$HEBATCH" keygen --n 1024 --bits 55,55,56 --plain-bits 30 --insecure --wide 60 --out wide --quiet
for i in 1 2 3; do
    "$PYTHON" -c 'import sys; print("v"); [print((row - 600) * int(sys.argv[1]) * 10**12) for row in range(1200)]' $i >wide$i.csv
    expect 0 "$HEBATCH" encrypt wide$i.csv wide$i.heb --key wide/public.h5 --range v=-2000000000000000..2000000000000000 --quiet
done
expect 0 "$HEBATCH" add 'wide?.heb' wide.heb
expect 0 "$HEBATCH" decrypt --key wide/secret.h5 wide.heb wide.csv
sums wide.csv 0 wide?.csv
