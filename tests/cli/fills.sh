#!/bin/sh
# Columns with masks whose ranges do not hold 0: missing cells are stored as the value nearest to 0, which nothing shows;
# from files with other gaps and signs, on ranks, appended, joined and derived, of wide integers and reals.
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

# Questions beside the same in Python.
expect 0 "$HEBATCH" keygen --quiet --n 1024 --bits 55,55,55,55,55,55,55,55,55,55,55,55,55,55 --plain-bits 30 --insecure \
    --relin --rotations sum --swap --out deep
expect 0 "$PYTHON" "$tests/fills.py" bfv 1 deep
expect 0 "$PYTHON" "$tests/fills.py" bfv 2 deep
expect 0 "$HEBATCH" keygen --quiet --scheme ckks --n 1024 --scale-bits 40 --insecure --relin --rotations sum --out real \
    --bits "50,$(seq -s, 21 | sed 's/[0-9][0-9]*/40/g'),50"
expect 0 "$PYTHON" "$tests/fills.py" ckks 1 real

# Files with gaps in other columns, with and without signs, on any ranks; rows that are appended keep the fill.
encrypt="$HEBATCH encrypt --quiet --key deep/public.h5"
decrypt="$HEBATCH decrypt --quiet --key deep/secret.h5"
verify="$HEBATCH verify --key deep/secret.h5"
printf 'ward,n,y\nicu,-5,\nlab,,2021\n' >part-1.csv
printf 'ward,n,y\ner,,2023\n,-7,2022\n' >part-2.csv
printf 'ward,n,y\ner,,\n' >part-3.csv
cat part-1.csv >whole.csv
tail -qn +2 part-2.csv part-3.csv >>whole.csv
for ranks in 1 3; do
    expect 0 $MPIRUN -n $ranks $encrypt 'part-*.csv' parts.heb --missing mask --category ward --range measured --force
    expect 0 "$HEBATCH" info parts.heb
    says "^column  *'n': values -7..-5, or missing"
    says "^column  *'y': values 2021..2023, or missing"
    expect 0 $MPIRUN -n $ranks $decrypt parts.heb got.csv --force
    cmp whole.csv got.csv || fail "several files on $ranks ranks"
    expect 0 $verify parts.heb --against whole.csv
    expect 0 $verify parts.heb --against 'part-*.csv'
done
sed 's/er,,2023/er,-5,2023/' whole.csv >filled.csv
refuse 1 "differ first in row 3, column 'n is not missing'" $verify parts.heb --against filled.csv
printf 'ward,n,y\nlab,,1999\nlab,-90,\n' >new.csv
expect 0 $encrypt --append new.csv parts.heb --range measured
tail -n +2 new.csv >>whole.csv
expect 0 $verify parts.heb --against whole.csv
expect 0 "$HEBATCH" info parts.heb
says "^column  *'n': values -90..-5, or missing"
says "^column  *'y': values 1999..2023, or missing"
expect 0 "$HEBATCH" eval --quiet --keys deep 's = sum((p.n, p.y)); l = sum(p.y where p.y > 2000)' p=parts.heb s=s.heb l=l.heb
expect 0 $decrypt s.heb s.csv
expect 0 $decrypt l.heb l.csv
printf 'n,y\n-102,8065\n' | cmp - s.csv || fail "sums of appended rows"
printf 'l\n6066\n' | cmp - l.csv || fail "a sum where a condition of the same column is true"

# Versions: only fills that are not 0 need the new one.
printf 'a,b\n0,\n5,3\n,\n' >zero.csv
expect 0 $encrypt zero.csv zero.heb --missing mask --range a=0..9,b=0..9
expect 0 $encrypt zero.csv some.heb --missing mask --range a=0..9,b=3..9
printf 'a\n""\n""\n' >none.csv
expect 0 $encrypt none.csv none.heb --missing mask --range measured
expect 0 $verify none.heb --against none.csv
"$PYTHON" -c 'import h5py
for name, version in (("zero", 8), ("some", 10), ("parts", 10), ("none", 8)):
    file = h5py.File(name + ".heb/index.h5")
    assert file.attrs["version"] == version and ("fill" in file["table"]) == (version == 10), name
assert list(h5py.File("some.heb/index.h5")["table/fill"]) == [0, 3, 0, 0]' || fail "versions"

# Joined datasets with other fills have none: sums take a product, and no table is compared with them.
"$PYTHON" -c 'for name, first, rows in (("one", 2000, 1024), ("two", 3000, 20)):
    with open(name + ".csv", "w") as out:
        out.write("x,y\n" + "".join(f"{first + i % 7 if i % 3 else str()},{5 + i % 4 if i % 5 else str()}\n" for i in range(rows)))'
for part in one two; do
    expect 0 $encrypt $part.csv $part.heb --missing mask --range measured
done
expect 0 "$HEBATCH" concat one.heb two.heb joined.heb
expect 0 $decrypt joined.heb joined.csv
tail -n +2 two.csv | cat one.csv - | cmp - joined.csv || fail "joined tables"
refuse 64 "column x may have missing cells.*other ranges" $verify joined.heb --against joined.csv
refuse 64 "column x may have missing cells.*other ranges" $encrypt --append two.csv joined.heb
expect 0 "$HEBATCH" eval --quiet --keys deep 's = sum((p.x, p.y)); n = count(p.x > 2003)' p=joined.heb s=s.heb n=n.heb --force
expect 0 $decrypt s.heb s.csv --force
expect 0 $decrypt n.heb n.csv --force
"$PYTHON" -c 'import csv
rows = list(csv.reader(open("joined.csv")))[1:]
x, y = ([int(r[k]) for r in rows if r[k]] for k in (0, 1))
assert open("s.csv").read() == f"x,y\n{sum(x)},{sum(y)}\n" and open("n.csv").read() == f"n\n{sum(v > 2003 for v in x)}\n"' ||
    fail "sums of joined tables"

# Several plain moduli, and reals in both packings; numbers beyond 64 bits have the fill 0.
expect 0 "$HEBATCH" keygen --quiet --n 1024 --bits 55,55,55,55,55,55 --wide 72 --insecure --relin --rotations sum --swap \
    --out wide
printf 'a,b\n100000000000000000005,-7\n,\n100000000000000000009,-9\n3000000000000000000000,\n' >wide.csv
expect 0 "$HEBATCH" encrypt --quiet --key wide/public.h5 wide.csv wide.heb --missing mask --range measured
expect 0 "$HEBATCH" info wide.heb
says "^column  *'a': values 0..3000000000000000000000, or missing"
says "^column  *'b': values -9..-7, or missing"
expect 0 "$HEBATCH" verify --key wide/secret.h5 wide.heb --against wide.csv
expect 0 "$HEBATCH" eval --quiet --keys wide 's = sum((w.a, w.b)); d = dot(w.b, w.b)' w=wide.heb s=s.heb d=d.heb --force
expect 0 "$HEBATCH" decrypt --quiet --key wide/secret.h5 s.heb s.csv --force
expect 0 "$HEBATCH" decrypt --quiet --key wide/secret.h5 d.heb d.csv --force
printf 'a,b\n3200000000000000000014,-16\n' | cmp - s.csv || fail "sums of wide integers"
printf 'd\n130\n' | cmp - d.csv || fail "a product of integers beside wide ones"
"$PYTHON" -c 'import h5py, numpy as np
h5py.File("t.h5", "w")["x"] = np.array([[2001, np.nan, 30], [np.nan, -40, np.nan], [2005.5, -60, 90]])'
for pack in columns rows; do
    expect 0 "$HEBATCH" encrypt --quiet --key real/public.h5 t.h5:/x $pack.heb --missing mask --pack $pack \
        --range 1=2000.5..2010,2=-60..-40,3=18..90
    expect 0 "$HEBATCH" verify --key real/secret.h5 $pack.heb --against t.h5:/x
    expect 0 "$HEBATCH" info $pack.heb
    says "^column  *3: values 0..90, or missing"
done
"$PYTHON" -c 'import h5py, numpy as np
assert list(h5py.File("columns.heb/index.h5")["table/fill"][:].view("f8")) == [2001, -40, 0, 0, 0, 0]' || fail "fills of reals"

# Columns that are made of others: years are few, and sums take no product, whatever keys are asked for.
printf 'admitted,kg\n2021-05-01,80\n,75\n2023-02-03,\n2022-07-07,60\n2021-01-01,\n' >days.csv
made="--derive year=year(admitted) --missing mask"
expect 0 $encrypt days.csv days.heb $made --range measured
expect 0 $verify days.heb --against days.csv $made
expect 0 "$HEBATCH" eval --quiet --keys deep 'g = groupby(d.year, count(), mean(d.kg))' d=days.heb g=g.heb --force
expect 0 $decrypt g.heb g.csv --force
printf 'year,count,mean(d.kg)\n2021,2,80\n2022,1,60\n2023,1,\n' | cmp - g.csv || fail "groups of years"
expect 0 "$HEBATCH" keygen --quiet --n 1024 --bits 45,45,45 --plain-bits 20 --insecure --out few --masked d \
    --for 's = sum(2*d.kg); m = mean(d.year)'
[ ! -e few/relin.h5 ] || fail "sums took a product"
expect 0 "$HEBATCH" encrypt --quiet --key few/public.h5 days.csv few.heb $made --range measured
expect 0 "$HEBATCH" eval --quiet --keys few 's = sum(2*d.kg); m = mean(d.year)' d=few.heb s=s.heb m=m.heb --force
expect 0 "$HEBATCH" decrypt --quiet --key few/secret.h5 s.heb s.csv --force
expect 0 "$HEBATCH" decrypt --quiet --key few/secret.h5 m.heb m.csv --force
printf 's\n430\n' | cmp - s.csv || fail "a sum of a multiple"
printf 'm\n2021.75\n' | cmp - m.csv || fail "a mean of years"

# Dates with gaps are compared at one product more than those without, and not at the price of all days since 1970.
"$PYTHON" -c 'import datetime
first = datetime.date(2024, 1, 1)
for name, gap in (("gaps", 5), ("whole", 1000)):
    with open(name + "-days.csv", "w") as out:
        out.write("day\n" + "".join(f"{first + datetime.timedelta(37*i % 180) if (i + 1) % gap else chr(34)*2}\n" for i in range(90)))'
for name in gaps whole; do
    expect 0 "$HEBATCH" params suggest "n = count(v.day > '2024-03-01')" --table v=$name-days.csv --missing mask --json
    mv out $name.json
done
"$PYTHON" -c 'import json
gaps, whole = (json.load(open(name + ".json")) for name in ("gaps", "whole"))
assert gaps["depth"] <= whole["depth"] + 1, (gaps["depth"], whole["depth"])
assert gaps["key_bytes"] < 2.5*whole["key_bytes"], (gaps["key_bytes"], whole["key_bytes"])' || fail "keys of dates with gaps"
expect 0 "$HEBATCH" ask 'groupby(year, count(), mean(kg))' days.csv --derive 'year=year(admitted)'
printf 'year,count,mean(kg)\n2021,2,80\n2022,1,60\n2023,1,\n' | cmp - out || fail "ask for groups of years"
