#!/bin/sh
# Names of columns: what others read in our files, and which ones are refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
encrypt="$HEBATCH encrypt --key keys/secret.h5"

# h5py reads them as text, from a dataset and from a table that came back.
printf 'größe,"中文 ""x""",b\n1,2,3\n4,5,6\n' >names.csv
expect 0 $encrypt names.csv names.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 names.heb names.h5:/t
"$PYTHON" - <<'PYTHON' || fail "h5py does not read the names"
import h5py
want = ["größe", '中文 "x"', "b"]
for file in "names.heb/index.h5", "names.heb/part-00000.h5":
    found = h5py.File(file)["table/names"].asstr()[:]
    assert list(found) == want, found
assert list(h5py.File("names.h5")["t"].attrs["columns"]) == want
PYTHON
expect 0 $encrypt names.h5:/t names2.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 names2.heb names2.csv
same names.csv names2.csv

# refused HEADER WHERE: as the first line of a table with so many columns.
refused() {
    printf "$1\\n1,2,3\\n" >bad.csv
    refuse 65 "bad.csv: line 1, column $2.*\(a name of its own\|--charset latin-1\)" $encrypt bad.csv bad.heb
    refuse 65 "bad.csv: line 1, column $2.*\(a name of its own\|--charset latin-1\)" "$HEBATCH" eval 'y = a + w' \
        a=names.heb w=bad.csv y=y.heb
    absent bad.heb bad.heb.partial y.heb
}
refused 'a,,c' '2: the name is empty'
refused '"",b,c' '1: the name is empty'
refused 'secret,b,secret' '3: has the name of column 1:'
if grep -q secret err; then fail "a name is shown, which may be a value"; fi
printf '7,8,7\n1,2,3\n' >bad.csv
refuse 65 "bad.csv: the first line, which names the columns, has numbers alone: is it a row" $encrypt bad.csv bad.heb
refuse 65 "bad.csv: line 1, column 3: has the name of column 1" $encrypt bad.csv bad.heb --header names
absent bad.heb bad.heb.partial
refused 'a,b\374,c' '2: the name is no UTF-8'
refused 'a,b,c\300\257' '3: the name is no UTF-8'         # an overlong /
refused 'a,\355\240\200,c' '2: the name is no UTF-8'     # a surrogate
refused '\364\220\200\200,b,c' '1: the name is no UTF-8' # above U+10FFFF
refused 'a,b,c\342\202' '3: the name is no UTF-8'         # cut short
"$PYTHON" - <<'PYTHON'
import h5py, numpy as np
f = h5py.File("bad.h5", "w")
for name, columns in {"empty": [b"a", b"", b"c"], "twins": [b"a", b"b", b"b"], "latin": [b"a", b"b\xfc", b"c"]}.items():
    f[name] = np.array([[1, 2, 3]])
    f[name].attrs["columns"] = np.array(columns, dtype="S4")
PYTHON
refuse 65 "bad.h5:/empty: attribute 'columns', column 2: the name is empty" $encrypt bad.h5:/empty bad.heb
refuse 65 "bad.h5:/twins: attribute 'columns', column 3: has the name of column 2" $encrypt bad.h5:/twins bad.heb
refuse 65 "bad.h5:/latin: attribute 'columns', column 2: the name is no UTF-8" $encrypt bad.h5:/latin bad.heb

# Datasets of earlier versions, and what others describe, may have a name twice: it picks neither column.
expect 0 "$HEBATCH" export names.heb names-out
sed -i 's/"name": "größe"/"name": "b"/' names-out/index.json
expect 0 "$HEBATCH" import names-out twins.heb --key keys
refuse 64 "columns 1 and 3 both have this name; pick one by its number, as in a.1" \
    "$HEBATCH" eval --keys keys 'y = a.b + 1' a=twins.heb y=y.heb
refuse 64 "range: a has more than one column 'b': give its number" \
    "$HEBATCH" eval --keys keys 'y = a.3 + 1' a=twins.heb y=y.heb --range a.b=0..9
absent y.heb
expect 0 "$HEBATCH" eval --keys keys 'y = a.3 + 1' a=twins.heb y=y.heb --range a.3=0..9
