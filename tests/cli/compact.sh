#!/bin/sh
# eval: totals of an output are packed into one ciphertext, one in each coefficient: right in both schemes, on any number
# of ranks, in few bytes; what reads them says what it cannot do.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

# bytes FOLDER: of its files.
bytes() {
    find "$1" -type f -exec wc -c {} + | awk 'END { print $1 }'
}

"$PYTHON" - <<'PYTHON'
import random
random.seed(7)
rows = [[random.randrange(4)] + [random.randrange(100) for _ in range(65)] for _ in range(300)]
with open("p.csv", "w") as file:
    file.write(",".join(["ward"] + [f"c{i}" for i in range(65)]) + "\n")
    file.writelines(",".join(map(str, ["ABCD"[row[0]], *row[1:]])) + "\n" for row in rows)
with open("sums.csv", "w") as file:
    file.write(",".join(f"c{i}" for i in range(65)) + "\n")
    file.write(",".join(str(sum(row[i + 1] for row in rows)) for i in range(65)) + "\n")
with open("groups.csv", "w") as file:
    file.write("ward,count,mean(p.c0),sum(p.c1)\n")
    for ward in range(4):
        own = [row for row in rows if row[0] == ward]
        file.write(f"{'ABCD'[ward]},{len(own)},{sum(r[1] for r in own) / len(own):.15g},{sum(r[2] for r in own)}\n")
PYTHON

# 65 sums: one ciphertext of one limb.
names=$(seq -f c%.0f -s, 0 64)
expect 0 "$HEBATCH" keygen --params bfv-8192 --out keys --for 's = sum(p.c0)'
secret=keys/secret.h5
expect 0 "$HEBATCH" encrypt --key keys/public.h5 p.csv p.heb --columns "$names" --range measured
for ranks in 1 2 3; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n $ranks "$HEBATCH" eval --keys keys 's = sum(p)' p=p.heb s=s$ranks.heb
    expect 0 "$HEBATCH" verify s1.heb --same-as s$ranks.heb
done
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" eval --keys keys 's = sum(p)' p=p.heb s=divided.heb --limb-ranks 2
expect 0 "$HEBATCH" verify s1.heb --same-as divided.heb
expect 0 "$HEBATCH" eval --keys keys 's = sum(p)' p=p.heb s=off.heb --compact off --dry-run
says "s  *not packed into one ciphertext: --compact off"
expect 0 "$HEBATCH" eval --keys keys 's = sum(p)' p=p.heb s=off.heb --compact off
expect 0 "$HEBATCH" info s1.heb
says "totals, each in a coefficient"
says "^ciphertexts  1 of "
says "at 1 of 4 limbs"
[ "$(bytes s1.heb)" -le 102400 ] || fail "65 sums take $(bytes s1.heb) bytes"
[ "$(bytes off.heb)" -gt 10000000 ] || fail "all limbs take $(bytes off.heb) bytes only"
for name in s1 off; do
    expect 0 "$HEBATCH" decrypt --key $secret $name.heb $name.csv
    "$PYTHON" - $name.csv <<'PYTHON' || fail "$name.csv: not the sums"
import csv, sys
rows = [list(map(int, list(csv.reader(open(name)))[1])) for name in (sys.argv[1], "sums.csv")]
assert rows[0] == rows[1], rows
PYTHON
done
expect 0 "$HEBATCH" verify s1.heb --key $secret --against s1.csv
refuse 65 "s1.heb: eval made it compact, with the part of a ciphertext that its totals need.*--compact off" \
    "$HEBATCH" export s1.heb exported
refuse 65 "s1.heb: holds totals, which are no rows" "$HEBATCH" encrypt --key keys/public.h5 --append s1.csv s1.heb
expect 0 "$HEBATCH" concat s1.heb joined.heb
expect 0 "$HEBATCH" verify joined.heb --key $secret --against s1.csv
refuse 65 "row block" "$HEBATCH" concat s1.heb s2.heb two.heb
expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --key $secret s1.heb divided.csv --limb-ranks 2
cmp s1.csv divided.csv || fail "ranks decrypt other sums"
cp -r s1.heb hurt.heb
"$PYTHON" - <<'PYTHON' || fail "could not damage a file"
import h5py
with h5py.File("hurt.heb/part-00000.h5", "r+") as file:
    row = file["ct/c0/q00"]
    assert row.shape[1] < file["ct/c1/q00"].shape[1] / 30, row.shape
    row[0, -1] = int(row[0, -1]) ^ 1
PYTHON
refuse 65 "hurt.heb/part-00000.h5" "$HEBATCH" decrypt --key $secret hurt.heb hurt.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 p.csv again.heb --columns "$names" --range measured
expect 0 "$HEBATCH" eval --keys keys 's = sum(p)' p=again.heb s=s-again.heb
expect 0 "$HEBATCH" add s1.heb s-again.heb both.heb
expect 0 "$HEBATCH" decrypt --key $secret both.heb both.csv
"$PYTHON" - <<'PYTHON' || fail "the sum of packed totals is wrong"
import csv
rows = [list(map(int, list(csv.reader(open(name)))[1])) for name in ("both.csv", "sums.csv")]
assert rows[0] == [2 * x for x in rows[1]], rows
PYTHON
refuse 65 "s1.heb: eval made it compact, with all totals in one ciphertext.*--compact off" \
    "$HEBATCH" eval --keys keys 'y = p.c0 - s.c0' p=p.heb s=s1.heb y=bad.heb
expect 0 "$HEBATCH" eval --keys keys 'y = 2*s.c0' s=off.heb y=y.heb

# Groups, whose means are worked out when they are decrypted.
expect 0 "$HEBATCH" keygen --params bfv-16384 --out large --for 'g = groupby(p.ward, count(), mean(p.c0), sum(p.c1))'
expect 0 "$HEBATCH" encrypt --key large/public.h5 p.csv g-in.heb --columns ward,c0,c1 --category ward --range measured
expect 0 "$HEBATCH" eval --keys large 'g = groupby(p.ward, count(), mean(p.c0), sum(p.c1))' p=g-in.heb g=g.heb
expect 0 "$HEBATCH" info g.heb
says "^ciphertexts  1 of "
expect 0 "$HEBATCH" decrypt --key large/secret.h5 g.heb g.csv
"$PYTHON" - <<'PYTHON' || fail "groups are wrong"
import csv
got, wanted = (list(csv.reader(open(name)))[1:] for name in ("g.csv", "groups.csv"))
assert [row[0] for row in got] == [row[0] for row in wanted]
assert all(abs(float(x) - float(y)) < 1e-9 for a, b in zip(got, wanted) for x, y in zip(a[1:], b[1:])), (got, wanted)
PYTHON

# Three row blocks, in units of their own and on any number of ranks; totals that are made of others, with constants.
"$PYTHON" - <<'PYTHON'
import random
random.seed(8)
rows = [[random.randrange(1000) for _ in range(3)] for _ in range(20000)]
with open("long.csv", "w") as file:
    file.write("c0,c1,c2\n")
    file.writelines(",".join(map(str, row)) + "\n" for row in rows)
a, b, c = map(sum, zip(*rows))
with open("long-sums.csv", "w") as file:
    file.write(",".join(map(str, [a + 7, 3 * b - 2 * a, c, c - 5, a - b - c])) + "\n")
PYTHON
expect 0 "$HEBATCH" keygen --params bfv-8192 --plain-bits 40 --out long-keys --for 's = sum(p.c0)'
expect 0 "$HEBATCH" encrypt --key long-keys/public.h5 long.csv long.heb --range measured
text='t = (sum(p.c0) + 7, 3*sum(p.c1) - 2*sum(p.c0), sum(p.c2), sum(p.c2) - 5, sum(p.c0) - sum(p.c1) - sum(p.c2))'
for run in "1 --batch 1" "2 --batch 1" "3" "2 --limb-ranks 2"; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n ${run%% *} "$HEBATCH" eval --keys long-keys "$text" p=long.heb t=long-t.heb --force \
        ${run#"${run%% *}"}
    expect 0 "$HEBATCH" info long-t.heb
    says "^ciphertexts  1 of "
    [ -e first-t.heb ] || cp -r long-t.heb first-t.heb
    expect 0 "$HEBATCH" verify first-t.heb --same-as long-t.heb
done
expect 0 "$HEBATCH" decrypt --key long-keys/secret.h5 first-t.heb first-t.csv
[ "$(sed -n 2p first-t.csv | tr -d '\r')" = "$(cat long-sums.csv)" ] || fail "totals of three row blocks are wrong"
# A total that rows read again is summed by itself, and so are those beside it: the same numbers.
expect 0 "$HEBATCH" eval --keys long-keys 't = (sum(p.c0), sum(p.c1)); r = p.c0 - sum(p.c0)' p=long.heb t=both-t.heb \
    r=both-r.heb
expect 0 "$HEBATCH" eval --keys long-keys 't = (sum(p.c0), sum(p.c1))' p=long.heb t=alone-t.heb
expect 0 "$HEBATCH" add both-t.heb alone-t.heb twice-t.heb
expect 0 "$HEBATCH" decrypt --key long-keys/secret.h5 alone-t.heb alone-t.csv
expect 0 "$HEBATCH" decrypt --key long-keys/secret.h5 twice-t.heb twice-t.csv
"$PYTHON" - <<'PYTHON' || fail "totals that are summed in two ways are no sum"
import csv
once, twice = (list(map(int, list(csv.reader(open(name)))[1])) for name in ("alone-t.csv", "twice-t.csv"))
assert twice == [2 * x for x in once], (once, twice)
PYTHON

# A total with proven bits keeps them: it is not packed with one without.
expect 0 "$HEBATCH" keygen --n 2048 --bits 37,37,40 --plain-bits 20 --insecure --relin --rotations sum --out mixed
expect 0 "$HEBATCH" encrypt --key mixed/public.h5 p.csv mixed.heb --columns c0,c1
expect 0 "$HEBATCH" eval --keys mixed 's = (sum(p.c0), sum(p.c0*p.c1))' p=mixed.heb s=mixed-s.heb --noise expected
complains "s  *not packed into one ciphertext: in one they would keep too few bits; .hebatch params suggest. finds"
expect 0 "$HEBATCH" info mixed-s.heb
says "^ciphertexts  2 of "

# Several plain moduli: those of each residue are packed.
expect 0 "$HEBATCH" keygen --params bfv-8192 --wide 64 --out wide --for 's = sum(p.c0)'
expect 0 "$HEBATCH" encrypt --key wide/public.h5 p.csv wide.heb --columns c0,c1,c2 --range measured
expect 0 "$HEBATCH" eval --keys wide 's = sum(p)' p=wide.heb s=wide-s.heb
expect 0 "$HEBATCH" decrypt --key wide/secret.h5 wide-s.heb wide-s.csv
expect 0 "$HEBATCH" verify wide-s.heb --key wide/secret.h5 --against wide-s.csv
[ "$(sed -n 2p wide-s.csv)" = "$(sed -n 2p sums.csv | cut -d, -f1-3)" ] || fail "sums of wide integers are wrong"

# Reals: as exact as totals in ciphertexts of their own, or more.
expect 0 "$HEBATCH" keygen --params ckks-14 --out reals --for 'm = mean(p.c0)'
expect 0 "$HEBATCH" encrypt --key reals/public.h5 p.csv x.heb --columns "$names" --range measured
for options in "" "--noise expected"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" eval --keys reals 'm = mean(p)' p=x.heb m=m.heb --force $options
    expect 0 "$HEBATCH" info m.heb
    says "^ciphertexts  1 of "
    says "at 1 of 8 limbs"
    expect 0 "$HEBATCH" decrypt --key reals/secret.h5 m.heb m.csv --force
    expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --key reals/secret.h5 m.heb parts.csv --force --limb-ranks 2
    cmp m.csv parts.csv || fail "ranks that share limbs decrypt other means"
    expect 0 "$HEBATCH" verify m.heb --key reals/secret.h5 --against m.csv
    expect 0 "$HEBATCH" info --json m.heb
    "$PYTHON" - <<'PYTHON' || fail "means are wrong"
import csv, json
bits = json.load(open("out"))["precision_bits"]
got = list(map(float, list(csv.reader(open("m.csv")))[1]))
wanted = [float(x) / 300 for x in list(csv.reader(open("sums.csv")))[1]]
error = max(abs(x - y) for x, y in zip(got, wanted))
assert error <= 2 ** -bits["expected"] and bits["expected"] >= bits["proven"], (error, bits)
PYTHON
done
expect 0 "$HEBATCH" encrypt --key reals/public.h5 p.csv x-again.heb --columns "$names" --range measured
expect 0 "$HEBATCH" eval --keys reals 'm = mean(p)' p=x-again.heb m=m-again.heb --noise expected
expect 0 "$HEBATCH" add m.heb m-again.heb twice.heb
expect 0 "$HEBATCH" decrypt --key reals/secret.h5 twice.heb twice.csv
"$PYTHON" - <<'PYTHON' || fail "the sum of packed means is wrong"
import csv
once, twice = (list(map(float, list(csv.reader(open(name)))[1])) for name in ("m.csv", "twice.csv"))
assert all(abs(2 * a - b) < 2 ** -20 for a, b in zip(once, twice)), (once, twice)
PYTHON

# Sums of reals merge, an odd number of them, with numbers beside them and from another level: the same on any number of
# ranks and members, as exact as said, and as exact as sums one by one.
expect 0 "$HEBATCH" keygen --n 2048 --levels 3 --scale-bits 36 --first-bits 50 --special-primes 2 --insecure --relin \
    --rotations sum --out sums
expect 0 "$HEBATCH" encrypt --key sums/public.h5 p.csv r.heb --columns c0,c1,c2 --range c0=0..100,c1=0..100,c2=0..100
text='t = (sum(p.c0) + 0.5, 3*sum(p.c1) - 2*sum(p.c0), sum(p.c2), sum(p.c2) - 5.25, sum(p.c0*p.c1) - sum(p.c2))'
for run in "1" "2 --batch 1" "3" "2 --limb-ranks 2"; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n ${run%% *} "$HEBATCH" eval --keys sums "$text" p=r.heb t=r-t.heb --force --noise expected \
        ${run#"${run%% *}"}
    [ -e first-r.heb ] || cp -r r-t.heb first-r.heb
    expect 0 "$HEBATCH" verify first-r.heb --same-as r-t.heb
done
expect 0 "$HEBATCH" info first-r.heb
says "reversed\|totals, each in a coefficient"
says "^ciphertexts  1 of "
expect 0 "$HEBATCH" eval --keys sums "$text" p=r.heb t=apart.heb --compact off --noise expected
expect 0 "$HEBATCH" encrypt --key sums/public.h5 p.csv r2.heb --columns c0,c1,c2 --range c0=0..100,c1=0..100,c2=0..100
expect 0 "$HEBATCH" eval --keys sums "$text" p=r2.heb t=r2-t.heb --noise expected
expect 0 "$HEBATCH" add first-r.heb r2-t.heb twice-r.heb
for name in first-r apart twice-r; do
    expect 0 "$HEBATCH" decrypt --key sums/secret.h5 $name.heb $name.csv
    expect 0 "$HEBATCH" info --json $name.heb
    "$PYTHON" - $name.csv <<'PYTHON' || fail "sums of reals are wrong"
import csv, json, sys
bits = json.load(open("out"))["precision_bits"]
rows = [[float(r["c%d" % i]) for i in range(3)] for r in csv.DictReader(open("p.csv"))]
a, b, c = map(sum, zip(*rows))
wanted = [a + 0.5, 3 * b - 2 * a, c, c - 5.25, sum(r[0] * r[1] for r in rows) - c]
got = list(map(float, list(csv.reader(open(sys.argv[1])))[1]))
times = 2 if "twice" in sys.argv[1] else 1
error = max(abs(x - times * y) for x, y in zip(got, wanted))
assert error <= 2 ** -bits["proven"] and error <= 4 * 2 ** -bits["expected"], (error, bits)
PYTHON
done
expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --key sums/secret.h5 first-r.heb parts-r.csv --limb-ranks 2
cmp first-r.csv parts-r.csv || fail "ranks that share limbs decrypt other sums"

# params suggest leaves room: 68 sums of 4 groups take one ciphertext of one limb, with a first prime of its own length;
# and where the table of security forbids longer primes, there are more of them.
suggested() { # FOLDER: makes the keys of the keygen line in ./out
    command=$(sed -n 's/^hebatch \(keygen .*\) --out KEYS.*/\1/p' out)
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" $command --out "$1" --for "$question"
}
question="g = groupby(p.ward, $(seq -f 'sum(p.c%.0f)' -s ', ' 0 16))"
expect 0 "$HEBATCH" params suggest "$question" --table p=p.csv --category ward
suggested grouped
expect 0 "$HEBATCH" encrypt --key grouped/public.h5 p.csv grouped.heb --category ward --range measured \
    --columns "ward,$(seq -f c%.0f -s, 0 16)"
expect 0 "$HEBATCH" eval --keys grouped "$question" p=grouped.heb g=grouped-g.heb
expect 0 "$HEBATCH" info grouped-g.heb
says "^ciphertexts  1 of "
says "at 1 of [0-9]* limbs"
[ "$(bytes grouped-g.heb)" -le 102400 ] || fail "68 sums by group take $(bytes grouped-g.heb) bytes"
question='s = (sum(p.c0), sum(p.c1))'
expect 0 "$HEBATCH" params suggest "$question" --range p.c0=0..100,p.c1=0..100 --rows 5000
suggested short
expect 0 "$HEBATCH" encrypt --key short/public.h5 p.csv short.heb --columns c0,c1 --range c0=0..100,c1=0..100
expect 0 "$HEBATCH" eval --keys short "$question" p=short.heb s=short-s.heb
expect 0 "$HEBATCH" info short-s.heb
says "^ciphertexts  1 of "
expect 0 "$HEBATCH" decrypt --key short/secret.h5 short-s.heb short-s.csv
[ "$(sed -n 2p short-s.csv)" = "$(sed -n 2p sums.csv | cut -d, -f1-2)" ] || fail "sums in short primes are wrong"
