#!/bin/sh
# A declared range says what is stored of a column, its sign and its type too: whatever the cells are, and whatever type
# an HDF5 table has of its width, two tables of the same ranges get the same header, the same groups and the same type
# when they are decrypted.
. "$(dirname "$0")/harness.sh"

expect 0 "$HEBATCH" keygen --quiet --n 8192 --bits 47,48,48,48 --plain 65537 --out keys \
    --for 'h = histogram(x.a); g = groupby(x.a, sum(x.b))'
encrypt="$HEBATCH encrypt --quiet --key keys/public.h5"

MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
# alike A.heb B.heb: their headers are the same, with all that stands in the clear beside the ciphertexts.
alike() {
    "$PYTHON" - "$1/index.h5" "$2/index.h5" <<'PYTHON' || fail "$1 and $2 say different things of their tables"
import sys, h5py, numpy
def all_of(name):
    found = {}
    def note(path, of):
        for key, value in of.attrs.items():
            found[path + "@" + key] = (str(numpy.asarray(value).dtype), numpy.asarray(value).tobytes())
        if isinstance(of, h5py.Dataset):
            found[path] = (str(of.dtype), of[()].tobytes())
    with h5py.File(name, "r") as f:
        note("", f)
        f.visititems(note)
    return found
a, b = all_of(sys.argv[1]), all_of(sys.argv[2])
differ = {key for key in a.keys() | b.keys() if a.get(key) != b.get(key)}
assert "table/signed" in a and "table/least" in a and "@header_digest" in a, sorted(a)
SUMS = ("sum", "data_sum", "header_digest")  # of ciphertexts
assert all(key.startswith("ct/c") or key.replace("@", "/").split("/")[-1] in SUMS for key in differ), differ
PYTHON
}
decrypted() { # FILE.heb TEXT: its cells in CSV, and in HDF5 the numbers of the CSV in whatever type ./type says
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 "$1" out.csv --force
    [ "$(tr '\n' ' ' <out.csv)" = "$2" ] || fail "$1 has other values: $(tr '\n' ' ' <out.csv)"
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 "$1" out.h5:/x --force
    "$PYTHON" -c 'import csv, h5py
rows = [[int(c) for c in row] for row in list(csv.reader(open("out.csv")))[1:]]
with h5py.File("out.h5") as f: d = f["x"]; assert (d[()].reshape(len(rows), -1) == rows).all(), d[()]; open("type", "w").write(str(d.dtype))' ||
        fail "HDF5 and CSV differ"
}
typed() { # TYPE
    [ "$(cat type)" = "$1" ] || fail "the type of what is decrypted is $(cat type), and not $1"
}

# A CSV without negative values, and one with them.
printf 'a,b\n1,5\n2,0\n1,2\n' >plus.csv
printf 'a,b\n-1,5\n2,9\n0,-1\n' >minus.csv
for t in plus minus; do expect 0 $encrypt $t.csv $t.heb --range a=-1..2,b=-1..9; done
alike plus.heb minus.heb
expect 0 "$HEBATCH" encrypt --key keys/public.h5 plus.csv part.heb --range a=-1..2
complains "ranges *1 column without a range: the files tell whether values are negative, PUBLIC"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 plus.csv all.heb --range=-1..9
! grep -q "follows from the table" err || fail "all ranges are declared"
expect 0 "$HEBATCH" info plus.heb
says "^column       'a': values -1..2$"
decrypted plus.heb "a,b 1,5 2,0 1,2 " && typed int64
decrypted minus.heb "a,b -1,5 2,9 0,-1 " && typed int64
# Bins from the least to the most, and groups, are those of the range.
for t in plus minus; do
    expect 0 "$HEBATCH" eval --quiet --keys keys 'h = histogram(x.a); g = groupby(x.a, sum(x.b))' x=$t.heb h=$t-h.heb \
        g=$t-g.heb
    for r in h g; do
        expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 $t-$r.heb $t-$r.csv
        expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 $t-$r.heb $t-$r.h5:/x
    done
done
alike plus-h.heb minus-h.heb
alike plus-g.heb minus-g.heb
"$PYTHON" - <<'PYTHON' || fail "histograms or groups"
import collections, csv, h5py
types = set()
for name in ("plus", "minus"):
    with open(name + ".csv") as f: rows = [(int(r["a"]), int(r["b"])) for r in csv.DictReader(f)]
    count, total = collections.Counter(a for a, _ in rows), collections.Counter()
    for a, b in rows: total[a] += b
    for kind, wanted in (("h", count), ("g", total)):
        with open(f"{name}-{kind}.csv") as f: got = [tuple(map(int, r)) for r in list(csv.reader(f))[1:]]
        assert got == [(a, wanted[a]) for a in range(-1, 3)], (name, kind, got)
        with h5py.File(f"{name}-{kind}.h5") as f:
            types.add((kind, f["x"].shape, str(f["x"].dtype)))
            assert [tuple(r) for r in f["x"][()]] == got, f["x"][()]
assert len(types) == 2, types
PYTHON
# Values below 0 that come later, and rows without them behind rows with them.
expect 0 $encrypt --append minus.csv plus.heb
expect 0 $encrypt --append plus.csv minus.heb
printf 'a,b\n1,5\n' >one.csv && expect 0 $encrypt --append one.csv minus.heb
decrypted plus.heb "a,b 1,5 2,0 1,2 -1,5 2,9 0,-1 " && typed int64
decrypted minus.heb "a,b -1,5 2,9 0,-1 1,5 2,0 1,2 1,5 " && typed int64
printf 'a,b\n-2,5\n' >low.csv
refuse 65 "row 1 (line 2), column 'a': the value is outside -1..2" $encrypt --append low.csv plus.heb
printf 'a,b\n1,10\n' >high.csv
refuse 65 "row 1 (line 2), column 'b': the value is outside -1..9" $encrypt --append high.csv minus.heb

# Smaller keys do for the rest.
rm -rf keys ./*.heb
expect 0 "$HEBATCH" keygen --quiet --n 4096 --bits 35,35,36 --plain 40961 --out keys
# A range below 0 of what has no such value, and one from 0 on of what has some: refused by row and column.
refuse 65 "row 1 (line 2), column 'a': the value is outside -9..-1, which --range says" $encrypt plus.csv no.heb --range a=-9..-1
refuse 65 "row 1 (line 2), column 'a': the value is outside 0..12, which --range says" $encrypt minus.csv no.heb --range a=0..12
# Words that are negative in one sign and large in the other are values of neither range.
"$PYTHON" -c 'import h5py, numpy as np
with h5py.File("far.h5", "w") as f: f["u"], f["i"] = np.array([7, 2**64 - 3], "u8"), np.array([7, -3], "i8")'
refuse 65 "row 2, column 1: the value is outside -3..12, which --range says" $encrypt far.h5:/u no.heb --range=-3..12
refuse 65 "row 2, column 1: the value is outside 0..40000, which --range says" $encrypt far.h5:/i no.heb --range 0..40000
absent no.heb no.heb.partial

# HDF5: types with and without a sign, of one width. The type that is decrypted holds the range, and other columns.
"$PYTHON" - <<'PYTHON'
import h5py, numpy as np
with h5py.File("t.h5", "w") as f:
    for name, kind in (("u1", "u1"), ("i1", "i1"), ("u4", "u4"), ("i4", "i4")):
        f[name] = np.array([[0, 5], [12, 100]], kind)
    f["large"], f["low"] = np.array([[1, 5], [2, 200]], "u1"), np.array([[-3, -1], [2, 100]], "i1")
PYTHON
same_types() { # RANGE TYPE WIDTH
    for sign in u i; do
        rm -rf $sign.heb
        expect 0 $encrypt t.h5:/$sign"$3" $sign.heb --range="$1"
        decrypted $sign.heb "column1,column2 0,5 12,100 " && typed "$2"
    done
    alike u.heb i.heb
}
same_types 1=-3..12,2=0..100 int8 1
same_types 1=0..12,2=0..100 uint8 1
same_types 1=-3..12,2=0..200 int16 1
same_types 1=0..12,2=0..200 uint8 1
same_types 1=-3..12,2=-5..100 int32 4
same_types 0..100 uint32 4
expect 0 $encrypt t.h5:/large large.heb --range 1=-3..12 # of the other column the file's type is all that is known
expect 0 "$HEBATCH" info large.heb
says "^column       2: values 0..255$"
decrypted large.heb "column1,column2 1,5 2,200 " && typed int16
expect 0 $encrypt --append t.h5:/u1 large.heb
refuse 65 "row 1, column 2: the value is outside 0..255" $encrypt --append t.h5:/low large.heb
decrypted large.heb "column1,column2 1,5 2,200 0,5 12,100 "
expect 0 $encrypt t.h5:/large grows.heb --range 1=0..12,2=0..200 # and gets values below 0 by a later range
expect 0 $encrypt --append t.h5:/low grows.heb --range 1=-3..12,2=-1..100
decrypted grows.heb "column1,column2 1,5 2,200 -3,-1 2,100 " && typed int16
refuse 65 "--range: column 1: -3..40000 is more than t = .* holds of a column with values below 0" \
    $encrypt --append t.h5:/u1 grows.heb --range 1=0..40000
# Parts of other signs as one dataset: no type says what holds of one part alone.
"$PYTHON" -c 'import h5py, numpy as np
with h5py.File("rows.h5", "w") as f: f["u"], f["i"] = np.full(4096, 200, "u1"), np.array([-5], "i1")'
expect 0 $encrypt rows.h5:/u first.heb --range 0..200
expect 0 $encrypt rows.h5:/i second.heb
expect 0 "$HEBATCH" concat --quiet first.heb second.heb both.heb
expect 0 "$HEBATCH" info both.heb
says "integers of 64 bits"
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 both.heb both.h5:/x
"$PYTHON" -c 'import h5py
with h5py.File("both.h5") as f: assert (f["x"][:4096] == 200).all() and f["x"][4096] == -5' || fail "parts of other signs"

# Dates and decimals.
printf 'born,kg\n1990-01-02,80.5\n2001-12-31,0\n' >late.csv
printf 'born,kg\n1950-01-02,-0.5\n1970-01-01,90\n' >early.csv
for t in late early; do
    expect 0 $encrypt $t.csv $t.heb --scale kg=10 --range born=1940-01-01..2010-12-31,kg=-1..100
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 $t.heb $t.out.csv
done
alike late.heb early.heb
printf 'born,kg\n1990-01-02,80.5\n2001-12-31,0\n' | cmp - late.out.csv || fail "late dates"
printf 'born,kg\n1950-01-02,-0.5\n1970-01-01,90\n' | cmp - early.out.csv || fail "early dates"
expect 0 $encrypt --append early.csv late.heb
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 late.heb late.out.csv --force
[ "$(sed -n 4p late.out.csv)" = "1950-01-02,-0.5" ] || fail "early dates behind late ones"
# Labels and truth values have their own ranges, of which a range of all columns is cut to what there is.
printf 'a,on,s\n1,yes,f\n2,no,m\n' >kinds.csv
expect 0 $encrypt kinds.csv kinds.heb --category s=f,m,x --range=-3..12
expect 0 "$HEBATCH" info kinds.heb
says "^column       'a': values -3..12$"
says "^column       'on': values 0..1, true"
says "^column       's': values 0..2, 3 labels"
refuse 65 "column 'on' has values in 0..1: none of them is in 5..12" $encrypt kinds.csv no.heb --category s=f,m,x --range 5..12

# Several files, of which one has negative values; on two ranks, by rows.
awk 'BEGIN { print "a,b"; for (i = 0; i < 40000; i++) print i % 13 "," i % 10 }' >many.csv
awk 'BEGIN { print "a,b"; for (i = 0; i < 40000; i++) print (i == 39999 ? -3 : i % 13) "," i % 10 }' >last.csv
for t in many last; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n 2 $encrypt $t.csv $t.heb --range a=-3..12,b=0..9
    expect 0 "$HEBATCH" verify --quiet --key keys/secret.h5 $t.heb --against $t.csv
    expect 0 $encrypt $t.csv plus.csv $t-all.heb --range a=-3..12,b=0..9
done
alike many.heb last.heb
alike many-all.heb last-all.heb

# Several plain moduli.
expect 0 "$HEBATCH" keygen --quiet --params bfv-8192 --wide 64 --out wide
for t in plus minus; do
    expect 0 "$HEBATCH" encrypt --quiet --key wide/public.h5 $t.csv w-$t.heb --range=-9000000000000000000..9000000000000000000
    expect 0 "$HEBATCH" decrypt --quiet --key wide/secret.h5 w-$t.heb w-$t.csv
    expect 0 "$HEBATCH" decrypt --quiet --key wide/secret.h5 w-$t.heb w-$t.h5:/x
    same $t.csv w-$t.csv
done
alike w-plus.heb w-minus.heb
"$PYTHON" -c 'import h5py
with h5py.File("w-plus.h5") as f, h5py.File("w-minus.h5") as g: assert str(f["x"].dtype) == str(g["x"].dtype) == "int64" and g["x"][0, 0] == -1' ||
    fail "types of several plain moduli"
refuse 65 "row 1 (line 2), column 'a': the value is outside 0 .. 9, which --range says" "$HEBATCH" encrypt --key wide/public.h5 minus.csv no.heb --range 0..9

# Parameters for a table are those for its ranges.
for t in u4 i4; do
    expect 0 "$HEBATCH" params suggest 'y = rotate(x.1, 1)' --table x=t.h5:/$t --range x=0..1000000
    grep '^hebatch keygen' out >$t.keygen
done
same u4.keygen i4.keygen
