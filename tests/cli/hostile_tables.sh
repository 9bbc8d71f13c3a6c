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
