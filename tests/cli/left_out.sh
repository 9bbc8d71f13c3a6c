#!/bin/sh
# Rows that --missing drop leaves out are counted everywhere, and rows of tables belong together only where the same ones
# were left out: in computing, adding up, comparing, and in what results go on to.
. "$(dirname "$0")/harness.sh"
# Results are computed with further, or compared word by word.
export HEBATCH_COMPACT=off

expect 0 "$HEBATCH" keygen --quiet --params bfv-8192 --relin --out keys --for 's = sum(x)'
printf 'x,n\n1,5\n"",6\n3,7\n4,NA\n' >a.csv # rows 2 and 4 go
printf 'y,m\n10,1\n20,2\n"",3\n40,""\n' >b.csv # rows 3 and 4
printf 'y,m\n10,1\nnull,2\n30,3\n40,""\n' >c.csv # rows 2 and 4
printf 'y,m\n10,1\n30,3\n' >short.csv # what c is without these
printf 'y,m\n10,1\n,2\n30,3\n40,""\n50,5\n' >longer.csv # rows 2 and 4 of 5
encrypt() { # NAME OPTIONS...
    name=$1
    shift
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 "$name.csv" "$name.heb" "$@"
}
encrypt a --missing drop
complains "missing *2 of 4 rows were left out, as cells of theirs are missing: rows by column: x 1, n 1"
says "^a.heb: 2 of 4 rows were left out"
cp a.csv a2.csv
for t in a2 b c longer; do encrypt $t --missing drop; done
encrypt short --missing drop
! grep -q "left out" out err || fail "nothing was left out"
"$PYTHON" -c 'import json
r = json.load(open("a.heb.report.json"))
assert r["left_out"] == {"rows": 2, "of": 4}, r["left_out"]
assert r["missing"]["rows_there"] == 4 and r["missing"]["rows_left_out"] == 2, r["missing"]
assert [(c["name"], c["rows_left_out"]) for c in r["missing"]["column"]] == [("x", 1), ("n", 1)], r["missing"]' ||
    fail "the report"
expect 0 "$HEBATCH" info a.heb
says "^missing  *2 of 4 rows were left out"
expect 0 "$HEBATCH" info a.heb --json
"$PYTHON" -c 'import json; assert json.load(open("out"))["table"]["left_out"] == {"rows": 2, "of": 4}' || fail "info"

# Others are refused, also where there are as many; the same ones are computed with.
eval="$HEBATCH eval --keys keys"
refuse 65 "a.heb: 2 of 4 rows were left out.*b.heb: 2 of 4 rows were left out.*not the same ones" \
    $eval 'z = a.x*b.y' a=a.heb b=b.heb z=z.heb
refuse 65 "a.heb: 2 of 4 rows were left out.*short.heb: no row was left out" $eval 'z = a.x + s.y' a=a.heb s=short.heb z=z.heb
refuse 64 "not belong together" $eval 'z = a.x + s.y' a=a.heb s=short.csv z=z.heb
printf 'y\n10\n20\n30\n40\n' >full.csv # all four rows, whose numbers differ from those that are left
encrypt full
refuse 65 "2 of 4 rows were left out.*full.heb: no row was left out" $eval 'z = a.x + f.y' a=a.heb f=full.heb z=z.heb
refuse 64 "f: no row was left out; a: 2 of 4 rows were" $eval 'z = a.x + f.y' a=a.heb f=full.csv z=z.heb
refuse 64 "not belong together" $eval 'z = a.x + b.y' a=a.heb b=b.csv z=z.heb --missing drop
for text in 'z = a.x + b.y' 'z = sum(a.x where b.y > 0)' 'z = groupby(b.y, sum(a.x))'; do
    refuse 64 "not belong together" $eval "$text; u = w @ x" a=a.heb b=b.csv w=short.csv z=z.heb u=u.heb x=a.heb \
        --missing drop
done
absent z.heb z.heb.partial
expect 0 $eval 'z = a.x*c.y' a=a.heb c=c.heb z=z.heb
complains "missing *2 of 4 rows"
expect 0 $eval 'p = a.x*c.y' a=a.heb c=c.csv p=p.heb --missing drop
complains "rows by column: y 1, m 1"
refuse 64 "options say how plain tables are read, but there are none: all inputs are encrypted" \
    $eval 'n = a.x + 1' a=a.heb n=n.heb --missing drop
# Results have the rows of their operands; a sum is of no row, and says how many it lacks.
refuse 65 "z.heb: 2 of 4 .*b.heb: 2 of 4 .*not the same ones" $eval 'w = z + b.y' z=z.heb b=b.heb w=w.heb
expect 0 $eval 'w = z + c.m - p' z=z.heb c=c.heb p=p.heb w=w.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 w.heb w.csv
says "^missing  *2 of 4 rows were left out"
[ "$(tr '\n' ' ' <w.csv)" = "w 1 3 " ] || fail "c.m of rows 1 and 3: $(cat w.csv)"
expect 0 $eval 's = sum(a.x)' a=a.heb s=s.heb
expect 0 "$HEBATCH" info s.heb
says "^missing  *2 rows with missing cells were left out: no total counts them$"
! grep -q "of 4 rows" out || fail "a sum has rows"
expect 0 "$HEBATCH" info s.heb --json
"$PYTHON" -c 'import json; assert json.load(open("out"))["table"]["left_out"] == {"rows": 0, "of": 1, "behind_a_total": 2}' ||
    fail "info of a sum"
expect 0 $eval 'v = b.y + s' b=b.heb s=s.heb v=v.heb
complains "missing *2 of 4 rows were left out"
complains "missing *2 rows with missing cells were left out"
# Each result says it of its own operands alone.
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --for 'm = sum(x); g = groupby(k, sum(x), count())'
expect 0 $eval 'm = mean(a.x); u = sum(d.x); t = s + 1; c = (count(), sum(a.x))' a=a.heb d=a2.heb s=s.heb m=m.heb t=t.heb c=c2.heb
for result in m t c2; do
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 $result.heb --quiet $result.csv
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 $result.heb --force $result.csv
    says "^missing  *2 rows with missing cells were left out"
    "$PYTHON" -c 'import json, sys; assert json.load(open(sys.argv[1]))["left_out"]["behind_a_total"] == 2' $result.csv.report.json ||
        fail "the report of $result"
done
expect 0 $eval 'o = sum(e.y)' e=short.heb o=o.heb
expect 0 $eval 'both = s + o; single = o + 1' s=s.heb o=o.heb both=total.heb single=single.heb
expect 0 "$HEBATCH" info total.heb
says "^missing  *2 rows with missing cells were left out"
expect 0 "$HEBATCH" info single.heb
! grep -q "left out" out || fail "a result says it of another one's operand"
expect 0 $eval 'o = sum(e.m)' e=short.heb o=o2.heb
expect 0 $eval 'o = sum(a.x)' a=a.heb o=s2.heb
expect 0 "$HEBATCH" add o.heb o2.heb whole.heb
! grep -q "left out" out || fail "nothing was left out"
expect 0 "$HEBATCH" add o.heb s2.heb added.heb
says "^missing  *2 rows with missing cells were left out"
refuse 65 "b.heb: 2 of 4" "$HEBATCH" add c.heb b.heb sum.heb
expect 0 "$HEBATCH" add a.heb a2.heb sum.heb
says "^missing  *2 of 4 rows were left out"

# Comparing: what the dataset decrypts to has its rows; a table from which others were left out has not.
expect 0 "$HEBATCH" verify c.heb --key keys/secret.h5 --against c.csv --missing drop
says "^missing  *2 of 4 rows were left out, as cells of theirs are missing: rows by column: y 1, m 1"
says "^equal to c.csv, cell by cell, in the 2 rows that are there$"
[ "$(grep -c "left out" out)" = 1 ] || fail "said twice"
refuse 65 "missing" "$HEBATCH" verify c.heb --key keys/secret.h5 --against c.csv
expect 0 "$HEBATCH" verify c.heb --key keys/secret.h5 --against short.csv
says "^missing  *2 of 4 rows were left out"
says "^equal to short.csv, cell by cell$"
printf 'y,m\n10,1\n30,3\n"",2\n40,""\n' >other.csv # the same values, rows 1 and 2
expect 1 "$HEBATCH" verify c.heb --key keys/secret.h5 --against other.csv --missing drop
complains "c.heb and other.csv have other rows of their tables"
expect 1 "$HEBATCH" verify short.heb --key keys/secret.h5 --against c.csv --missing drop

# Tables behind one another count on: as one, appended, or as datasets.
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 b.csv longer.csv both.heb --missing drop
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 longer.csv b.heb --append --missing drop
expect 0 "$HEBATCH" info b.heb
says "^missing  *4 of 9 rows were left out"
expect 0 "$HEBATCH" verify b.heb
expect 0 $eval 'd = b.y - o.y' b=b.heb o=both.heb d=d.heb --force
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 longer.csv b.csv turned.heb --missing drop
refuse 65 "not the same ones" $eval 'd = b.y - o.y' b=b.heb o=turned.heb d=d2.heb
expect 0 "$HEBATCH" concat b.heb one.heb
expect 0 $eval 'e = b.y + o.y' b=b.heb o=one.heb e=e.heb
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 short.csv short.heb --append # nothing was left out of either

# And go out to other programs and back.
expect 0 "$HEBATCH" export a.heb out-a
expect 0 "$HEBATCH" import out-a back.heb --key keys
refuse 65 "back.heb: 2 of 4 .*not the same ones" $eval 'q = r.x*b.y' r=back.heb b=v.heb q=q.heb
sed -i 's/"left_out": \[/&1,/' out-a/index.json
refuse 65 "does not describe a table" "$HEBATCH" import out-a back2.heb --key keys

# Cells that are read as another value, and empty lines at the end, are said as well.
printf 'x,n\n1,5\n,6\n3,\n\n\n' >r.csv
encrypt r --missing 0,n=9
complains "missing *2 cells are read as what --missing says: x 1, n 1"
complains "ends with 2 empty lines, no rows"
"$PYTHON" -c 'import json
m = json.load(open("r.heb.report.json"))["missing"]
assert (m["cells_replaced"], m["rows_left_out"], m["empty_lines"]) == (2, 0, 2), m' || fail "the report of cells"
expect 0 "$HEBATCH" verify r.heb --key keys/secret.h5 --against r.csv --missing 0,n=9
says "missing *2 cells are read as what --missing says: x 1, n 1"
says "ends with 2 empty lines, no rows"
expect 1 "$HEBATCH" verify r.heb --key keys/secret.h5 --against r.csv --missing 0,n=8
expect 1 "$HEBATCH" verify r.heb --key keys/secret.h5 --against r.csv --missing drop
complains "r.heb and r.csv have other rows of their tables"

# The digest covers what a file says of its rows, and impossible numbers are not believed.
"$PYTHON" - <<'END' || fail "forging"
import h5py
for name, attribute, value in (("damaged-count", "left_out", 3), ("damaged-sum", "left_out_sum1", 7),
                               ("damaged-range", "left_out_sum0", 2**61), ("damaged-none", "left_out", 0)):
    import shutil
    shutil.copytree("a.heb", name + ".heb")
    with h5py.File(name + ".heb/index.h5", "r+") as f:
        f["table"].attrs.modify(attribute, value)
END
for name in damaged-count damaged-sum; do
    refuse 65 "header does not match its digest" "$HEBATCH" info $name.heb
done
refuse 65 "rows that were left out are impossible" "$HEBATCH" info damaged-range.heb
refuse 65 "says that no rows were left out, in attribute 'left_out'" "$HEBATCH" info damaged-none.heb
"$PYTHON" -c 'import h5py
f = h5py.File("a.heb/index.h5"); assert f.attrs["version"] == 6
sums = [sum(pow(b, r, 2**61 - 1) for r in (1, 3)) % (2**61 - 1) for b in (3**38, 5**26)]
assert [int(f["table"].attrs["left_out_sum%d" % i]) for i in (0, 1)] == sums
assert h5py.File("short.heb/index.h5").attrs["version"] < 6' || fail "which rows"

# Where the place of a row says what it stands for, rows that were left out would move all behind them.
printf 'v\n5\nNA\n6\n7\n' >places.csv
printf 'k,v\n0,5\n1,\n3,7\n' >keyed.csv
printf 'p,q\n1,2\n,3\n' >weights.csv # one row is left of two
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 short.csv few.heb --range y=0..40,m=0..3
refuse 65 "places: 1 of 4 rows was left out.*where numbers are looked up.*--missing COLUMN=VALUE" \
    $eval 'u = lookup(f.m, places)' f=few.heb places=places.csv u=u.heb --missing drop
! grep -q "presets" err || fail "no parameters would do"
absent u.heb
expect 0 $eval --dry-run 'u = lookup(f.m, keyed, 0)' f=few.heb keyed=keyed.csv u=u.heb --missing drop
expect 0 $eval --dry-run 'u = lookup(f.m, places)' f=few.heb places=places.csv u=u.heb --missing v=6
refuse 65 "w: 1 of 2 rows was left out.*on the left of @" $eval 'u = w @ f' f=few.heb w=weights.csv u=u.heb --missing drop
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 weights.csv kernel.heb --missing drop
refuse 65 "w: 1 of 2 rows was left out.*on the left of @" $eval 'u = w @ f' f=few.heb w=kernel.heb u=u.heb

# One row that is left of several is no table of one row: it stands in no other.
printf 'n\n5\n' >single.csv
for text in 'u = f.m*w.q' 'u = f.m + w.q' 'u = sum(f.m where w.q == 2)'; do
    refuse 64 "w: 1 of 2 rows was left out.*it is no table of one row" \
        $eval "$text" f=few.heb w=weights.csv u=u.heb --missing drop
done
refuse 64 "w: 1 of 2 rows was left out.*it is no table of one row" $eval 'u = f.m*w.q' f=few.heb w=kernel.heb u=u.heb
absent u.heb
expect 0 $eval 'u = w.p + t.q' w=kernel.heb t=weights.csv u=u.heb --missing drop # the same row of both
expect 0 "$HEBATCH" info u.heb
says "^missing  *1 of 2 rows was left out"
rm -rf u.heb
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 single.csv one-row.heb
expect 0 $eval 'u = o.n + w.q' o=one-row.heb w=kernel.heb u=u.heb # the row of w still, which stands in no other
refuse 64 "u: 1 of 2 rows was left out.*it is no table of one row" $eval 'x = f.m + u' f=few.heb u=u.heb x=x.heb
refuse 65 "--fill: weights.csv: 1 of 2 rows was left out" \
    "$HEBATCH" encrypt --key keys/public.h5 weights.csv filled.heb --fill --missing drop
absent filled.heb x.heb

# A label that is a word for missing cells is decrypted as it is. Who reads that table has to say that it is a label: else
# it is refused, or left out with a word.
printf 'w,a\n"NA",1\nx,2\nNA,3\n' >label.csv
encrypt label --force --category w --missing drop
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 label.heb back.csv --force
[ "$(tr '\n' ' ' <back.csv)" = 'w,a NA,1 x,2 ' ] || fail "labels like missing cells: $(cat back.csv)"
complains "back.csv: column 'w' has the label NA: encrypt reads it as a missing cell, unless it stands in quotes"
refuse 65 "row 1 (line 2), column w: the value is missing" "$HEBATCH" encrypt --key keys/public.h5 back.csv back.heb --force --category w
encrypt back --force --category w --missing drop
says "^back.heb: 1 of 2 rows was left out"
encrypt back --force --category w=NA,x
! grep -q "left out" out err || fail "a label that was said was read as a missing cell"

# A table that has NA as a label, in quotes, and as missing cells, without: which one a cell without quotes is, --na says.
reason="NA without quotes was read as the label of this name in column 'w': --na NA makes it a missing cell"
expect 1 "$HEBATCH" verify label.heb --key keys/secret.h5 --against label.csv --missing drop
complains "label.heb and label.csv have other rows of their tables.*$reason"
refuse 65 "row 3 (line 4), column w: the value is missing" \
    "$HEBATCH" verify label.heb --key keys/secret.h5 --against label.csv --na NA
expect 0 "$HEBATCH" verify label.heb --key keys/secret.h5 --against label.csv --missing drop --na NA
says "^equal to label.csv, cell by cell, in the 2 rows that are there$"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 label.heb back.csv --force
expect 0 "$HEBATCH" verify label.heb --key keys/secret.h5 --against back.csv
encrypt label --force --category w --missing w=x
expect 1 "$HEBATCH" verify label.heb --key keys/secret.h5 --against label.csv --missing w=x
complains "differ first in row 3, column 'w'.*$reason"
expect 0 "$HEBATCH" verify label.heb --key keys/secret.h5 --against label.csv --missing w=x --na NA
expect 1 "$HEBATCH" verify c.heb --key keys/secret.h5 --against other.csv --missing drop
! grep -q -- "--na" err || fail "no label is a word for missing cells"

# A message names the row as its file has it, with those that were left out: of one table, of several, and of HDF5.
printf 'n,p\n1,1.5\n2,\n3,7000\n4,2\n' >far.csv
printf 'n,p\n,3\n4,5\n' >early.csv
in_file="far.csv: row 3 (line 4), column 'p': the value is outside 0..1000"
far="--key keys/public.h5 --missing drop --range p=0..1000"
# shellcheck disable=SC2086
refuse 65 "$in_file" "$HEBATCH" encrypt $far --scale p=100 far.csv far.heb
# shellcheck disable=SC2086
refuse 65 "$in_file" "$HEBATCH" encrypt $far --scale p=100 early.csv far.csv far.heb
printf 'n,p\n1,15\n2,\n3,700\n' >digits.csv
refuse 65 "digits.csv: row 3 (line 4), column p: the number has more than 2 digits" \
    "$HEBATCH" encrypt --key keys/public.h5 --missing drop --digits p=10,2 digits.csv far.heb
"$PYTHON" -c 'import h5py
h5py.File("far.h5", "w")["x"] = [[1, float("nan")], [2, 3], [4, 7000]]'
refuse 65 "far.h5:/x: row 3, column 2: the value is outside 0..1000" "$HEBATCH" encrypt --key keys/public.h5 --missing drop \
    --scale column1=1,column2=1 --range 0..1000 far.h5:/x far.heb
printf 'n,p\n1,150\n2,\n3,700\n4,2\n' >near.csv
encrypt near --missing drop
printf 'n,p\n1,150\n2,\n3,701\n4,2\n' >nearly.csv
refuse 1 "differ first in row 2 (nearly.csv: row 3 (line 4)), column 'p'" \
    "$HEBATCH" verify near.heb --key keys/secret.h5 --against nearly.csv --missing drop
