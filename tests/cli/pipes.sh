#!/bin/sh
# A named pipe in the place of an input, an output, its unfinished form or a report: refused, and nothing waits for its
# other end.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
table 5000 1 100 >in.csv
key="--key keys/secret.h5"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" encrypt $key in.csv in.heb
expect 0 "$HEBATCH" export in.heb seal

# refused CODES PIPE COMMAND...: where PIPE is a named pipe, it ends by itself, with one of the codes and one reason.
refused() {
    codes=$1 pipe=$2
    shift 2
    rm -f "$pipe" out.heb.report.json # a refusal may write one
    mkfifo "$pipe" || fail "cannot make $pipe"
    code=0
    timeout -k 1 60 "$HEBATCH" "$@" --quiet >out 2>err || code=$?
    case " $codes " in *" $code "*) ;; *) fail "$pipe: exit code $code, not $codes, from: $*" ;; esac
    [ "$(grep -c "^hebatch [a-z]*: " err)" = 1 ] || fail "$pipe: not one reason: $*"
    [ -p "$pipe" ] || fail "$pipe was replaced"
    rm "$pipe"
}

for options in "" --force --resume "--resume --force"; do
    # shellcheck disable=SC2086
    refused 73 out.heb encrypt $key in.csv out.heb $options
    # shellcheck disable=SC2086
    refused 73 out.heb.partial encrypt $key in.csv out.heb $options
    # shellcheck disable=SC2086
    refused 73 out.heb.report.json encrypt $key in.csv out.heb $options
    # shellcheck disable=SC2086
    refused 73 y.heb.partial eval "y = a + a" a=in.heb y=y.heb --range a=0..99 $options
done
for options in "" --force; do
    for pipe in out.csv out.csv.partial out.csv.partial.raw out.csv.report.json; do
        # shellcheck disable=SC2086
        refused 73 $pipe decrypt $key in.heb out.csv $options
    done
    # shellcheck disable=SC2086
    refused 73 out.h5.partial decrypt $key in.heb out.h5:/t $options
    # shellcheck disable=SC2086
    refused 73 imported.heb.partial import seal imported.heb $key $options
done
refused 73 out.heb.report.json.partial encrypt $key in.csv out.heb --force
rm -rf out.heb out.heb.report.json
refused 73 exported export in.heb exported
refused 73 exported.partial export in.heb exported
mkdir pair
for pipe in pair/secret.h5 pair/public.h5 pair/secret.h5.partial pair/public.h5.partial; do
    # shellcheck disable=SC2086
    refused 73 $pipe keygen $SMALL --out pair
done
refused 73 other keygen $SMALL --out other

refused 66 pipe.csv encrypt $key pipe.csv out.heb
refused 66 pipe.h5 encrypt $key pipe.h5:/t out.heb
refused "65 66" pipe.heb decrypt $key pipe.heb out.csv
refused 66 key.h5 encrypt --key key.h5 in.csv out.heb
refused "65 66" pipe.json eval pipe.json
refused 66 pipe.json params suggest --model pipe.json
refused 66 pipe.h5 params suggest --model pipe.h5
printf '{"kind": "linear", "weights": {"file": "pipe.csv"}, "bias": 0}' >linear.json
refused 66 pipe.csv params suggest --model linear.json
for name in far.csv far.h5 far.json; do # through a symbolic link
    ln -s pipe $name
done
refused 66 pipe encrypt $key far.csv out.heb
refused 66 pipe encrypt $key far.h5:/t out.heb
refused 66 pipe eval far.json
refused 66 pipe params suggest --model far.json
refused "65 66" pipe.h5 info pipe.h5
refused "65 66" pipe.heb verify pipe.heb $key --against in.csv
for file in index.h5 part-00000.h5; do
    cp -R in.heb damaged.heb
    rm damaged.heb/$file
    refused "65 66" damaged.heb/$file verify damaged.heb
    rm -r damaged.heb
done
cp -R seal holed
rm holed/index.json
refused "65 66" holed/index.json import holed imported.heb $key
rm -r holed

# In what a killed job left.
for file in job.json part-00000.h5; do
    cp -R in.heb out.heb
    "$PYTHON" "${0%/cli/*}/ranks/shards.py" partial out.heb in.csv 1 || fail "cannot make an unfinished dataset"
    rm out.heb.partial/$file
    refused "66 73" out.heb.partial/$file encrypt $key in.csv out.heb --resume
    rm -r out.heb.partial
done
absent out.heb out.csv imported.heb exported

# A table goes to standard output whole or not at all; what is said goes elsewhere. Rows and columns that are asked for.
h=keys/secret.h5
table 5000 3 100 >t.csv
expect 0 "$HEBATCH" encrypt --key $h t.csv t.heb
expect 0 "$HEBATCH" decrypt --key $h t.heb -
same out t.csv
grep -q "standard output: 5000 rows x 3 columns" err || fail "results of a table on standard output are not in the log"
absent - -.report.json
expect 0 "$HEBATCH" decrypt --key $h t.heb /dev/stdout --quiet --rows 2047..4097 --columns c3,1
[ ! -s err ] || fail "--quiet is not"
awk -F, 'NR == 1 || (NR > 2047 && NR < 4099) { print $3 "," $1 }' t.csv | cmp - out || fail "not the rows and columns"
# Columns without names keep the numbers that they are asked for by.
h5table unnamed.h5 x 'np.array([[1, 2, 3], [4, 5, 6]])'
expect 0 "$HEBATCH" encrypt --key $h unnamed.h5:/x unnamed.heb
expect 0 "$HEBATCH" decrypt --key $h unnamed.heb - --rows 2 --columns 3,2
printf 'column3,column2\n6,5\n' | cmp - out || fail "columns without names"
expect 0 "$HEBATCH" decrypt --key $h t.heb part.csv --rows 5
sed -n '1p;6p' t.csv | cmp - part.csv || fail "not one row"
refuse 64 "the table has 5000 rows" "$HEBATCH" decrypt --key $h t.heb - --rows 1..5001
refuse 64 "the table has no column 'd'" "$HEBATCH" decrypt --key $h t.heb - --columns c1,d
refuse 64 "twice" "$HEBATCH" decrypt --key $h t.heb - --columns c1,1
refuse 64 "counted from 1" "$HEBATCH" decrypt --key $h t.heb - --rows 0
refuse 64 "both want standard output" "$HEBATCH" decrypt --key $h t.heb - --json
code=0
"$HEBATCH" decrypt --key $h t.heb - --quiet 2>err >/dev/full || code=$?
[ $code = 74 ] || fail "exit code $code, not 74, where standard output is full"
"$PYTHON" - t.heb/part-00000.h5 <<'PYTHON'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(-9, 2); b = f.read(1); f.seek(-9, 2); f.write(bytes([b[0] ^ 1]))
PYTHON
refuse 65 "" "$HEBATCH" decrypt --key $h t.heb -
