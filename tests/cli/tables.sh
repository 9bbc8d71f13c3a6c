#!/bin/sh
# Tables that cannot be encrypted: one line that names file, row and column; nothing is left.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
t=$("$HEBATCH" info --json keys/public.h5 | "$PYTHON" -c 'import json,sys; print(json.load(sys.stdin)["params"]["plain"])')

# reject CODE WORDS TABLE
reject() {
    refuse "$1" "$2" "$HEBATCH" encrypt --key keys/public.h5 "$3" out.heb
    absent out.heb out.heb.partial
}

printf 'a,b\n1,2\n3,%s\n' "$t" >large.csv
reject 65 "row 2.*column 2\|row 2.*b" large.csv
printf 'a,b\n1,2\n-%s,4\n' "$t" >small.csv
reject 65 "row 2.*column 1\|row 2.*a" small.csv
# The range of a signed column is narrower: t / 2 fits an unsigned column only.
printf 'a\n%s\n' $((t - 1)) >unsigned.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 unsigned.csv unsigned.heb
printf 'a\n%s\n-1\n' $((t - 1)) >signed.csv
reject 65 "row 1" signed.csv

printf 'a,b\n1,2\n3,4.5\n' >float.csv
reject 65 "row 2" float.csv
printf 'a,b\n1,2\n3,\n' >empty-field.csv
reject 65 "row 2" empty-field.csv
printf 'a,b\n1,2\n3\n' >ragged.csv
reject 65 "row 2" ragged.csv
printf 'a,b\n1,2\n3,99999999999999999999\n' >wide.csv
reject 65 "row 2" wide.csv
: >nothing.csv
reject 65 "nothing.csv" nothing.csv
h5table t.h5 /floats 'np.ones((3, 2))'
h5table t.h5 /cube 'np.ones((3, 2, 2), dtype="i4")'
h5table t.h5 /large 'np.array([[1, 2], [3, 2**40]])'
reject 65 "floats" t.h5:/floats
reject 65 "cube" t.h5:/cube
reject 65 "row 2.*column 2\|row 2" t.h5:/large
reject 66 "missing" t.h5:/missing
reject 66 "absent.h5" absent.h5:/x
reject 66 "absent.csv" absent.csv
reject 64 "table.txt" table.txt
echo "no HDF5" >fake.h5
reject 65 "fake.h5" fake.h5:/x

printf 'a\n1\n' >good.csv
# Refusals name the command or the file that is probably meant.
refuse 65 "keygen --plain-bits.*params suggest" "$HEBATCH" encrypt --key keys/public.h5 large.csv out.heb
for name in out.csv out.h5 out.h5:/x; do
    refuse 64 "name it out.heb, then decrypt it to $name" "$HEBATCH" encrypt --key keys/public.h5 good.csv $name
    absent "$name" "$name.partial"
done
refuse 66 "keys is a directory: did you mean keys/secret.h5 or keys/public.h5?" "$HEBATCH" encrypt --key keys good.csv out.heb
mkdir public && cp keys/public.h5 public
refuse 66 "public/ is a directory: did you mean public/public.h5?" "$HEBATCH" encrypt --key public/ good.csv out.heb
mkdir nothing
refuse 66 "nothing is a directory, and has no key" "$HEBATCH" encrypt --key nothing good.csv out.heb
printf '1,-2\n3,4\n' >headless.csv
refuse 65 "headless.csv: the first line" "$HEBATCH" encrypt --key keys/public.h5 headless.csv headless.heb
printf '1,b\n3,4\n' >named.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 named.csv named.heb --quiet
[ ! -s err ] || fail "a warning of a name"
says "named.heb: 2 ciphertexts"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 good.csv good.heb
says "good.heb: 1 ciphertext,"
grep -q "encrypted 1/1 ciphertext (100%)" err || fail "one ciphertext is not one"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 good.heb back.csv
says "back.csv: 1 row x 1 column$"
expect 0 "$HEBATCH" verify good.heb
says "good.heb: 1 unit whole"
expect 0 "$HEBATCH" info good.heb
says "table  *1 row x 1 column with names"

refuse 66 "nokey.h5" "$HEBATCH" encrypt --key nokey.h5 good.csv out.heb
refuse 64 "key" "$HEBATCH" encrypt good.csv out.heb
refuse 73 "missing" "$HEBATCH" encrypt --key keys/public.h5 good.csv missing/out.heb
refuse 73 "good.csv" "$HEBATCH" encrypt --key keys/public.h5 good.csv good.csv/out.heb
absent out.heb out.heb.partial missing

# Slots need a t that is prime and = 1 mod 2N. 65539 is prime only; 65535 is neither.
for plain in 65539 65535; do
    expect 0 "$HEBATCH" keygen --n 2048 --bits 53 --plain $plain --out keys-$plain
    refuse 78 "$plain" "$HEBATCH" encrypt --key keys-$plain/public.h5 good.csv out.heb
    absent out.heb out.heb.partial
done

# A disk that is full midway: 100 ciphertexts do not fit 256 KiB.
table 204800 1 30000 >many.csv
(
    trap '' XFSZ
    ulimit -f 512 # blocks of 512 bytes
    refuse 74 "out.heb" "$HEBATCH" encrypt --key keys/public.h5 many.csv out.heb
) || exit 1
absent out.heb

# Several files as one table: labels and signs are those of all.
printf 'a,sex\n1,m\n2,f\n' >part-1.csv
printf 'a,sex\n-3,x\n4,b\n5,m\n' >part-2.csv
printf 'b,sex\n1,m\n' >other.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --category sex 'part-*.csv' parts.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 parts.heb parts.csv
[ "$(tr '\n' ' ' <parts.csv)" = "a,sex 1,m 2,f -3,x 4,b 5,m " ] || fail "several files have other rows"
expect 0 "$HEBATCH" verify --key keys/secret.h5 parts.heb --against 'part-[12].csv'
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --force --columns a part-2.csv part-1.csv part-1.csv parts.heb
grep -A 4 '"table": \[' parts.heb.report.json | tr -d ' \n' | grep -q '"part-2.csv","part-1.csv","part-1.csv"\]' ||
    fail "the report has no list of tables"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 --force parts.heb parts.csv
[ "$(tr '\n' ' ' <parts.csv)" = "a -3 4 5 1 2 1 2 " ] || fail "files have another order"
refuse 65 "other.csv: has other names of columns" \
    "$HEBATCH" encrypt --key keys/public.h5 --category sex part-1.csv other.csv bad.heb
refuse 66 "no file has a name of this pattern" "$HEBATCH" encrypt --key keys/public.h5 'none-*.csv' bad.heb
refuse 64 "results are encrypted datasets" "$HEBATCH" encrypt --key keys/public.h5 'part-*.csv' part-1.csv

# Datasets behind one another: all but the last fill their row blocks.
printf 'a,b\n' >one.csv && seq 0 2047 | sed 's/$/,7/' >>one.csv
printf 'a,b\n' >two.csv && seq 1 100 | sed 's/.*/-&,&/' >>two.csv
{ cat one.csv && tail -n +2 two.csv; } >all.csv
for key in secret public; do
    for part in one two; do
        expect 0 "$HEBATCH" encrypt --force --key keys/$key.h5 --range a=-100..2100 $part.csv $part-$key.heb
    done
    expect 0 "$HEBATCH" concat --force one-$key.heb two-$key.heb all.heb
    expect 0 "$HEBATCH" verify --key keys/secret.h5 all.heb --against all.csv
done
# Another part may follow where labels only go on; ranges are the widest, or none.
expect 0 "$HEBATCH" info all.heb
grep -q "column *'a': values -100..2100" out || fail "the range of 'a' is not that of its parts"
refuse 65 "100 rows stand before it, and a row block has 2048" "$HEBATCH" concat two-public.heb one-public.heb bad.heb
refuse 65 "was made in another way" "$HEBATCH" concat one-public.heb one-secret.heb bad.heb
refuse 65 "has other columns" "$HEBATCH" concat one-public.heb parts.heb bad.heb
expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 one.csv plain.heb
refuse 65 "column b means something else\|column a has a sign in one of it" \
    "$HEBATCH" concat plain.heb two-public.heb bad.heb
refuse 73 "exists already" "$HEBATCH" concat one-public.heb two-public.heb all.heb
refuse 64 "is read, and one-public.heb" "$HEBATCH" concat --force one-public.heb two-public.heb one-public.heb
printf 'sex\n' >labels.csv && seq 1 2048 | sed 's/.*/f/' >>labels.csv
expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 --category sex=f labels.csv f.heb
printf 'sex\nm\nf\n' >labels.csv
expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 --category sex=f,m labels.csv fm.heb
expect 0 "$HEBATCH" concat f.heb fm.heb labels.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 labels.heb sex.csv
[ "$(tail -n 2 sex.csv | tr '\n' ' ')" = "m f " ] || fail "labels of the second part are others"
expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 --category sex=m,f labels.csv mf.heb
refuse 65 "column sex means something else" "$HEBATCH" concat f.heb mf.heb bad.heb

# Large integers by their digits, a column each, which are compared as the number; decrypt joins them.
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,50,50,50,50,50 --plain-bits 16 --insecure --out deep --for 'y = x < 3'
printf 'v,id,w\n1,100000,-1\n2,99999,0\n3,5000000000,5\n4,0,6\n' >ids.csv
expect 0 "$HEBATCH" encrypt --key deep/public.h5 --digits id=16 ids.csv ids.heb
expect 0 "$HEBATCH" info ids.heb
says "a digit to base 16, of 9"
expect 0 "$HEBATCH" decrypt --quiet --key deep/secret.h5 ids.heb ids-back.csv
same ids.csv ids-back.csv
expect 0 "$HEBATCH" decrypt --quiet --key deep/secret.h5 ids.heb - --columns 'w,id'
[ "$(tr '\n' ' ' <out)" = "w,id -1,100000 0,99999 5,5000000000 6,0 " ] || fail "digits are shown otherwise"
expect 0 "$HEBATCH" decrypt --quiet --key deep/secret.h5 ids.heb - --columns '"id.1",v'
[ "$(tr '\n' ' ' <out)" = "id.1,v 10,1 9,2 0,3 0,4 " ] || fail "one digit is not a column"
expect 0 "$HEBATCH" verify --key deep/secret.h5 ids.heb --against ids.csv
expect 0 "$HEBATCH" eval --keys deep 'y = (p.id < 100000, p.id == 5000000000, p.id between 0 and 99999, p.id in (0, 5000000000))' \
    p=ids.heb y=y.heb
expect 0 "$HEBATCH" decrypt --quiet --key deep/secret.h5 y.heb -
[ "$(tail -n +2 out | tr '\n' ' ')" = "0,0,0,0 1,0,1,0 0,1,0,1 1,0,1,1 " ] || fail "numbers are compared otherwise"
printf 'v,id,w\n9,68719476735,9\n' >more.csv
expect 0 "$HEBATCH" encrypt --append --key deep/public.h5 more.csv ids.heb
expect 0 "$HEBATCH" decrypt --quiet --key deep/secret.h5 ids.heb - --columns id --rows 5
[ "$(tail -n 1 out)" = 68719476735 ] || fail "a number that was appended is another"
printf 'v,id,w\n9,68719476736,9\n' >more.csv
expect 65 "$HEBATCH" encrypt --append --key deep/public.h5 more.csv ids.heb
complains "row 1 (line 2), column id: the number has more than 9 digits"
expect 64 "$HEBATCH" eval --keys deep 'y = p.v + 5000000000' p=ids.heb y=y2.heb
complains "the constant is not between"
reject_digits() {
    expect "$1" "$HEBATCH" encrypt --key deep/public.h5 --digits "$3" ids.csv bad.heb
    complains "$2"
    absent bad.heb
}
reject_digits 65 "row 1 (line 2), column w: the number is below 0" w=10
reject_digits 65 "row 1 (line 2), column id: the number has more than 2 digits" id=16,2
reject_digits 64 "a base from 2 to 65536" id=1
reject_digits 64 "a base from 2 to 65536" id
reject_digits 64 "there is no column 'ix'" ix=16
expect 64 "$HEBATCH" encrypt --key deep/public.h5 --digits id=16 --digits id=4 ids.csv bad.heb
complains "column 'id' is given twice"
absent bad.heb

# Numbers that are said to be missing cells, in datasets and in plain tables.
printf 'a,b\n1,1\n-999,2\n3,3\n' >gaps.csv
expect 0 "$HEBATCH" encrypt --key deep/public.h5 gaps.csv gaps.heb --missing drop --na -999
expect 0 "$HEBATCH" decrypt --quiet --key deep/secret.h5 gaps.heb -
[ "$(tr '\n' ' ' <out)" = "a,b 1,1 3,3 " ] || fail "a number that is said to be missing is read"
printf 'b\n1\n3\n' >whole.csv
printf 'p\n5\n-999\n' >plain.csv
expect 0 "$HEBATCH" encrypt --key deep/public.h5 whole.csv whole.heb
expect 65 "$HEBATCH" eval --keys deep 'y = g.b + p' g=whole.heb p=plain.csv y=y3.heb --na -999
complains "row 2 (line 3), column p"
expect 0 "$HEBATCH" eval --keys deep 'y = g.b + p' g=whole.heb p=plain.csv y=y3.heb --na -999 --missing 7
expect 0 "$HEBATCH" decrypt --quiet --key deep/secret.h5 y3.heb -
[ "$(tail -n +2 out | tr '\n' ' ')" = "6 10 " ] || fail "a number that is said to be missing is read in a plain table"

# Names with more commas than there are semicolons: the row tells which sign stands between fields.
printf '%s\n' 'SKU (new, required);Price, net, from;x' '1;2;3' >signs.csv
refuse 65 "has 1 field; the header line has 4; if another sign stands between fields, say which: --delimiter semicolon" \
    "$HEBATCH" encrypt --key keys/public.h5 signs.csv signs.heb
