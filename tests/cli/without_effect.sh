#!/bin/sh
# Options for reading tables that have no effect are said, each once, of one column and of all, of one table and of
# several, on one rank and on several; --na of one column.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

expect 0 "$HEBATCH" keygen $SMALL --out keys

# notes OPTIONS: how many notes the last command has said, and which.
notes() {
    grep -c "^hebatch: note: " err
}
encrypts() {
    expect 0 "$HEBATCH" encrypt --force --key keys/public.h5 --range measured "$@"
}

printf 'id,ward,kg,born\n1,A,80,2001-02-03\n2,B,71,2002-03-04\n3,A,65,2003-04-05\n' >plain.csv
printf 'id;ward;kg;born\n1;\304;80,55;03.02.2001 10:15\n2;a ;n/k;04.03.2002 11:00\n3;A;65,00;05.04.2003 00:00\n4;a ;66,00;06.05.2004 00:00\n' >rich.csv
all="--category ward --decimal comma --na n/k --na nobody --date-format d.m.y --time-of-day drop --fold all
    --charset latin-1 --missing drop --follow-files"

# Each option that finds nothing is said, once; the cells are what they are without it.
# shellcheck disable=SC2086 # words
encrypts plain.csv plain.heb --category ward --round --scale kg=10 --decimal comma --na n/k --na nobody --time-of-day drop \
    --fold all --charset latin-1 --missing drop --follow-files
for note in "decimal comma has no effect: no number has a comma or a point" "na n/k has no effect: no cell has this text" \
    "na nobody has" "time-of-day drop has no effect: no date has a time of day" "fold all has no effect: no two spellings" \
    "charset latin-1 has" "missing drop has no effect: no cell is missing" "round has no effect: no decimal has more digits" \
    "follow-files has no effect: no table has data in other files"; do
    [ "$(grep -c "^hebatch: note: --$note" err)" = 1 ] || fail "not said once: $note"
done
[ "$(notes)" = 9 ] || fail "other notes"
expect 0 "$HEBATCH" encrypt --quiet --force --key keys/public.h5 plain.csv plain.heb --category ward --fold all
[ ! -s err ] || fail "a note is said with --quiet"
encrypts plain.csv plain.heb --category ward --columns id,ward --date-format d.m.y
complains "note: --date-format d.m.y has no effect: no cell is a date"
encrypts rich.csv plain.heb --columns id --charset latin-1
complains "note: --charset latin-1 has no effect: all names and cells of the columns read are ASCII$"

# None is said of an option that reads something, in the one cell in which it does.
# shellcheck disable=SC2086 # words
encrypts rich.csv rich.heb $all --scale kg=10 --round
[ "$(notes)" = 2 ] || fail "notes of options that have an effect"
complains "note: --na nobody has no effect"
complains "note: --follow-files has"

# Of one column, likewise.
encrypts rich.csv rich.heb --category ward --charset latin-1 --date-format d.m.y --time-of-day drop,id=drop --scale kg=100 \
    --decimal kg=comma,id=comma --missing kg=0,id=drop --na kg=n/k,none --na id=n/k --fold ward
[ "$(notes)" = 5 ] || fail "other notes of columns"
for note in "decimal id=comma" "missing id=drop" "na kg=none" "na id=n/k" "time-of-day id=drop"; do
    complains "note: --$note has no effect: "
done

# Several files are one table, several ranks say one thing.
printf 'id,ward,kg,born\n4,A,"8,5",2001-02-03\n' >other.csv
encrypts plain.csv other.csv two.heb --category ward --decimal comma --na x --scale kg=10
[ "$(notes)" = 1 ] || fail "a file in which an option reads nothing is no table"
"$PYTHON" -c 'print("id,v")
for i in range(60000): print(f"{i},{i % 100}" if i != 59990 else f"{i},none")' >long.csv
for ranks in 1 3; do
    # shellcheck disable=SC2086 # options of the launcher
    expect 0 $MPIRUN -n $ranks "$HEBATCH" encrypt --force --key keys/public.h5 long.csv long.heb --na none --na x \
        --missing v=0,id=drop --decimal comma --range measured
    [ "$(notes)" = 3 ] || fail "notes of $ranks ranks"
    complains "note: --na x has no effect"
    complains "note: --missing id=drop has"
done

# Options of eval hold for all plain tables; of verify they are those that it reads with.
printf 'x\n1\n2\n3\n' >x.csv
printf 'w\n"1.000"\n2\n3\n' >w.csv
printf 'v\n1\n2\n3\n' >v.csv
encrypts x.csv x.heb
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --for 'y = x + w + v' --plain-table w=w.csv,v=v.csv
expect 0 "$HEBATCH" eval --keys keys 'y = x + w + v' x=x.heb w=w.csv v=v.csv y=y.heb --decimal comma --na none
[ "$(notes)" = 1 ] || fail "notes of eval"
complains "note: --na none has no effect"
refuse 64 "options say how plain tables are read, but there are none" "$HEBATCH" eval --keys keys 'y = x + x' x=x.heb \
    y=z.heb --follow-files
expect 0 "$HEBATCH" verify x.heb --key keys/secret.h5 --against x.csv --decimal comma
[ "$(notes)" = 1 ] || fail "notes of verify"

# ask says it of the columns that the question reads, of all tables at once.
printf 'ward;kg\nA;80,5\nB;60,0\n' >h.csv
printf 'ward;cost\nA;1\nB;2\n' >w.csv
expect 0 "$HEBATCH" ask 'b = sum(lookup(h.ward, w)); m = mean(h.kg)' h=h.csv w=w.csv --dry-run --decimal comma --na none
[ "$(notes)" = 1 ] || fail "notes of ask"
complains "note: --na none has no effect"
expect 0 "$HEBATCH" ask 'count(ward == '\''A'\'')' h.csv --dry-run --decimal comma --fold ward --missing drop
[ "$(notes)" = 3 ] || fail "notes of the columns that a question reads"

# HDF5 tables that stay in their own file.
"$PYTHON" -c 'import h5py
with h5py.File("here.h5", "w") as f: f["t"] = [1, 2, 3]
with h5py.File("link.h5", "w") as f: f["t"] = h5py.ExternalLink("here.h5", "/t")'
encrypts here.h5:/t h5.heb --follow-files
[ "$(notes)" = 1 ] || fail "--follow-files of a table in its own file"
encrypts link.h5:/t h5.heb --follow-files
[ "$(notes)" = 0 ] || fail "--follow-files of a table in another file"

# --na of one column is none of another: there the text is what it was. Texts of all columns and of one add up.
printf 'a,b\n-9,-9\n?,5\n7,6\n' >na.csv
encrypts na.csv na.heb --na a=-9 --na '?' --missing a=0
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 na.heb -
printf 'a,b\n0,-9\n0,5\n7,6\n' | cmp - out || fail "--na of a column"
refuse 64 "there is no column 'c'" "$HEBATCH" encrypt --key keys/public.h5 na.csv no.heb --na c=-9
refuse 64 "--na a=1,b=2: it is TEXT,TEXT,... or COLUMN=TEXT" "$HEBATCH" encrypt --key keys/public.h5 na.csv no.heb --na a=1,b=2
refuse 64 "for CSV" "$HEBATCH" encrypt --key keys/public.h5 here.h5:/t no.heb --na column1=1
refuse 64 "label 'x' of column 'a', which --na a=x calls missing" "$HEBATCH" encrypt --key keys/public.h5 na.csv no.heb \
    --category a=x,y --na a=x
refuse 64 "--missing a=-9: --na says that this text means a missing cell" "$HEBATCH" encrypt --key keys/public.h5 na.csv \
    no.heb --na a=-9 --missing a=-9
absent no.heb
# In a question, and in the commands that it prints, each of its table.
printf 'k,v\n1,unknown\n2,5\n3,6\n' >one.csv
printf 'k,c\n1,unknown\n2,mine\n3,mine\n' >two.csv
expect 0 "$HEBATCH" ask 'g = groupby(two.c, count()); m = mean(one.v)' one.csv two.csv --na v=unknown --dry-run
grep -q "encrypt .*one.csv.* --na v=unknown" out || fail "--na of its table is not there"
grep "encrypt .*two.csv" out | grep -q -e --na && fail "--na of another table's column"
refuse 65 "else say of which columns, --na COLUMN=TEXT" "$HEBATCH" ask 'g = groupby(two.c, count()); m = mean(one.v)' \
    one.csv two.csv --dry-run

# A question may name columns of options with their table, as it does itself; each option that names columns.
printf 'ward,kg,born,pct\nA,"1,5",03.02.2001,5%%\nB,"2,5",05.06.2003,7%%\na,x,05.06.2004,8%%\n' >h.csv
printf 'ward,cost\nA,1\nB,2\n' >w.csv
qualified="--missing h.kg=mask --decimal h.kg=comma --scale h.kg=10 --category h.ward=A,B --na h.kg=x --fold h.ward
    --percent h.pct --derive h.y=year(h.born) --date-format d.m.y --date h.born"
alone=$(echo "$qualified" | sed 's/h\.//g')
question='g = groupby(h.y, mean(h.kg)); m = mean(h.pct where h.ward == '\''A'\''); t = mean(h.born - '\''2000-01-01'\'')'
for options in "$qualified" "$alone"; do
    # shellcheck disable=SC2086 # words
    expect 0 "$HEBATCH" ask "$question" h=h.csv --dry-run $options
    mv out "commands_$(echo "$options" | grep -c 'h\.kg')"
done
same commands_0 commands_1
grep -q ' --derive .y=year(born). .*--missing kg=mask .*--na kg=x .*--decimal kg=comma' commands_1 || fail "not the options of a command"
expect 0 "$HEBATCH" ask 'g = groupby(h.ward, mean(h.kg)); b = sum(lookup(h.ward, w))' h=h.csv w=w.csv --dry-run \
    --missing h.kg=mask --decimal h.kg=comma --na h.kg=x --scale h.kg=10 --fold all
grep -q "encrypt .*h.csv.* --missing kg=mask --na kg=x --decimal kg=comma" out || fail "no options of a column of one table"
refuse 64 "h and w both have a column ward; --fold ward is about both" "$HEBATCH" ask 'count(h.ward)' h=h.csv w=w.csv --dry-run \
    --fold h.ward
printf 'k,v\n1,2\n,3\n' >lone.csv
refuse 64 "there is no column 'w.k'; did you mean 'k'? Its columns are k, v$" "$HEBATCH" ask 'sum(v)' lone.csv --dry-run \
    --missing w.k=mask
refuse 64 "there is no column kilo in table h, h.csv" "$HEBATCH" ask 'count(h.ward)' h=h.csv --dry-run --missing h.kilo=mask
# A column of the whole name is that one; quotes stand around what is odd; other commands say the name alone.
printf 'h.kg,"odd, name"\n1,2\n,3\n5,\n' >dots.csv
expect 0 "$HEBATCH" ask 's = sum("h.kg"); t = sum("odd, name")' h=dots.csv --dry-run --missing 'h.kg=drop,h."odd, name"=mask'
grep -q 'encrypt .* --missing .*h.kg.*=drop,"odd, name"=mask' out || fail "not the column of the whole name"
refuse 64 "there is no column 'h.kg'; did you mean 'kg'" "$HEBATCH" encrypt --key keys/public.h5 h.csv no.heb --decimal h.kg=comma

# Advice repeats what was given for columns of other tables: pasted, it holds for the whole command. eval has no
# --columns, so it advises none.
printf 'ward,a\nA,1\na,2\nB,3\n' >w.csv
printf 'name,a\nA,1\na ,2\nB,3\n' >v.csv
expect 0 "$HEBATCH" keygen --params bfv-4096 --out more --swap --rotations sum
expect 0 "$HEBATCH" encrypt --key more/public.h5 x.csv more.heb
sums="y = sum(x + (w.ward == 'A') + (v.name == 'A'))"
expect 0 "$HEBATCH" eval --keys more "$sums" x=more.heb w=w.csv v=v.csv y=f.heb --category ward --category name --dry-run \
    --fold name
complains "column ward: .* labels differ .*; --fold name,ward makes one of such labels$"
folds=$(sed -n 's/.*; \(--fold .*\) makes one of.*/\1/p' err)
# shellcheck disable=SC2086 # words
expect 0 "$HEBATCH" eval --keys more "$sums" x=more.heb w=w.csv v=v.csv y=f.heb --category ward --category name --dry-run $folds
grep -q "labels differ" err && fail "the advice, pasted, does not hold"
expect 0 "$HEBATCH" ask "n = count(w.ward == 'A'); m = count(v.name == 'A')" w=w.csv v=v.csv --dry-run --fold name
complains "column ward: .*; --fold name,ward makes one of such labels$"
refuse 65 "w.csv: row 1 (line 2), column ward: the field is not an integer" "$HEBATCH" eval --keys keys 'y = x + w + v' \
    x=x.heb w=w.csv v=v.csv y=f.heb
! grep -q -e --columns err || fail "eval advises an option that it has not"

# A column that --derive made is compared by its name: the difference says so where another column stands in its place.
printf 'age,born\n3,2001-01-01\n40,2002-01-01\n' >made.csv
encrypts made.csv made.heb --derive 'old=age >= 18' --derive 'y=year(born)' --columns old,y
refuse 1 "column 'old'; the table has no such column, and age in its place: if --derive made 'old' when the table was encrypted, repeat that --derive" \
    "$HEBATCH" verify made.heb --key keys/secret.h5 --against made.csv
expect 0 "$HEBATCH" verify made.heb --key keys/secret.h5 --against made.csv --derive 'old=age >= 18' --derive 'y=year(born)'
