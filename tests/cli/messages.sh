#!/bin/sh
# Printed messages: no plaintext, nothing that a terminal or a reader of lines would take for more than text.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# clean: the last command's two streams have lines of printable UTF-8, and nothing of the patient's.
clean() {
    "$PYTHON" - out err <<'PYTHON' || fail "what was printed is not clean"
import sys, unicodedata
for name in sys.argv[1:]:
    for line in open(name, "rb").read().split(b"\n"):
        text = line.decode("utf-8")
        for c in text:
            if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"):
                sys.exit("%s: %a" % (name, line))
PYTHON
    grep -qi "roe\|hiv" out err && fail "plaintext was printed"
    return 0
}

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys

# The log of a file: behind what is there, escaped; a place where there can be none.
for turn in 1 2; do
    refuse 66 "cannot open" "$HEBATCH" verify "$(printf 'no\033where.heb')" --quiet --log own.log
    [ "$(grep -c "ends with 66" own.log)" = $turn ] || fail "the log does not grow"
done
grep -q "rank 0 verify: no.*where.heb: cannot open" own.log || fail "the log does not say why"
"$PYTHON" -c 'import sys; sys.exit(b"\033" in open("own.log", "rb").read())' || fail "the log is not escaped"
refuse 73 "the log cannot be written there" "$HEBATCH" params list --log nowhere/own.log

# Cells that are no integers, and first rows in the place of names.
printf 'id,diagnosis\n17,"Jane Roe, HIV+"\n' >cells.csv
refuse 65 "row 1 (line 2), column diagnosis: the field is not an integer: it has letters" \
    "$HEBATCH" encrypt --key keys/public.h5 cells.csv cells.heb
clean
printf '17,"Jane Roe, HIV+"\n18,x\n' >rows.csv
refuse 65 "row 1 (line 2), column 2: the field is not an integer: it has letters" \
    "$HEBATCH" encrypt --key keys/public.h5 rows.csv rows.heb
clean
printf '17,Roe\n18,1\n99999,1\n' >large.csv
refuse 65 "large.csv: row 2 (line 3), column 1: the value is outside" "$HEBATCH" encrypt --key keys/public.h5 large.csv large.heb
clean
printf '17,Roe\n18,1\n' >first.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 first.csv first.heb --quiet
for expression in "y = a.roa" "y = a.dose"; do # no suggestion out of a row
    refuse 64 "there is no column" "$HEBATCH" eval --keys keys "$expression" a=first.heb y=y.heb
    grep -q "did you mean" err && fail "a row was suggested"
done

# Notices of columns that may be read otherwise than their owner thinks: ids, labels that look alike; also with --quiet.
printf 'zip,diagnosis\n01730,flu\n00007,"Flu "\n' >ids.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 ids.csv ids.heb --category diagnosis --quiet
grep -q "ids.csv: column zip: 2 numbers with zeros in front lose them" err || fail "nothing is said of zeros"
grep -q "ids.csv: column diagnosis: 2 of 2 labels differ .* 'Flu ' and 'flu'" err || fail "nothing is said of labels"
printf 'w\n007\n7\n' >weights.csv
expect 0 "$HEBATCH" eval "y = t.zip + w" t=ids.heb w=weights.csv y=ids-y.heb --quiet
grep -q "weights.csv: column w: 1 number .* 007 and 7 become one" err || fail "nothing is said of a plain table's zeros"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 ids.csv numbers.heb --category diagnosis=flu,'"Flu "' --scale zip=1 --quiet
grep -q "column zip" err && fail "of what is said to be numbers a zero is said"

# Names of files, datasets and columns, and expressions.
escape=$(printf '\033[2J\007x')
lines=$(printf 'one\ntwo: all is well')
latin=$(printf 'm\374ller')
turned=$(printf 'a\342\200\256vsc')
for name in "$escape" "$lines" "$latin" "$turned"; do
    refuse 66 "No such file" "$HEBATCH" info "$name"
    clean
    cp first.csv "$name.csv"
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 "$name.csv" "$name.heb"
    clean
    expect 0 "$HEBATCH" info "$name.heb"
    expect 0 "$HEBATCH" verify "$name.heb"
    clean
    refuse 64 "character" "$HEBATCH" eval --keys keys "y = a + $name" a=first.heb y=y.heb
    clean
    refuse 64 "unknown option" "$HEBATCH" encrypt "--$name"
    clean
    refuse 64 "unknown command" "$HEBATCH" "$name"
    clean
done
refuse 66 'cannot open the dataset\|No such file' "$HEBATCH" info "$escape"
grep -q '\\x1b\[2J\\x07x' err || fail "an escape sequence is not shown as one"
refuse 66 'No such file' "$HEBATCH" info "$lines"
grep -q 'one\\ntwo' err || fail "a line break is not shown as one"

# A command to be copied keeps its line breaks: they are in quotes.
expect 0 "$HEBATCH" params suggest "$(printf 'y = a\nz = y * y')" --rows 10 --range a=0..9
[ "$(grep -c "^z = y \* y'" out)" = 2 ] || fail "a command that was suggested is not what a shell would read"

# A table has no state of a job, unless decrypt left its report.
printf 'x\n1\n' >plain.csv
refuse 65 "plain.csv: is no dataset, and no job has left a report of it (plain.csv.report.json)" \
    "$HEBATCH" status plain.csv
