#!/bin/sh
# An export as Excel writes it in Europe, read by the options that the refusals name: encrypted, held to its table, and
# decrypted; on several ranks, and by the command lines that params suggest prints.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

expect 0 "$HEBATCH" keygen --params bfv-4096 --out keys
printf '%s\r\n' 'id;rate;seen;diagnosis;price' 'J\344ger;12,5 %%;2024-01-31 13:45:00;Hypertension ;1.234,50' \
    'Roe;3 %%;2024-02-01 00:10:00+02:00;hypertension;0,5' 'Poe;7 %%;2024-02-29T09:00Z;"Hypertension";12,25' >form
# shellcheck disable=SC2059
printf "$(cat form)\n" >latin.csv
options="--category id --category diagnosis --columns id,rate,seen,diagnosis,price"

refuse 65 'row 1 (line 2), column id: a label is not UTF-8; this is likely Latin-1: --charset latin-1 reads it$' \
    "$HEBATCH" encrypt --key keys/public.h5 latin.csv x.heb --category id --columns id
refuse 65 'row 1 (line 2), column rate: .*--percent with --decimal comma reads 12,5 % as 0.125' \
    "$HEBATCH" encrypt --key keys/public.h5 latin.csv x.heb --columns rate
refuse 65 'read with --columns rate --percent rate --scale rate=1000 --decimal comma;' \
    "$HEBATCH" encrypt --key keys/public.h5 latin.csv x.heb --columns rate --decimal comma
refuse 65 'row 1 (line 2), column seen: .*it has a time of day (--time-of-day drop reads the day alone;' \
    "$HEBATCH" encrypt --key keys/public.h5 latin.csv x.heb --columns seen

reading="--decimal comma --percent rate --time-of-day drop --charset latin-1 --fold diagnosis"
cat >want.csv <<'CSV'
id,rate,seen,diagnosis,price
Jäger,0.125,2024-01-31,Hypertension,1234.5
Roe,0.03,2024-02-01,Hypertension,0.5
Poe,0.07,2024-02-29,Hypertension,12.25
CSV
# shellcheck disable=SC2086
expect 0 "$HEBATCH" encrypt --key keys/public.h5 latin.csv x.heb $options $reading --scale rate=1000,price=100
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 x.heb x.csv
same want.csv x.csv
# shellcheck disable=SC2086
expect 0 "$HEBATCH" verify --key keys/secret.h5 x.heb --against latin.csv $reading
# The same text in UTF-16, whose byte-order mark tells, on two ranks.
"$PYTHON" - <<'PYTHON'
text = open("latin.csv", encoding="latin-1", newline="").read()
open("wide.csv", "w", encoding="utf-16", newline="").write(text)
PYTHON
reading="--decimal comma --percent rate --time-of-day drop --fold all"
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" encrypt --key keys/public.h5 wide.csv y.heb $options $reading --scale rate=1000,price=100
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
same want.csv y.csv
