#!/bin/sh
# Tables of others that are damaged or made to harm, and memory that ends: a reason and an exit code, never a crash.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
"$PYTHON" - <<'PYTHON'
import h5py, numpy as np
with h5py.File("good.h5", "w") as f:
    table = f.create_dataset("t", data=np.arange(20, dtype="i4").reshape(10, 2))
    table.attrs.create("columns", np.array(["age", "dose"], dtype=object), dtype=h5py.string_dtype())
    f.create_dataset("packed", data=(np.arange(40000) % 30011).reshape(20000, 2), chunks=(1000, 2), compression="gzip")
good = open("good.h5", "rb").read()
heap = good.index(b"GCOL") # where the names are, of which the attribute has addresses
# Sizes in the heap that lead out of it: HDF5 1.10 crashes on most, and goes in circles on the last one.
for place, value in ((53, 1), (52, 127), (26, 128), (29, 112), (72, 2)):
    bad = bytearray(good)
    bad[heap + place] = value
    open("bad-%d.h5" % place, "wb").write(bad)
PYTHON

expect 0 "$HEBATCH" encrypt --key keys/public.h5 good.h5:/t good.heb
expect 0 "$HEBATCH" info good.heb
refused=0
for file in bad-*.h5; do
    code=0
    "$HEBATCH" encrypt --quiet --key keys/public.h5 "$file:/t" bad.heb >out 2>err || code=$?
    case $code in
        0) rm -r bad.heb ;; # the change made other names
        65) refused=$((refused + 1)) && grep -q "$file" err || fail "$file is not named" ;;
        *) fail "exit code $code from $file" ;;
    esac
    absent bad.heb bad.heb.partial
done
[ $refused -ge 3 ] || fail "only $refused damaged files were refused"

# Tables in parts: a group, compounds, frames as pandas writes them. With any bits changed they are refused, or are tables
# of other numbers.
"$PYTHON" - <<'PYTHON'
import random
import h5py, numpy as np
random.seed(7)
def pickled(names): return np.bytes_("(lp0\n" + "".join("V%s\np%d\na" % (n, i + 1) for i, n in enumerate(names)) + ".")
with h5py.File("parts.h5", "w") as f:
    colours = h5py.enum_dtype({"red": 5, "green": 2, "blue": 9}, "i2")
    g = f.create_group("g", track_order=True)
    g["n"], g["a"] = np.array([7, -1, 2**10]), np.array([1, 2, 250], "u1")
    g["ok"], g["colour"] = np.array([True, False, True]), np.array([9, 2, 5], colours)
    rows = np.array([(-1, [1, 2], 9), (2, [3, 4], 5), (3, [5, 6], 2)], [("x", "<i4"), ("v", "<i8", (2,)), ("c", colours)])
    f.create_dataset("c", data=rows, chunks=(2,), compression="gzip")
    f["bits"] = np.array([[True, False], [False, False]])
    t = f.create_group("frame")
    t.attrs["pandas_type"] = np.bytes_("frame_table")
    t.attrs["non_index_axes"] = np.bytes_("(lp0\n(I1\n(lp1\nVb\np2\naVage, \\u00e9\np3\naVc\np4\natp5\na.")
    rows = np.array([(0, [1, 3], 2), (1, [4, 6], 5)], [("index", "<i8"), ("values_block_0", "<i8", (2,)), ("age", "<i4")])
    table = t.create_dataset("table", data=rows, chunks=(2,))
    table.attrs["values_block_0_kind"] = pickled(["b", "c"])
    table.attrs["age_kind"] = pickled(["age, \\u00e9"])
    x = f.create_group("fixed")
    x.attrs["pandas_type"], x.attrs["nblocks"] = np.bytes_("frame"), 2
    x["axis0"], x["block0_items"], x["block1_items"] = np.array([b"q", b"p", b"r"]), np.array([b"p", b"r"]), np.array([b"q"])
    x["block0_values"], x["block1_values"] = np.array([[1, 2], [3, 4]]), np.array([[5], [6]], "u1")
    x["axis1"] = [0, 1]
    t = f.create_group("texts")
    t["a"], t["t"] = [1, 2], np.array([b"x", b"yy"])
good = open("parts.h5", "rb").read()
for i in range(25):
    bad = bytearray(good)
    for _ in range(3):
        bad[random.randrange(len(bad))] ^= 1 << random.randrange(8)
    open("odd-%02d-%s.h5" % (i, ["g", "c", "bits", "frame", "fixed"][i % 5]), "wb").write(bad)
PYTHON
# values T FIRST_LINES: what becomes of a table
values() {
    expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 "parts.h5:/$1" parts.heb
    expect 0 "$HEBATCH" decrypt --force --key keys/secret.h5 parts.heb parts.h5.out.h5:/t
    "$PYTHON" - "$2" <<'PYTHON' || fail "parts.h5:/$1 has other values"
import sys
import h5py
t = h5py.File("parts.h5.out.h5")["t"]
print(t[()].tolist(), [n if isinstance(n, str) else n.decode() for n in t.attrs.get("columns", [])])
sys.exit(repr(t[()].tolist()) != sys.argv[1])
PYTHON
}
values g "[[7, 1, 1, 2], [-1, 2, 0, 0], [1024, 250, 1, 1]]"
values c "[[-1, 1, 2, 2], [2, 3, 4, 1], [3, 5, 6, 0]]"
values bits "[[1, 0], [0, 0]]"
values frame "[[1, 2, 3], [4, 5, 6]]"
expect 0 "$HEBATCH" info parts.heb
values fixed "[[5, 1, 2], [6, 3, 4]]"
# Columns alone, also beside what is not read; a dataset of them is compared with the same ones.
expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 --columns c,b parts.h5:/frame parts.heb
expect 0 "$HEBATCH" decrypt --force --key keys/secret.h5 parts.heb parts.csv
[ "$(tr '\n' ' ' <parts.csv)" = "b,c 1,3 4,6 " ] || fail "other columns than those that were named"
expect 0 "$HEBATCH" verify --key keys/secret.h5 parts.heb --against parts.h5:/frame
expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 --columns a parts.h5:/texts parts.heb
refuse 64 "there is no column 'z'" "$HEBATCH" encrypt --key keys/public.h5 --columns a,z parts.h5:/texts bad.heb
refuse 64 "there is no column 'z'" "$HEBATCH" encrypt --key keys/public.h5 --scale z=10 parts.h5:/g bad.heb
refuse 64 "are for CSV" "$HEBATCH" encrypt --key keys/public.h5 --category n parts.h5:/g bad.heb
refuse 65 "column 't' holds texts" "$HEBATCH" encrypt --key keys/public.h5 parts.h5:/texts bad.heb
refuse 65 "'bits' has two dimensions" "$HEBATCH" encrypt --key keys/public.h5 parts.h5:/ bad.heb
for file in odd-*.h5; do
    table=${file#odd-??-}
    table=${table%.h5}
    code=0
    "$HEBATCH" encrypt --quiet --force --key keys/public.h5 "$file:/$table" bad.heb >out 2>err || code=$?
    case $code in
        0 | 65 | 66 | 70 | 74) ;;
        *) fail "exit code $code from $file:/$table" ;;
    esac
    rm -rf bad.heb
done

# Cells that only HDF5 can read come from its process, to the same result; damage shows when they are read.
expect 0 "$HEBATCH" encrypt --key keys/public.h5 good.h5:/packed packed.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 packed.heb packed.csv
[ "$(tail -n 1 packed.csv)" = "9987,9988" ] || fail "a packed table has other values"
expect 0 "$HEBATCH" verify --key keys/secret.h5 packed.heb --against good.h5:/packed
"$PYTHON" - <<'PYTHON'
import h5py
with h5py.File("good.h5") as f: where = f["packed"].id.get_chunk_info(7).byte_offset
data = bytearray(open("good.h5", "rb").read())
data[where + 20:where + 60] = bytes(40)
open("torn.h5", "wb").write(data)
PYTHON
refuse 74 "torn.h5:/packed: cannot read rows" \
    "$HEBATCH" encrypt --key keys/public.h5 torn.h5:/packed torn.heb

# Where memory ends, wherever that is.
limit=4000
while [ $limit -le 40000 ]; do
    code=0
    # shellcheck disable=SC3045 # dash has it
    (ulimit -d $limit && exec "$HEBATCH" eval --quiet --keys keys 'y = a + w' a=good.heb w=good.h5:/t y=y.heb --force) \
        >out 2>err || code=$?
    [ $code -lt 126 ] || [ $code = 127 ] || fail "exit code $code where memory ends at $limit KiB"
    limit=$((limit + 1000))
done
