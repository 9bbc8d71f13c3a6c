#!/bin/sh
# HDF5 tables of floats with missing cells, as every frame of pandas has them: decimals, exactly, by --scale; rows left out
# by --missing drop, counted as those of a CSV; and the same of frames that Python encrypts.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(CDPATH='' cd -- "${0%/*}" && pwd)

expect 0 "$HEBATCH" keygen --params bfv-4096 --out keys --quiet
expect 0 "$HEBATCH" keygen --params ckks-13 --out reals --quiet
"$PYTHON" - <<'END' || fail "no tables"
import h5py, numpy as np
nan = np.nan
with h5py.File("t.h5", "w") as f:
    f["one"] = np.array([1.0, nan, 3.0])
    f["two"] = np.array([[1.1, 2], [nan, 5], [-3.3, 4], [7.7, nan]], "f4")
    f["two"].attrs["columns"] = ["kg", "n"]
    group = f.create_group("group", track_order=True)
    group["id"], group["kg"], group["n"] = np.array([7, 8, 9, 10], "u2"), [1.1, nan, -3.3, 7.7], [2, 5, 4, nan]
    rows = np.zeros(4, [("id", "i8"), ("kg", "f8"), ("pair", "f4", (2,))])
    rows["id"], rows["kg"], rows["pair"][:, 0], rows["pair"][3] = [7, 8, 9, 10], [1.1, nan, -3.3, 7.7], .5, nan
    f["rows"] = rows
    f["complex"] = np.array([1 + 2j, nan, 3])
# As pandas.DataFrame({"kg": [1.1, None, -3.3], "n": [2, 5, 4]}).to_hdf writes it, format "fixed".
with h5py.File("frame.h5", "w") as f:
    x = f.create_group("x")
    x.attrs["pandas_type"], x.attrs["nblocks"] = np.bytes_("frame"), 2
    x["axis0"], x["block0_items"], x["block1_items"] = np.array([b"kg", b"n"]), np.array([b"kg"]), np.array([b"n"])
    x["block0_values"], x["block1_values"] = np.array([[1.1], [nan], [-3.3]]), np.array([[2], [5], [4]])
    x["axis1"] = [0, 1, 2]
open("two.csv", "w").write("kg,n\n1.1,2\n,5\n-3.3,4\n7.7,\n")
END

for way in "t.h5:/one" "t.h5:/one --round"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt --quiet --force --key keys/public.h5 $way t.heb --missing drop --scale column1=1
    expect 0 "$HEBATCH" verify --quiet --key keys/secret.h5 t.heb --against t.h5:/one --missing drop
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 t.heb -
    [ "$(tr '\n' ' ' <out)" = "column1 1 3 " ] || fail "one dimension is read as $(cat out)"
done
encrypted() { # TABLE CELLS OPTIONS..
    table=$1 cells=$2
    shift 2
    expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 "$table" t.heb "$@" --missing drop
    complains "missing .*left out"
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 t.heb -
    [ "$(tr '\n' ' ' <out)" = "$cells " ] || fail "$table is read as $(cat out)"
    expect 0 "$HEBATCH" verify --quiet --key keys/secret.h5 t.heb --against "$table" --missing drop
}
encrypted t.h5:/two "kg,n 1.1,2 -3.3,4" --scale kg=10,n=1
encrypted t.h5:/group "id,kg,n 7,1.1,2 9,-3.3,4" --scale kg=10,n=1
encrypted t.h5:/rows "id,kg,pair_0,pair_1 7,1.1,0.5,0 9,-3.3,0.5,0" --scale kg=10,pair_0=10,pair_1=1
encrypted frame.h5:/x "kg,n 1.1,2 -3.3,4" --scale kg=10
encrypted t.h5:/rows "kg 1.1 -3.3 7.7" --columns kg --scale kg=10

# Which rows are left out is told as of a CSV: the two belong together, and are the same table.
expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 t.h5:/two two.heb --scale kg=10,n=1 --missing drop
complains "missing *2 of 4 rows were left out, as cells of theirs are missing: rows by column: kg 1, n 1"
expect 0 "$HEBATCH" verify --quiet --key keys/secret.h5 two.heb --against two.csv --missing drop
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 two.csv csv.heb --scale kg=10 --missing drop
expect 0 "$HEBATCH" eval --quiet --keys keys 'y = a.kg + b.kg - c.kg' a=two.heb b=csv.heb c=t.h5:/two y=y.heb \
    --missing drop --scale kg=10,n=1
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 y.heb -
[ "$(tr '\n' ' ' <out)" = "y 1.1 -3.3 " ] || fail "the sum is $(cat out)"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.h5:/two two.heb --append --missing drop
says "^two.heb: 4 of 8 rows were left out"
expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 t.h5:/two t.heb --scale kg=10,n=1 --missing kg=0.5,n=9
complains "missing *2 cells are read as what --missing says: kg 1, n 1"

# Reals.
for table in t.h5:/one t.h5:/two t.h5:/complex frame.h5:/x; do
    refuse 65 "$table: row 2, column .*: the value is missing (NaN)" \
        "$HEBATCH" encrypt --force --key reals/secret.h5 $table r.heb
    expect 0 "$HEBATCH" encrypt --force --key reals/secret.h5 $table r.heb --missing drop
    complains "missing .*left out"
    expect 0 "$HEBATCH" verify --quiet --key reals/secret.h5 r.heb --against $table --missing drop
done

# Integers that no double is are refused where reals would round them: ids 2^53 and 2^53 + 1 would be one. Numbers
# that a double holds are read, and numbers with an exponent; so is a fill value, which is no number.
printf '%s\n' id,p 9007199254740993,0.1 9007199254740992,0.2 5,0.3 >ids.csv
printf '%s\n' id,p 9007199254740993.0,0.1 9007199254740992,0.2 5,0.3 >pointed.csv
printf '%s\n' id,p -9007199254740993,0.1 9007199254740992,0.2 5,0.3 >below.csv
printf '%s\n' id,p 5,0.1 100000000000000000000000,0.2 5,0.3 >long.csv
printf '%s\n' id,p 9007199254740994,0.1 -9.007199254740993e15,0.2 0.5,0.3 >held.csv
printf '%s\n' p 0.1 0.2 0.3 >p.csv
"$PYTHON" - <<'END' || fail "no tables"
import h5py, numpy as np
ids = np.array([5, 9007199254740992, 9007199254740993])
with h5py.File("i.h5", "w") as f:
    f["flat"], f["turned"], f["unsigned"] = ids, ids.astype(">i8"), np.array([5, 2**64 - 1], "u8")
    f["top"], f["below"] = np.array([2**63 - 1]), -ids
    f["held"] = np.array([2**63 - 1024, -2**63, 2**53 + 2])
    f.create_dataset("chunked", data=ids, chunks=(2,))
    f["group/id"], f["group/p"] = ids, [.1, .2, .3]
    for name, values in ("filled", [-2**63 + 2, 4, 5]), ("filled_ids", [-2**63 + 2, 2**53 + 1, 5]):
        f[name] = np.array(values)
        f[name].attrs["_FillValue"] = np.int64(-2**63 + 2)
    for name, word, value in (("near", "_FillValue", 2**53), ("most", "valid_max", 2**53)):
        f[name] = np.array([2**53 + 1, 4, 5])
        f[name].attrs[word] = np.int64(value)
    f["rounded"] = np.array([2.0**53, 4, 5])
    f["rounded"].attrs["_FillValue"] = np.int64(2**53 + 1)
END
for table in ids.csv pointed.csv below.csv long.csv i.h5:/flat i.h5:/turned i.h5:/unsigned i.h5:/top i.h5:/below \
    i.h5:/chunked i.h5:/group i.h5:/filled_ids i.h5:/near; do
    refuse 65 "$table: row [123].*, column .*: the .* is an integer that no double is" \
        "$HEBATCH" encrypt --force --key reals/public.h5 "$table" r.heb --missing drop
done
expect 0 "$HEBATCH" encrypt --force --key reals/public.h5 ids.csv r.heb --columns p
expect 0 "$HEBATCH" encrypt --force --key reals/public.h5 i.h5:/filled r.heb --missing drop
# Which cells are missing is asked of the integers, not of the doubles that they become.
expect 0 "$HEBATCH" encrypt --force --key reals/public.h5 i.h5:/most r.heb --missing drop
complains "missing      1 of 3 rows was left out"
refuse 65 "its attribute _FillValue is of another type than its numbers" \
    "$HEBATCH" encrypt --force --key reals/public.h5 i.h5:/rounded r.heb --missing drop
expect 0 "$HEBATCH" keygen --key reals/secret.h5 --for 's = sum(x.p)' --quiet
expect 0 "$HEBATCH" encrypt --force --key reals/public.h5 p.csv share.heb
question='y = sum(x.p where i.id == 9007199254740992)'
for table in ids.csv i.h5:/group; do
    refuse 65 "column id: the .* is an integer that no double is" \
        "$HEBATCH" eval --keys reals "$question" x=share.heb i=$table y=new.heb --dry-run
done
expect 0 "$HEBATCH" eval --keys reals 'y = sum(x.p where i.id == 9007199254740994)' x=share.heb i=held.csv y=new.heb --dry-run
expect 0 "$HEBATCH" eval --keys reals 'y = sum(x.p where i.1 < 0)' x=share.heb i=i.h5:/held y=new.heb --dry-run
for constant in 9007199254740993 9007199254740993.0; do
    refuse 64 "no double is this integer" \
        "$HEBATCH" eval --keys reals "y = sum(x.p where i.id == $constant)" x=share.heb i=held.csv y=new.heb --dry-run
done

# Values of plain columns that the program does not read are not judged, in tables of as many rows and of one.
printf '%s\n' s,huge 1,1e300 2,1 3,2 >h.csv
printf '%s\n' s,huge 1,1e300 >h1.csv
for table in h.csv h1.csv; do
    expect 0 "$HEBATCH" eval --keys reals 'y = x.p + w.s' x=share.heb w=$table y=new.heb --force
    expect 0 "$HEBATCH" decrypt --quiet --key reals/secret.h5 new.heb new.csv --force
    "$PYTHON" -c 'import sys
rows = [float(line) for line in open("new.csv").read().split()[1:]]
want = [1.1, 2.2, 3.3] if sys.argv[1] == "h.csv" else [1.1, 1.2, 1.3]
assert len(rows) == 3 and all(abs(a - b) < 1e-3 for a, b in zip(rows, want)), rows' $table || fail "another sum with $table"
    refuse 65 "w.huge" "$HEBATCH" eval --keys reals 'y = x.p + w.huge' x=share.heb w=$table y=none.heb
done

# Frames in Python, by way of CSV.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" "$PYTHON" - <<'END' || fail "Python"
import numpy as np, hebatch
program = hebatch.Program()
single = {"kg": np.array([1.1, np.nan, -3.3], "f4"), "n": np.array([2.0, 5.0, 4.0])}
program.encrypt(single, "p.heb", "keys/secret.h5", scale={"kg": 10, "n": 1}, missing="drop")
back = program.decrypt("p.heb", "keys/secret.h5")
assert [str(x) for x in back["kg"]] == ["1.1", "-3.3"] and [int(x) for x in back["n"]] == [2, 4], dict(back)
for ids, scale in ((np.array([1.0, np.nan, 720575940631797753.0]), 1), (np.array([16777216.0, np.nan], "f4"), 1),
                   (np.array([1234567.8], "f4"), 10), (np.array([90071992547409.10]), 100)):
    try:
        program.encrypt({"id": ids}, "q.heb", "keys/secret.h5", scale={"id": scale}, missing="drop")
    except ValueError as error:
        assert "id" in str(error) and "floating-point" in str(error), error
    else:
        raise AssertionError("ids that doubles do not hold")
END
