#!/bin/sh
# Refusals say what to do instead, in words that people understand who meet them for the first time.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --params bfv-4096 --out keys
printf '%s\n' ward,age,site ICU,73,'"Heart, acute"' ICU,33,Surgery Ward2,44,Surgery Ward2,55,'"Heart, acute"' >w.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 w.csv w.heb --category ward --category site

# asks WORDS EXPRESSION: the expression is refused with these words by params suggest, and by eval.
asks() {
    refuse 64 "$1" "$HEBATCH" params suggest "$2" --rows 100 --range a=0..120
    refuse 64 "$1" "$HEBATCH" eval --keys keys "$2" a=w.heb g=g.heb
}

# Functions that other languages have.
asks "'std': use var; its root, after decrypting, is the standard deviation" "g = std(a.age)"
asks "'stddev': use var" "g = stddev(a.age)"
asks "'top': decrypt the counts" "g = top(a.age)"
asks "'len': use count()" "g = len(a.age)"
asks "'corr': decrypt var(x + y), var(x - y), var(x) and var(y): .*var(x where y is not missing)" "g = corr(a.age, a.age)"
asks "'quantile': rows cannot be put in order" "g = quantile(a.age)"
asks "'pow': write a power as x^2" "g = pow(a.age, 2)"
asks "'if': use where(condition, x, y)" "g = if(a.age, 1, 0)"
asks "'unique': use histogram(x)" "g = unique(a.age)"
asks "'sigmoid': .*--scheme ckks" "g = sigmoid(a.age)"
asks "functions of reals are for CKKS (--scheme ckks)" "g = sigmoid(0.02*a.age - 3)"

# A statement without a name, functions that nobody has, and the nearest one only where it is near.
asks "character 1 of .*'median': rows cannot be put in order" "median(a.age)"
asks "the result has no name: write y = a.age > 3" "a.age > 3"
asks "'year': make a column of it when the table is encrypted: --derive 'year=year(d)'" "g = year(a.age)"
asks "'age': make a column of it when the table is encrypted: --derive 'age=age(birth" "g = age(a.age, 2026-11-28)"
asks "'bin': make a column of it when the table is encrypted: --derive 'group=bin(x" "g = bin(a.age, 10)"
asks "'sumif': use sum(x where condition)" "g = sumif(a.age)"
asks "count() counts the rows" "g = count(*)"
asks "there is no function 'frobnicate'$" "g = frobnicate(a.age)"
asks "use where(condition, x, y)" "g = a.age > 3 ? 1 : 0"
refuse 64 "nothing is bound to 'w'$" "$HEBATCH" eval --keys keys "g = sum(a.age * w)" a=w.heb g=g.heb

# A label without its quotes.
asks "'ICU'" "g = count(a.ward == ICU)"
grep -q "texts stand in single quotes: 'ICU'" err || fail "eval does not say how labels are written"
refuse 64 "if it is a label, write it in single quotes: 'ICU'" "$HEBATCH" params suggest "g = count(a.ward != ICU)" \
    --table a=w.csv --category ward
refuse 64 "^hebatch params: the ranges of these are not known: b; give them with --range" "$HEBATCH" params suggest "g = a.age + b" \
    --table a=w.csv

# Labels with commas stand in quotes.
refuse 64 "'x' is no label of site, which has 2 labels: \"Heart, acute\", Surgery" "$HEBATCH" eval --keys keys \
    "g = count(a.site == 'x')" a=w.heb g=g.heb
expect 0 "$HEBATCH" info w.heb
grep -q "column       'site': .*2 labels: \"Heart, acute\", Surgery" out || fail "info does not tell labels apart"

# The results of lookup.
printf '%s\n' ward,built ICU,2001-01-01 Ward2,2002-01-01 >built.csv
refuse 64 "lookup gives numbers or labels, and the last column of the table has dates or times" \
    "$HEBATCH" eval --keys keys "g = lookup(a.ward, b)" a=w.heb b=built.csv g=g.heb --category ward

# Options of one column each.
refuse 64 "there is no column 'ward,site'; --category takes one column, and is given again for the next" \
    "$HEBATCH" encrypt --key keys/public.h5 w.csv x.heb --category ward,site

# An option that is given again is refused, with its list in one argument: the second would replace the first one.
for option in '--range age=0..9' '--scale age=10' '--missing drop' '--date age' '--columns age' '--decimal comma' \
    '--delimiter tab' '--date-format d.m.y' '--header names' '--key keys/public.h5' '--pack rows'; do
    # shellcheck disable=SC2086
    refuse 64 "^hebatch encrypt: ${option%% *} is given twice: say all of it at once" \
        "$HEBATCH" encrypt $option $option --key keys/public.h5 w.csv x.heb
done
for list in '--range age=0..9' '--scale age=10' '--date age' '--columns age'; do
    # shellcheck disable=SC2086
    refuse 64 "at once, with commas between" "$HEBATCH" encrypt $list $list --key keys/public.h5 w.csv x.heb
done
for list in '--range a=0..9' '--table a=w.csv' '--plain-table b=w.csv' '--one-row b' '--fill b' '--columns age'; do
    # shellcheck disable=SC2086
    refuse 64 "at once, with commas between" "$HEBATCH" params suggest 's = sum(a.age)' $list $list
done

# Columns that a table does not have: those that it has, and the one that may be meant; none of a first row of numbers.
printf 'id,Alter (Jahre)\n1,70\n' >alter.csv
printf 'id,Alter\302\240(Jahre)\n1,70\n' >blank.csv
printf '7,Alter\n1,70\n' >bare.csv
refuse 64 "there is no column 'Alter'; did you mean p.\"Alter (Jahre)\"? Its columns are id, Alter (Jahre)$" \
    "$HEBATCH" params suggest "g = sum(p.Alter)" --table p=alter.csv
refuse 64 "there is no column 'alter'; did you mean 'Alter (Jahre)'? Its columns are id, Alter (Jahre)$" \
    "$HEBATCH" encrypt --key keys/public.h5 alter.csv x.heb --columns alter
refuse 64 "did you mean .*? It looks alike, and has a non-breaking space: copy it from the header" \
    "$HEBATCH" encrypt --key keys/public.h5 blank.csv x.heb --columns '"Alter (Jahre)"'
refuse 64 "there is no column 'age'; its columns are id, Alter (Jahre)$" \
    "$HEBATCH" encrypt --key keys/public.h5 alter.csv x.heb --columns age
refuse 64 "there is no column 'age'$" "$HEBATCH" encrypt --key keys/public.h5 bare.csv x.heb --columns age

# Lines for a shell do what they say.
printf 'Report\n\nid;n\n1;2\n' >title.csv
refuse 64 "line 1 looks like a title, and line 3 like the names of the columns: tail -n +3 title.csv >table.csv$" \
    "$HEBATCH" params suggest "g = sum(p.n)" --table p=title.csv
sh -c "$(sed -n 's/.*of the columns: //p' err)"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 table.csv x.heb
printf 'Gr\366\337e,n\n1,2\n' >latin.csv
refuse 64 "line 1, column 1: the name is not UTF-8; this is likely Latin-1: --charset latin-1 reads it$" \
    "$HEBATCH" params suggest "g = sum(p.m)" --table p=latin.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 latin.csv y.heb --charset latin-1

# A column that the question reads is not left out; elsewhere it is said which ones are.
printf 'ward;kg\n1;80,5\n2;81,25\n' >comma.csv
refuse 65 "column kg: .*a comma where a point should be (--decimal comma reads it)" \
    "$HEBATCH" params suggest "g = sum(p.kg)" --table p=comma.csv
if grep -q -e --columns err; then fail "advice leaves out what the question reads"; fi
refuse 65 "read with --columns ward (it leaves out kg: a comma where a point should be, --decimal)" \
    "$HEBATCH" encrypt --key keys/public.h5 comma.csv comma.heb

# Advice keeps what was given, but for options of columns that it leaves out, and can be pasted as it stands.
cat >stays.csv <<'CSV'
id,name,w,x,y,z
1,abc,1.5,2.25,,3
2,def,2.5,3.5,7,4
3,ghi,n/k,4.5,8,5
CSV
# advised WANTED [OPTIONS]: what is proposed in the place of these options, with which the table is encrypted then.
advised() {
    advice=$1
    shift
    expect 65 "$HEBATCH" encrypt --key keys/public.h5 stays.csv stays.heb --force "$@"
    proposed=$(sed -n 's/.*; read with \(--[^;]*\).*/\1/p' err | sed 's/ (it leaves out.*//')
    cp err said
    [ "$proposed" = "$advice" ] || fail "advised '$proposed', not '$advice'"
    eval "expect 0 \"\$HEBATCH\" encrypt --key keys/public.h5 stays.csv stays.heb --force $proposed"
}
advised "--columns id,w,x,y,z --scale w=10,x=100 --missing mask --na n/k" --na n/k
grep -q '; mask skips the missing cells, drop instead leaves out their rows' said || fail "nothing says how mask differs"
advised "--columns id,w,x,y,z --scale w=10,x=10 --missing mask,y=drop --na n/k" --na n/k --missing y=drop --scale w=10
advised "--columns id,w,y --scale w=10 --missing drop --na n/k" --na n/k --missing drop --columns id,name,w,y
advised "--columns id,w,x,y,z --scale w=1000,x=100 --missing mask --na n/k" --scale name=10,w=1000 --missing name=drop \
    --na n/k
advised "--columns id,w,x,y,z --scale x=100,w=10 --missing mask --na n/k" --scale x=100,w=1 --missing w=refuse \
    --fold name --category name=abc --na n/k
advised "--columns id,w,x,y,z,big --scale w=10,x=100 --missing mask --derive 'big=z > 3' --na n/k" \
    --derive 'big=z > 3' --na n/k
advised "--columns id,w,big --scale w=10 --missing mask --derive 'big=z > 3' --na n/k" --columns id,name,w,big \
    --derive 'big=z > 3' --na n/k
# So does advice about one option, in which odd names stand in quotes for a shell.
printf '%s\n' 'odd x,id,ward,site' '1,5,icu,A' ',,ICU,a' >odd.csv
refuse 65 'row 2' "$HEBATCH" encrypt --key keys/public.h5 odd.csv none.heb --category ward --category site
refuse 64 "column 'id' has a mask, .*: --missing '\"odd x\"=drop',id=drop leaves rows out, and --missing .*,id=VALUE says" \
    "$HEBATCH" encrypt --key keys/public.h5 odd.csv none.heb --category ward --category site --digits id=256 \
    --missing '"odd x"=drop,id=mask'
expect 0 "$HEBATCH" encrypt --key keys/public.h5 odd.csv fold.heb --category ward --category site --missing 0 --fold site
complains 'column ward: .*; --fold site,ward makes one of such labels$'
refuse 64 "say all its texts: --category '\"odd x\"'=\.\.$" "$HEBATCH" encrypt --key keys/public.h5 odd.csv none.heb \
    --missing drop --derive "a=\"odd x\" == 'b'" --columns a
refuse 64 "not known: a.b; give them with --range 'a.\"odd x\"=0..5,a.b=LEAST..MOST'$" \
    "$HEBATCH" params suggest 'g = a."odd x" + a.b' --rows 9 --range 'a."odd x"=0..5'
# A text that means a missing cell, and a scale, join those that were given.
refuse 65 "name it: --na '?,-',TEXT, and decimals have a scale: --scale x=100,w=10" \
    "$HEBATCH" encrypt --key keys/public.h5 stays.csv none.heb --columns id,w,x --scale x=100 --na '?,-'
# A column that others are made of is not left out.
expect 65 "$HEBATCH" encrypt --key keys/public.h5 stays.csv none.heb --derive "a=bin(w, 0..1, 2..9)"
! grep -q 'read with' err || fail "advice takes a column away that --derive needs"

# Ranges are public: those that are measured are said to be, and others not.
printf 'a,b\n17,5\n93,6\n' >ages.csv
public="^ranges  *the least and most values of columns become PUBLIC as below; --range says others$"
expect 0 "$HEBATCH" params suggest 's = sum(p.a)' --table p=ages.csv
says "$public"
expect 0 "$HEBATCH" params suggest 's = sum(p.a + p.b)' --table p=ages.csv --range p.a=0..120
says "$public"
expect 0 "$HEBATCH" params suggest 's = sum(p.a)' --table p=ages.csv --range p.a=0..120
! grep -q PUBLIC out || fail "a range that was given is said to be measured"

# The summary of eval names questions.
expect 0 "$HEBATCH" --help
grep -q "eval .*count groupby where histogram lookup" out || fail "--help does not say what eval answers"
exit 0

# A first line of numbers may be a row that would be left out: it is refused, unless it is said to be the names.
printf '5,1\n6,2\n' >bare.csv
printf '2019,2020\n5,1\n6,2\n' >years.csv
printf '1e5,NA\n2,true\n' >odd.csv
printf '"5"\n6\n' >quoted.csv
printf 'id,2019\n1,5\n2,6\n' >mixed.csv
printf 'a\n10\n20\n' >tens.csv
expect 0 "$HEBATCH" keygen --params bfv-4096 --out numbers --quiet
for table in bare.csv years.csv odd.csv quoted.csv; do
    refuse 65 "$table: the first line, which names the columns, has numbers alone: is it a row? --header none" \
        "$HEBATCH" encrypt --key numbers/public.h5 $table bare.heb
    absent bare.heb
done
refuse 64 "it is names or none" "$HEBATCH" encrypt --key numbers/public.h5 bare.csv bare.heb --header row
expect 0 "$HEBATCH" encrypt --key numbers/public.h5 mixed.csv mixed.heb
expect 0 "$HEBATCH" encrypt --key numbers/public.h5 years.csv years.heb --header names
expect 0 "$HEBATCH" encrypt --key numbers/public.h5 years.csv said.heb --columns 2019,2020
expect 0 "$HEBATCH" encrypt --key numbers/public.h5 bare.csv bare.heb --header none
expect 0 "$HEBATCH" decrypt --quiet --key numbers/secret.h5 bare.heb -
[ "$(tr '\n' ' ' <out)" = "column1,column2 5,1 6,2 " ] || fail "the table without a header is $(cat out)"
expect 0 "$HEBATCH" verify --key numbers/secret.h5 bare.heb --against bare.csv --header none
expect 0 "$HEBATCH" verify --key numbers/secret.h5 years.heb --against years.csv
refuse 65 "has numbers alone" "$HEBATCH" verify --key numbers/secret.h5 bare.heb --against bare.csv
expect 0 "$HEBATCH" encrypt --key numbers/public.h5 tens.csv tens.heb --range measured
refuse 65 "bare.csv: the first line" "$HEBATCH" eval --keys numbers 'y = x.a*n.1' x=tens.heb n=bare.csv y=y.heb
expect 0 "$HEBATCH" eval --keys numbers 'y = x.a*n.1' x=tens.heb n=bare.csv y=y.heb --header none
expect 0 "$HEBATCH" decrypt --quiet --key numbers/secret.h5 y.heb -
[ "$(tr '\n' ' ' <out)" = "y 50 120 " ] || fail "the products are $(cat out)"
refuse 65 "bare.csv: the first line" "$HEBATCH" params suggest 'y = 2*x.1' --table x=bare.csv
expect 0 "$HEBATCH" params suggest 'y = 2*x.1' --table x=bare.csv --header none
says "encrypt --key .* bare.csv x.heb --header none"

# Which names are taken for encrypted is said.
expect 0 "$HEBATCH" params suggest 'y = x.a*w.i' --rows 10 --range x.a=0..9,w.i=0..9
says "^encrypted  *x,w: all are taken for datasets"
expect 0 "$HEBATCH" params suggest 'y = 2*x.a' --rows 10 --range x.a=0..9
! grep -q "^encrypted " out || fail "one name alone is encrypted"

# A refusal of reals says which gap of comparisons would do, and only where one would: levels or primes are missing.
printf 'a,b\n0.5,1\n2.5,9\n1,3.5\n' >reals.csv
reals() { # LEVELS SCALE RANGE
    rm -rf reals reals.heb
    expect 0 "$HEBATCH" keygen --n 2048 --levels "$1" --scale-bits "$2" --special-primes 3 --insecure --out reals --relin
    expect 0 "$HEBATCH" encrypt --key reals/secret.h5 reals.csv reals.heb --range "a=$3,b=$3"
}
gap() { # WORDS TEXT
    refuse 65 "$1.* would do; --gap [0-9.]* would do where no value" \
        "$HEBATCH" eval --keys reals "y = $2" x=reals.heb y=far.heb
    gap=$(sed -n 's/.* --gap \([0-9.]*\) .*/\1/p' err)
    expect 0 "$HEBATCH" eval --dry-run --keys reals "y = $2" x=reals.heb y=far.heb --gap "$gap"
}
reals 13 40 0..10
gap "no level is left for this product" 'where(x.a < x.b, x.a*x.b, 3)'
gap "no level is left for this product" 'max(x.a, x.b)'
gap "no level is left for this product" '(x.a < x.b)*x.a*x.b*x.a'
refuse 65 "no level is left" "$HEBATCH" eval --keys reals 'y = x.a^16384*(x.b < 3)' x=reals.heb y=far.heb
! grep -q -e --gap err || fail "a gap for what has no levels"
reals 9 40 0..10
gap "polynomial 2 of 2 that make a sign" 'where(x.a < x.b, x.a*x.b, 3)'
refuse 65 "levels" "$HEBATCH" eval --keys reals 'y = (x.a < x.b)*x.a*x.b*x.a' x=reals.heb y=far.heb
! grep -q -e --gap err || fail "a gap that would not do"
reals 13 35 0..1000
gap "1 prime left" 'x.a < x.b'
