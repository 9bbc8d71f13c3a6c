#!/bin/sh
# Columns with masks: cells that are missing come back as such, by integers, decimals, labels, dates and reals, in CSV
# and HDF5, from one file and several, appended and joined; what has no masks refuses them.
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

cat >p.csv <<'END'
ward,age,kg,day,note
icu,30,80.5,2024-01-02,1
lab,,70,2024-02-03,2
icu,50,,,3
lab,61,99.25,2024-01-05,4
,22,50,2024-02-01,5
END
expect 0 "$HEBATCH" keygen --quiet --params bfv-8192 --out keys
encrypt="$HEBATCH encrypt --quiet --key keys/public.h5"
decrypt="$HEBATCH decrypt --quiet --key keys/secret.h5"
meant="--category ward=icu,lab --scale kg=100"
expect 0 $encrypt p.csv p.heb $meant --missing mask --range age=18..90
expect 0 $decrypt p.heb got.csv
cmp p.csv got.csv || fail "missing cells"
expect 0 "$HEBATCH" info p.heb
says "^table  *5 rows x 5 columns"
says "^column  *'age': values 18..90, or missing"
says "^column  *'note': values unknown$"
says "^masks  *4 columns"
! grep -q "not missing" out || fail "masks are shown"
expect 0 $decrypt p.heb part.csv --columns day,age --rows 2..4
printf 'day,age\n2024-02-03,\n,50\n2024-01-05,61\n' | cmp - part.csv || fail "part of a table"
expect 0 $decrypt p.heb got.h5:/x
"$PYTHON" -c 'import h5py, math
x = h5py.File("got.h5")["x"]
assert x.shape == (5, 5) and [math.isnan(v) for v in x[:, 1]] == [False, True, False, False, False], x[:]
assert x[3, 2] == 9925' || fail "HDF5"

# Compared cell by cell, empty ones too.
verify="$HEBATCH verify --key keys/secret.h5 p.heb --against"
expect 0 $verify p.csv
says "equal to p.csv, cell by cell"
sed 's/lab,,70/lab,0,70/' p.csv >zero.csv
refuse 1 "differ first in row 2, column 'age'" $verify zero.csv
sed 's/lab,61/lab,/' p.csv >more.csv
refuse 1 "differ first in row 4, column 'age'" $verify more.csv

# Rows that are appended, and joined, have masks; HDF5 and several files, too.
printf 'ward,age,kg,day,note\nlab,,3.5,2024-05-05,9\n' >new.csv
expect 0 $encrypt --append new.csv p.heb
tail -1 new.csv | cat p.csv - >all.csv
expect 0 $decrypt p.heb got.csv --force
cmp all.csv got.csv || fail "appended rows"
printf 'ward,age,kg,day,note\nlab,7,3.5,2024-05-05,\n' >none.csv
refuse 65 "column note" $encrypt --append none.csv p.heb
awk 'BEGIN { print "n,m"; for (i = 0; i < 2048; i++) print i ",", i % 3 ? i : "" }' >full.csv
printf 'n,m\n7,\n,8\n' >rest.csv
expect 0 "$HEBATCH" keygen --quiet $SMALL --out small
for part in full rest; do
    expect 0 "$HEBATCH" encrypt --quiet --key small/public.h5 $part.csv $part.heb --missing n=mask,m=mask
done
expect 0 "$HEBATCH" concat full.heb rest.heb joined.heb
expect 0 "$HEBATCH" decrypt --quiet --key small/secret.h5 joined.heb got.csv --force
tr -d ' ' <full.csv | cat - rest.csv | grep -v n,m >want.csv
grep -v n,m got.csv | cmp want.csv - || fail "joined tables"
expect 0 $encrypt p.csv new.csv two.heb $meant --missing ward=mask,age=mask,kg=mask,day=mask
expect 0 $decrypt two.heb got.csv --force
cmp all.csv got.csv || fail "several files"

# Files with gaps in other columns, and with other labels, are one table as if they stood in one file, on any ranks.
printf 'ward,age,kg\nicu,30,\nlab,,70\n' >part-1.csv
printf 'ward,age,kg\ner,50,60\n' >part-2.csv
printf 'ward,age,kg\n,20,50\nicu,,\n' >part-3.csv
cat part-1.csv >whole.csv
tail -qn +2 part-2.csv part-3.csv >>whole.csv
for ranks in 1 2 3 4; do
    expect 0 $MPIRUN -n $ranks $encrypt 'part-*.csv' parts.heb --missing mask --category ward --range age=0..90,kg=0..90 --force
    expect 0 $MPIRUN -n $ranks $decrypt parts.heb got.csv --force
    cmp whole.csv got.csv || fail "several files on $ranks ranks"
done
expect 0 "$HEBATCH" verify --key keys/secret.h5 parts.heb --against whole.csv
expect 0 "$HEBATCH" verify --key keys/secret.h5 parts.heb --against 'part-*.csv'
expect 0 $encrypt --append part-3.csv part-1.csv parts.heb
tail -n +2 part-3.csv >>whole.csv
tail -n +2 part-1.csv >>whole.csv
expect 0 $decrypt parts.heb got.csv --force
cmp whole.csv got.csv || fail "several files are appended"
"$PYTHON" -c 'import h5py, numpy as np
h5py.File("t.h5", "w")["x"] = np.array([[1, np.nan], [np.nan, 4], [5, 6]])'
expect 0 "$HEBATCH" keygen --quiet --params ckks-13 --out real
for pack in columns rows; do
    expect 0 "$HEBATCH" encrypt --quiet --key real/public.h5 t.h5:/x $pack.heb --missing mask --pack $pack
    expect 0 "$HEBATCH" verify --key real/secret.h5 $pack.heb --against t.h5:/x
    expect 0 "$HEBATCH" decrypt --quiet --key real/secret.h5 $pack.heb $pack.h5:/x
done
"$PYTHON" -c 'import h5py, numpy as np
want = h5py.File("t.h5")["x"][:]
for pack in ("columns", "rows"):
    got = h5py.File(pack + ".h5")["x"][:]
    assert (np.isnan(got) == np.isnan(want)).all() and np.nanmax(abs(got - want)) < 1e-3, got' || fail "reals"
expect 0 "$HEBATCH" keygen --quiet --params bfv-8192 --wide 72 --out broad
expect 0 "$HEBATCH" encrypt --quiet --key broad/public.h5 p.csv w.heb $meant --missing mask
expect 0 "$HEBATCH" decrypt --quiet --key broad/secret.h5 w.heb got.csv --force
cmp p.csv got.csv || fail "several plain moduli"
printf 'a,b\n3,\n' >one.csv
expect 0 $encrypt one.csv one.heb --missing b=mask --fill
expect 0 $decrypt one.heb got.csv --force
cmp one.csv got.csv || fail "one row in the place of all"
printf 'a\n3\n""\n4\n' >single.csv
expect 0 $encrypt single.csv single.heb --missing mask
expect 0 $decrypt single.heb got.csv --force
cmp single.csv got.csv || fail "one column"

# Texts of --na are compared with their letters, without blanks around them, also in quotes; NA and its like in any case.
cat >texts.csv <<'END'
w,n,d
a,1,2024-01-01
unknown,unknown,unknown
"unknown","unknown","unknown"
Unknown,2,2024-01-02
 unknown ,3,2024-01-02
-,-,-
N/A,n/a,na
"NA",4,2024-01-02
,"",
END
expect 0 "$HEBATCH" encrypt --key keys/public.h5 texts.csv texts.heb --missing mask --na 'unknown,-' --category w \
    --range n=0..9 --force
complains "missing  *6 of 9 cells of w are missing"
complains "missing  *5 of 9 cells of n are missing"
"$PYTHON" -c 'import json
m = json.load(open("texts.heb.report.json"))["missing"]
assert m["cells_masked"] == 16 and [c["cells_masked"] for c in m["column"]] == [6, 5, 5], m' || fail "the report of cells"
expect 0 $decrypt texts.heb got.csv --force
printf '%s\n' w,n,d a,1,2024-01-01 ,, ,, Unknown,2,2024-01-02 ,3,2024-01-02 ,, ,, NA,4,2024-01-02 ,, | cmp - got.csv ||
    fail "texts of --na"

# Tables without masks.
refuse 64 "--digits: column 'age' has a mask" $encrypt p.csv x.heb $meant --missing mask --digits age=10
refuse 64 "a table with pairs has no masks" "$HEBATCH" encrypt --key real/public.h5 t.h5:/x x.heb --missing mask \
    --pair z=column1,column2
refuse 64 "files for SEAL do not tell masks" "$HEBATCH" export two.heb seal
refuse 64 "add would take it for 0" "$HEBATCH" add full.heb rest.heb x.heb

# Several columns of different meanings as one result.
printf 'x,p,w\n3,1.25,5\n,,6\n1,-0.5,7\n' >mixed.csv
expect 0 "$HEBATCH" keygen --quiet --n 1024 --bits 55,55,55 --plain-bits 20 --insecure --relin --rotations sum --swap --out mixed
expect 0 "$HEBATCH" encrypt --quiet --key mixed/public.h5 mixed.csv mixed.heb --missing mask --scale p=100 \
    --range x=-5..6,p=-3..3,w=-4..10
expect 0 "$HEBATCH" eval --quiet --keys mixed 'r = (m.p, m.x); s = m' m=mixed.heb r=r.heb s=s.heb
expect 0 "$HEBATCH" decrypt --quiet --key mixed/secret.h5 s.heb got.csv --force
cmp mixed.csv got.csv || fail "a whole table with masks"

# A question gets the keys that masks take from the lines that params suggest prints.
printf '%s\n' kg,days 70,4 ,2 80, 90,5 >visits.csv
expect 0 "$HEBATCH" params suggest 'm = mean(v.kg + v.days)' --table v=visits.csv --missing mask
says "--for 'm = mean(v.kg + v.days)' --masked v"
sed -n "s|^hebatch|\"$HEBATCH\"|p" out >lines.sh
sh -e lines.sh >/dev/null 2>&1 || fail "a printed line"
printf 'm\n84.5\n' | cmp - m.csv || fail "the printed lines"
refuse 64 "masked names datasets that --for EXPRESSION computes with" "$HEBATCH" keygen $SMALL --out none --masked v

# Computed with: aggregates, groups, conditions and results row by row, beside the same in Python.
expect 0 "$HEBATCH" keygen --quiet --n 1024 --bits 55,55,55,55,55,55,55,55,55,55,55 \
    --plain-bits 20 --insecure --relin --rotations sum --swap --out deep
expect 0 "$PYTHON" "$tests/masks.py" bfv 1 deep

# A result of nine columns with masks selects no rows: reals would lose all precision.
"$PYTHON" -c 'print(",".join(f"a{i}" for i in range(9)))
for row in range(9):
    print(",".join("" if row == i else str(i) for i in range(9)))' >nine.csv
expect 0 "$HEBATCH" keygen --quiet --scheme ckks --n 1024 --bits 50,40,40,50 --scale-bits 40 --insecure --relin \
    --rotations sum --out few
expect 0 "$HEBATCH" encrypt --quiet --key few/public.h5 nine.csv nine.heb --missing mask --range measured
expect 0 "$HEBATCH" eval --quiet --keys few "t = $(seq -f p.a%.0f -s+ 0 8)" p=nine.heb t=nine-t.heb --compact off --force
refuse 64 "t is a result of several columns with missing cells, and rows are not selected by it" \
    "$HEBATCH" eval --keys few 'k = sum(t + 1)' t=nine-t.heb k=nine-k.heb --force

# A model says nothing of a row whose inputs are not all there; columns that it does not name play no part.
printf 'age,kg,other\n0.3,,1\n,0.7,2\n0.5,0.6,\n' >inputs.csv
echo '{"kind": "linear", "inputs": ["kg", "age"], "weights": [1, 2], "bias": 10}' >line.json
expect 0 "$HEBATCH" encrypt --quiet --key few/public.h5 inputs.csv inputs.heb --missing mask --range age=0..1,kg=0..1,other=0..9
expect 0 "$HEBATCH" eval --keys few --model line.json x=inputs.heb y=line.heb
complains "column  *'y': values 10..13, or missing"
expect 0 "$HEBATCH" decrypt --quiet --key few/secret.h5 line.heb line.csv
"$PYTHON" -c 'got = open("line.csv").read().split()
assert got[:3] == ["y", "\"\"", "\"\""] and len(got) == 4 and abs(float(got[3]) - 11.6) < 1e-3, got' || fail "a model"
printf 'w\n1\n""\n3\n' >plain.csv
refuse 65 "plain.csv: row 2 (line 3), column w: the field is empty" \
    "$HEBATCH" eval --keys few 'y = x.age*w.w' x=inputs.heb w=plain.csv y=y.heb
refuse 64 "a plain table that is computed with has no masks" \
    "$HEBATCH" eval --keys few 'y = x.age*w.w' x=inputs.heb w=plain.csv y=y.heb --missing mask

# Nor are masks of results added up without end: 9, 81, 729, 6561, 59049.
expect 0 "$HEBATCH" encrypt --quiet --key deep/public.h5 nine.csv m0.heb --missing mask --range measured
expect 0 "$HEBATCH" eval --quiet --keys deep "t = $(seq -f p.a%.0f -s+ 0 8)" p=m0.heb t=m1.heb --compact off --force
sum=$(seq -f t%.0f -s+ 0 8)
for i in 1 2 3 4 5; do
    # shellcheck disable=SC2046
    set -- eval --keys deep "t = $sum" $(seq -f "t%.0f=m$i.heb" 0 8) t=m$((i + 1)).heb --compact off --force
    if [ $i -lt 5 ]; then
        expect 0 "$HEBATCH" "$@" --quiet
    else
        refuse 64 "adds up 531441 masks" "$HEBATCH" "$@"
    fi
done

# Rows that are appended get no masks that the dataset lacks.
printf 'x,y\n1,2\n2,3\n' >bare.csv
printf 'x,y\n1,2\n,3\n' >gap.csv
expect 0 "$HEBATCH" keygen $SMALL --out bare
expect 0 "$HEBATCH" encrypt --quiet --key bare/public.h5 bare.csv bare.heb --range 0..9
refuse 64 'has no mask for column .x., which --missing x=mask makes when a dataset is encrypted first' \
    "$HEBATCH" encrypt --append --key bare/public.h5 gap.csv bare.heb --missing x=mask
refuse 65 'the field is empty; the dataset has no mask for that column' \
    "$HEBATCH" encrypt --append --key bare/public.h5 gap.csv bare.heb --missing mask
# A cell that is missing in a column without a mask, beside columns with one, whose rows stay.
printf 'm,w\n1,1\n,2\n' >some.csv
printf 'm,w\n3,\n,4\n' >more.csv
expect 0 "$HEBATCH" encrypt --key bare/public.h5 some.csv some.heb --missing m=mask --range m=0..9,w=0..9
refuse 65 'column w: the field is empty; read with --missing mask,w=drop$' \
    "$HEBATCH" encrypt --append --key bare/public.h5 more.csv some.heb
expect 0 "$HEBATCH" encrypt --append --key bare/public.h5 more.csv some.heb --missing mask,w=drop
expect 0 "$HEBATCH" decrypt --key bare/secret.h5 some.heb some.out.csv
printf 'm,w\n1,1\n,2\n,4\n' >wanted
same wanted some.out.csv
