#!/bin/sh
# Aggregates and groups: random programs on a hospital's table and plain tables against Python's own arithmetic (plain_groups.py).
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
model=${0%/*}/plain_groups.py
case $model in /*) ;; *) fail "start it by its full path" ;; esac

# 2500 rows in three row blocks, the last one partly filled.
"$PYTHON" "$model" table 2500 >p.csv
"$PYTHON" "$model" plain 2500 >w.csv
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,50,50,50,50,50,50,50,50 --plain 167772161 --insecure --out keys \
    --relin --swap --rotations sum
range=$("$PYTHON" "$model" range)
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 p.csv p.heb --range "$range"
"$PYTHON" "$model" programs "${1:-6}" >programs
[ "$(wc -l <programs)" = $((${1:-6} / 3 * 4)) ] || fail "not all programs were made"
while read -r text; do
    case $text in *w.*) plain=w=w.csv ;; *) plain= ;; esac
    rm -rf y.heb
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" eval --keys keys "$text" p=p.heb $plain y=y.heb --quiet </dev/null
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb - --quiet </dev/null
    "$PYTHON" "$model" check "$text" <out || fail "not what plain arithmetic gives: $text"
done <programs

# A table of groups: its rows and columns, as HDF5, and what info says.
rm -rf g.heb
# A result of one column has its own name, a mean as well as a sum.
expect 0 "$HEBATCH" eval --keys keys 'm = mean(p.age)' p=p.heb m=m.heb
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 m.heb -
[ "$(head -n 1 out)" = m ] || fail "a mean is not called as its result"
expect 0 "$HEBATCH" eval --keys keys 'g = groupby((p.ward, p.sex), count(), mean(p.age))' p=p.heb g=g.heb --compact off
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 g.heb - --quiet --rows 2..3 --columns count,ward
[ "$(head -n 1 out)" = count,ward ] && [ "$(wc -l <out)" = 3 ] || fail "not the columns of two groups"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 g.heb g.csv
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 g.heb g.h5:/groups
"$PYTHON" -c 'import csv, h5py
with open("g.csv") as f: rows = [[float(x) for x in r.values()] for r in csv.DictReader(f)]
with h5py.File("g.h5") as f: assert (f["groups"][...] == rows).all() and list(f["groups"].attrs["columns"]) == ["ward", "sex", "count", "mean(p.age)"]' ||
    fail "HDF5 and CSV of a table of groups differ"
expect 0 "$HEBATCH" info g.heb
says "groups       8 by 'ward', 'sex': count, mean(p.age)"
# Keys of bins are found without a table, and bins are called as they were asked for, not by the values that there are.
expect 0 "$HEBATCH" keygen --params bfv-16384 --out bins --for 'b = histogram(p.stay, 0..1, 2, 3..400)' --quiet
printf 'x\n1\n2\n2\n' >bins.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 bins.csv bins.heb --range x=0..9
expect 0 "$HEBATCH" eval --quiet --keys keys 'b = histogram(p.x, 0..1, 2, 3..400)' p=bins.heb b=b.heb
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 b.heb -
printf 'x,count\n0..1,1\n2,2\n3..400,0\n' | cmp - out || fail "not the bins that were asked for"
# Rows that are fetched.
rm -rf f.heb
expect 0 "$HEBATCH" eval --keys keys 'f = fetch((p.id, p.stay) where p.age == 90, 64)' p=p.heb f=f.heb --quiet
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 f.heb f.csv
says "f.csv: up to 64 rows x 2 columns"
awk -F, '$4 == 90 { print $1 "," $5 }' p.csv | LC_ALL=C sort -n >wanted
sed 1d f.csv | cmp - wanted || fail "not the rows that a condition selects"
[ "$(head -n 1 f.csv)" = id,stay ] || fail "not the names of columns of rows that are fetched"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 f.heb - --quiet --rows 1..2 --columns stay
[ "$(wc -l <out)" = 3 ] || fail "not two of the rows that are fetched"
expect 0 "$HEBATCH" info f.heb
says "fetched      up to 64 rows of 'id', 'stay'"
rm -rf f.heb
expect 0 "$HEBATCH" eval --keys keys 'f = fetch(p.id where p.age == 90, 4)' p=p.heb f=f.heb --quiet
refuse 65 "more than 4 rows are selected: fetch(.., N) with a larger N fetches more" "$HEBATCH" decrypt --key keys/secret.h5 f.heb f2.csv
absent f2.csv f2.csv.partial f2.csv.partial.raw
rm -rf f.heb
expect 0 "$HEBATCH" eval --keys keys 'f = fetch((p.age, p.id) where p.age == 90, 64)' p=p.heb f=f.heb --quiet
refuse 65 "the same first column, which is to tell them apart: put a column without repeats first" \
    "$HEBATCH" decrypt --key keys/secret.h5 f.heb f2.csv
refuse 64 "rows that are fetched are a table by themselves" \
    "$HEBATCH" eval --keys keys 'y = groupby(p.ward, fetch(p.id where p.sex, 4))' p=p.heb y=no.heb
refuse 64 "a histogram is a table of groups by itself" \
    "$HEBATCH" eval --keys keys 'y = groupby(p.ward, histogram(p.stay))' p=p.heb y=no.heb
refuse 64 "1 to 128 rows are fetched" "$HEBATCH" eval --keys keys 'f = fetch(p.id where p.sex, 129)' p=p.heb f=no.heb

# Groups by a plain table: by texts, those that there are; their numbers are no secret, and no ciphertexts are
# multiplied. A result that nobody could keep secret is refused.
"$PYTHON" -c 'import csv
rows = [dict(zip(("id", "age"), (r["id"], r["age"]))) for r in csv.DictReader(open("p.csv"))]
print("team"); [print("abd"[int(r["id"]) % 3]) for r in rows]' >team.csv
text='g = groupby(w.team, mean(p.age), count())'
expect 0 "$HEBATCH" eval --keys keys "$text" p=p.heb w=team.csv g=team.heb --category team=a,b,c,d --verbose
grep -q "step         product with a table" err || fail "no masks of groups"
! grep -q "step         product:" err || fail "ciphertexts are multiplied for groups of a plain table"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 team.heb - --quiet
"$PYTHON" -c 'import csv, sys
rows = list(csv.DictReader(open("p.csv")))
got = list(csv.reader(sys.stdin))
wanted = [["team", "mean(p.age)", "count"]]
for i, name in enumerate("abd"):
    ages = [int(r["age"]) for r in rows if int(r["id"]) % 3 == i]
    wanted.append([name, sum(ages) / len(ages), len(ages)])
assert [[x if i == 0 else float(x) for i, x in enumerate(r)] for r in got[1:]] == wanted[1:], (got, wanted)' <out ||
    fail "not the groups of a plain table of texts"
refuse 64 "is no secret" "$HEBATCH" eval --keys keys 'y = (sum(p.age), histogram(w.site))' p=p.heb w=w.csv y=no.heb
refuse 64 "selects no row" "$HEBATCH" eval --keys keys 'y = sum(p.age where w.site == 4)' p=p.heb w=w.csv y=no.heb
# A group of which a plain condition selects no row has a sum of 0, whose ciphertext nobody can read without the key.
expect 0 "$HEBATCH" eval --keys keys 'y = groupby((w.site, p.sex), sum(p.age where w.site == 3), mean(w.site where w.site == 3))' \
    p=p.heb w=w.csv y=empty.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 empty.heb - --quiet
"$PYTHON" -c 'import csv, sys
site = [int(r["site"]) for r in csv.DictReader(open("w.csv"))]
rows = list(zip(site, csv.DictReader(open("p.csv"))))
got = list(csv.reader(sys.stdin))[1:]
of = lambda key: [int(r["age"]) for s, r in rows if s == 3 and (str(s), r["sex"]) == key]
assert len(got) == len({s for s in site}) * 2
for s, sex, total, mean in got:
    ages = of((s, sex))
    assert int(total) == sum(ages) and mean == ("3" if ages else ""), (s, sex, total, mean, ages)' <out ||
    fail "not the sums of groups without rows"
refuse 64 "make every sum of these groups 0" "$HEBATCH" eval --keys keys \
    'y = groupby(w.site, sum(p.age where w.site == 99))' p=p.heb w=w.csv y=no.heb
refuse 64 "takes conditions, which are 0 or 1" "$HEBATCH" eval --keys keys 'y = sum(p.age where w.site)' p=p.heb w=w.csv y=no.heb

# Sums of groups above any t: over several plain moduli.
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,50,50,50 --insecure --wide 64 --out wide --relin --swap --rotations sum
printf 'k,v\n1,5000000000\n2,7000000000\n1,9000000001\n3,1\n' >big.csv
expect 0 "$HEBATCH" encrypt --key wide/secret.h5 big.csv big.heb --range k=1..4,v=0..10000000000
expect 0 "$HEBATCH" eval --keys wide 'g = groupby(p.k, sum(p.v), count(), mean(p.v))' p=big.heb g=wide.heb --quiet
expect 0 "$HEBATCH" decrypt --key wide/secret.h5 wide.heb wide.csv
printf 'k,sum(p.v),count,mean(p.v)\n1,14000000001,2,7000000000.5\n2,7000000000,1,7000000000\n3,1,1,1\n4,0,0,\n' | cmp - wide.csv ||
    fail "not the groups of values above 32 bits"

# A sum of a group is a column like any other.
rm -rf z.heb
expect 0 "$HEBATCH" eval --keys keys 'z = 2*g."count[1,0]"' g=g.heb z=z.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 z.heb - --quiet
"$PYTHON" "$model" check 'z = cols(sum(2*(p.ward == 1)*(p.sex == 0)))' <out || fail "not twice the count of a group"

# Groups of reals: by an encrypted key of whole numbers, what its steps leave, and by a plain one; sums are off by less
# than the plan says.
expect 0 "$HEBATCH" keygen --scheme ckks --n 1024 --levels 14 --scale-bits 48 --insecure --out reals --relin --rotations sum --conj
expect 0 "$HEBATCH" encrypt --key reals/secret.h5 p.csv r.heb --range ward=0..3,age=18..90,stay=-3..11,grade=2..6 \
    --columns ward,age,stay,grade
text='y = groupby((p.ward, w.kind) where w.site == 9, sum(p.age), mean(p.stay), count(), var(p.stay where w.unit > 0))'
expect 0 "$HEBATCH" eval --keys reals "$text" p=r.heb w=w.csv y=reals.heb --quiet
expect 0 "$HEBATCH" decrypt --key reals/secret.h5 reals.heb - --quiet
"$PYTHON" "$model" near 1 "$text" <out || fail "not the groups of reals"
text='y = groupby((p.ward, p.grade), sum(p.age), mean(p.stay), count())'
rm -rf reals.heb
expect 0 "$HEBATCH" eval --keys reals "$text" p=r.heb y=reals.heb --quiet
expect 0 "$HEBATCH" decrypt --key reals/secret.h5 reals.heb - --quiet
"$PYTHON" "$model" near 1 "$text" <out || fail "not the groups of reals by two encrypted keys"

refuse 64 "groups need those of up to 1024" "$HEBATCH" eval --keys keys 'y = groupby(p.id, count())' p=p.heb y=no.heb
refuse 64 "no value is in group 1, or in part of it: they are 0 .. 3; leave that out$" \
    "$HEBATCH" eval --keys keys 'y = groupby(p.ward, 7, count())' p=p.heb y=no.heb
refuse 64 "in part of it: they are 0 .. 3; leave that out$" \
    "$HEBATCH" eval --keys keys 'y = groupby(p.ward, 2..7, count())' p=p.heb y=no.heb
refuse 64 "a group of all rows or of none" "$HEBATCH" eval --keys keys 'y = histogram(p.ward, 0..3)' p=p.heb y=no.heb
refuse 64 "tables of groups are worked out when they are decrypted" "$HEBATCH" eval --keys keys \
    'g = groupby(p.ward, count()); y = 2*g' p=p.heb y=no.heb
absent no.heb

# Nor is what was stored before computed with as if it were its sums: these have names of their own.
stored() { # WHAT NAMES EXPRESSION
    what=$1 names=$2 expression=$3
    set --
    for name in $names; do set -- "$@" "$name=$name.heb"; done
    refuse 64 "$what worked out when they are decrypted.*compute with one of these by its name" \
        "$HEBATCH" eval --keys keys "y = $expression" "$@" y=no.heb
    absent no.heb
}
rm -rf f.heb
expect 0 "$HEBATCH" eval --keys keys 'v = (mean(p.age where p.sex), var(p.age)); s = (sum(p.age), mean(p.stay))' \
    p=p.heb v=v.heb s=s.heb --quiet --compact off
expect 0 "$HEBATCH" eval --keys keys 'f = fetch(p.id where p.age == 90, 64)' p=p.heb f=f.heb --quiet --compact off
means="means are"
stored "$means" "p m" 'p.age - m'
stored "$means" "p m" 'p.age > m'
stored "$means" "p m" 'where(p.sex, m, 1)'
stored "$means" "p s" 's*p.age'
stored "$means" "m s" 'cols(m, s.age)'
for text in 'm + 1' 'm' '-m' 'm.1' 'm.m' 'modswitch(m)'; do stored "$means" m "$text"; done
for text in 'v + 1' 'v."var(p.age)" + 1'; do stored "$means" v "$text"; done
for text in 's.2' 's."mean(p.stay)"' 's."sum(p.age)"' 's.1'; do stored "$means" s "$text"; done
for text in 'g + 1' 'g.ward' 'g."mean(p.age)"' 'g.1' 'sum(g)'; do stored "tables of groups are" g "$text"; done
stored "rows that are fetched are" f f
refuse 65 "m.heb: holds sums from which means, variances or tables of groups are worked out" "$HEBATCH" add m.heb m.heb no.heb
refuse 65 "g.heb: holds sums from which" "$HEBATCH" add g.heb p.heb no.heb
rm -rf z.heb
expect 0 "$HEBATCH" eval --keys keys 'z = (2*s.age - m."sum(age)", m."sum(age)" + 1)' s=s.heb m=m.heb z=z.heb --quiet
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 z.heb - --quiet
ages=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "age") c = i } NR > 1 { s += $c } END { print s }' p.csv)
[ "$(tail -n 1 out)" = "$ages,$((ages + 1))" ] || fail "parts by their names: $(cat out)"

# A missing value that is a whole line is empty quotes, which readers take for a cell and encrypt takes for a missing one.
printf '%s\n' a,b 1,0 2,0 >none.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 none.csv none.heb --range a=0..5,b=0..1 --quiet
expect 0 "$HEBATCH" eval --keys keys 'e = mean(x.a where x.b == 1); two = cols(mean(x.a where x.b == 1), sum(x.a))' x=none.heb \
    e=e.heb two=two.heb --quiet
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 e.heb e.csv --quiet
[ "$(tr '\n' ' ' <e.csv)" = 'e "" ' ] || fail "a mean of no rows: $(cat e.csv)"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 e.csv again.heb --missing e=7 --quiet
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 again.heb - --quiet
[ "$(tr '\n' ' ' <out)" = 'e 7 ' ] || fail "a missing value read again: $(cat out)"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 two.heb - --quiet
[ "$(tail -n 1 out)" = ',3' ] || fail "a mean of no rows beside a sum: $(cat out)"
