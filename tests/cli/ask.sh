#!/bin/sh
# ask: a question about a table in one command, what it leaves, what it uses again, and the commands that it prints.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

cat >patients.csv <<'CSV'
id,ward,age,weight,admitted,discharged,smoker
1,Surgery,73,80.5,2024-01-02,2024-01-09,true
2,Surgery,54,71,2024-01-03,2024-01-04,false
3,"Heart, acute",79,unknown,2024-02-01,2024-02-11,true
4,Surgery,25,,2024-02-03,2024-02-05,false
CSV
printf 'ward,beds\nSurgery,20\n"Heart, acute",7\n' >wards.csv

# answers FILE: the last command's stdout is that text.
answers() {
    printf '%s\n' "$@" >wanted
    cmp -s out wanted || fail "another answer than: $*"
}

# One table, whose columns need no name, and a question whose result has none.
expect 0 "$HEBATCH" ask 'groupby(ward, count(), mean(age))' patients.csv
answers 'ward,count,mean(age)' '"Heart, acute",1,79' 'Surgery,3,50.666666666666664'
complains '\[1/5\].*'
complains '\[5/5\] decrypts'
complains 'PUBLIC.*ward (its 2 texts), age (25..79)'
complains 'about [0-9]* seconds* for your 4 rows, longer where other jobs run; keys .*iB, encrypted table .*iB$'
sed '/separate steps/,$d' err | grep -Eqi 'noise|limb|depth|modulus|ciphertext|prime|bits' && fail "words of cryptography"
[ "$(stat -c %a hebatch-ask)" = 700 ] || fail "others may enter the folder"
[ "$(stat -c %a hebatch-ask/keys/secret.h5)" = 600 ] || fail "others may read the secret key"
[ "$(stat -c %a hebatch-ask/answer.csv)" = 600 ] || fail "others may read the answer"

# Asked again nothing is made but the answer; another table under the same name is encrypted, and kept apart.
expect 0 "$HEBATCH" ask 'groupby(ward, count(), mean(age))' patients.csv
answers 'ward,count,mean(age)' '"Heart, acute",1,79' 'Surgery,3,50.666666666666664'
complains 'keys are there'
complains 'encrypts patients.csv: it is there, hebatch-ask/patients.heb'
absent hebatch-ask/keys-2 hebatch-ask/patients-2.heb
sed 's/,79,/,78,/' patients.csv >changed && cp patients.csv kept.csv && cp changed patients.csv
expect 0 "$HEBATCH" ask 'groupby(ward, count(), mean(age))' patients.csv
answers 'ward,count,mean(age)' '"Heart, acute",1,78' 'Surgery,3,50.666666666666664'
[ -e hebatch-ask/patients-2.heb ] || fail "another table is taken for encrypted"
cp kept.csv patients.csv
# So are other options.
expect 0 "$HEBATCH" ask 'groupby(ward, count(), mean(age))' patients.csv --range age=0..120
answers 'ward,count,mean(age)' '"Heart, acute",1,79' 'Surgery,3,50.666666666666664'
complains 'age (0..120)'

# Options of other commands in the environment are not for the commands that it runs.
HEBATCH_KEY=nowhere HEBATCH_ONE_ROW=q HEBATCH_DRY_RUN=0 expect 0 "$HEBATCH" ask 'sum(age)' patients.csv
answers answer 231

# The printed commands are those that run: pasted, they give the same answer, and make the same names.
question='n = count(age >= 65); groupby(ward, mean(weight))'
expect 0 "$HEBATCH" ask "$question" patients.csv --dir both
cp out first
expect 0 "$HEBATCH" ask "$question" patients.csv --dir pasted --dry-run
complains 'about [0-9]* seconds* for your 4 rows, longer where other jobs run; keys .*iB, encrypted table .*iB$'
absent pasted
says "^# the server"
sed "s|^hebatch|\"$HEBATCH\" -q|; s/-q \([a-z]*\)/\1 -q/" out >lines
(set -e && . ./lines) >made 2>&1 || fail "the printed lines do not run: $(tail -n 3 made)"
for name in n answer; do
    same both/$name.csv pasted/$name.csv
done
[ "$(cat pasted/n.csv)" = "n
2" ] || [ "$(cat pasted/n.csv)" = "n
1" ] || fail "another count"
[ "$(stat -c %a pasted)" = 700 ] || fail "others may enter the folder that is pasted"

# Groups of numbers that may be fractions are refused; the lines that are said can be pasted where texts are in them.
refuse 64 'groups need whole numbers' "$HEBATCH" ask 'd = age/10; g = groupby(d, count())' patients.csv --dir small
expect 0 "$HEBATCH" ask "n = count(ward == 'Surgery')" patients.csv --dir texts
answers n 3
complains "keygen .*--for \"n = count(patients.ward == 'Surgery')\""

# Cells that are missing are skipped, each column's by itself; decimals and dates are read as they are.
expect 0 "$HEBATCH" ask 'm = mean(weight); n = count(weight); gaps = count(weight is missing)' patients.csv --dir small
answers 'm,n,gaps' '75.75,2,2'
complains "reads weight: decimals with 1 digit, 'unknown' taken as missing, 2 of 4 cells are missing: skipped"
complains 'PUBLIC.*, and whether cells may be missing: weight (71..80.5, cells may be missing); the cells'
expect 0 "$HEBATCH" ask 'mean(weight)' patients.csv --dir small --missing drop
answers 'answer' '75.75'
complains 'dropped 2 of 4 rows of patients.csv.*2 for weight'
# The treatment of a derived column holds for the columns that it is made of, through others in between.
printf 'v,w\n3,1\n,2\n15,3\n' >chain.csv
expect 0 "$HEBATCH" ask 'sum(w where high)' chain.csv --derive 'ten=bin(v, 0..9, 10..19)' --derive "high=ten == '10..19'" \
    --missing high=drop --dir small
answers 'answer' '3'
expect 0 "$HEBATCH" ask 'stay = mean(discharged - admitted); s = count(smoker)' patients.csv --dir small
answers 'stay,s' '5,2'
expect 0 "$HEBATCH" ask 'm = mean(age); s = sum(age)' patients.csv --dir small --json
"$PYTHON" -c 'import json; a = json.load(open("out"))["answer"]["answer"]; assert a == {"columns": ["m", "s"], "kinds": ["real", "integer"], "rows": [[57.75, 231]]}, a' ||
    fail "another answer in JSON"
expect 0 "$HEBATCH" ask 'm = mean(age)' patients.csv --dir small --out m.csv
[ "$(cat m.csv)" = "m
57.75" ] || fail "another answer in a file"

# A result that is called as its table's file gets another name.
expect 0 "$HEBATCH" ask 'patients = sum(age)' patients.csv --dir called
answers patients 231
[ -e called/patients.heb ] && [ "$(cat called/patients-2.csv)" = "patients
231" ] || fail "the names of a table and a result"

# Fields of an answer are those of every other CSV: blanks at the ends of a label stay in quotes.
printf 'ward,x\n" A",1\n"B ",2\nA,3\n' >blanks.csv
expect 0 "$HEBATCH" ask 'groupby(ward, sum(x))' blanks.csv --category ward --dir small
answers 'ward,sum(x)' '" A",1' 'A,3' '"B ",2'

# A question that cannot end well is refused before the search: keys and an encrypted table are not made.
refuse 73 'm.csv is there already' "$HEBATCH" ask 'm = mean(age)' patients.csv --dir none --out m.csv
refuse 73 'the folder nowhere is not there' "$HEBATCH" ask 'm = mean(age)' patients.csv --dir none --out nowhere/m.csv
refuse 73 'm.csv is no folder' "$HEBATCH" ask 'm = mean(age)' patients.csv --dir m.csv/none
refuse 69 'mpirun is not found' env PATH=/nowhere "$HEBATCH" ask 'm = mean(age)' patients.csv --dir none --ranks 2
grep -q 'finds how' err && fail "a search before a refusal"
# Open MPI refuses root at length; ask says which variables let it.
mkdir roots
cat >roots/mpirun <<'EOF'
#!/bin/sh
printf '%s\n' -------- 'mpirun has detected an attempt to run as root.' '' 'Running as root is *strongly* discouraged.' -------- >&2
exit 1
EOF
chmod +x roots/mpirun
refuse 1 'run as root. To let it: export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; this question' \
    env PATH="$PWD/roots:$PATH" "$HEBATCH" ask 'm = mean(age)' patients.csv --dir none --ranks 2
absent none

# Tables as Europe writes them are read as they are written.
printf 'kg;on\n80,5;31.12.2024\n1.071,25;03.01.2024\n' >europe.csv
refuse 64 'a value with a comma stands in double quotes, as COLUMN="0,5"' \
    "$HEBATCH" ask 'sum(kg)' europe.csv --decimal comma --missing 'kg=0,5' --dir none
printf 'v;w\n1,5;7\n;8\n2,5;\n' >half.csv
expect 0 "$HEBATCH" ask 's = sum(v); w = sum(w)' half.csv --decimal comma --missing '5,v="0,5"' --dir small
answers 's,w' '4.5,20'
expect 0 "$HEBATCH" ask 'sum(kg)' europe.csv --dir small
answers 'answer' '1151.75'
complains 'hebatch encrypt .*--decimal comma --date-format d.m.y'
# A point that may stand between thousands is asked about, unless another column tells.
printf 'Kosten;cm;kg\n3.582;"2,5";70.5\n12.500;"3,5";80.25\n' >points.csv
cut -d ';' -f 1,2 points.csv >doubtful.csv
refuse 65 "doubtful.csv: row 1 (line 2), column Kosten: the point may .*--decimal comma, .*or --decimal point" \
    "$HEBATCH" ask 'sum(Kosten)' doubtful.csv --dir none
# So it is in a table of one column, which has no commas between fields; unless a number shows it, or it is said.
cut -d ';' -f 1 points.csv >alone.csv
refuse 65 "alone.csv: row 1 (line 2), column Kosten: the point may .*--decimal comma, .*or --decimal point" \
    "$HEBATCH" ask 'sum(Kosten)' alone.csv --dir none
for shown in "--decimal point" "--delimiter comma"; do
    # shellcheck disable=SC2086 # words
    expect 0 "$HEBATCH" ask 'sum(Kosten)' alone.csv $shown --dir small --dry-run
done
echo 2.5 >>alone.csv
expect 0 "$HEBATCH" ask 'sum(Kosten)' alone.csv --dir small --dry-run
expect 0 "$HEBATCH" ask 'sum(Kosten)' points.csv --dir small --dry-run
says 'hebatch encrypt .*--decimal point'
printf 'on\n03/04/2024\n' >us.csv
expect 65 "$HEBATCH" ask 'count(on > '\''2024-01-01'\'')' us.csv --dir none
complains "column on: row 1 (line 2) .*--date-format d.m.y, d/m/y or m/d/y"


# Options hold for all tables: one that they would read as other numbers or dates is refused.
printf 'kg,on\n"80,5",1\n' >comma.csv
printf 'kg,on\n1.234,2\n' >point.csv
printf 'kg,on\n7,31.12.2024\n' >german.csv
printf 'kg,on\n7,2024-12-31\n7,2023-12-31\n' >iso.csv
printf 'kg,on\n7,12/31/2024\n' >american.csv
alone="encrypt them one by one, each with its"
for tables in "a=comma.csv b=point.csv" "b=point.csv a=comma.csv"; do
    # shellcheck disable=SC2086 # two words
    refuse 65 "comma.csv is written with a decimal comma and .*point.csv with a point: $alone --decimal" \
        "$HEBATCH" ask 'sum(a.kg); sum(b.kg)' $tables --dir none
done
printf 'cm\n"80,5"\n' >other.csv
refuse 65 "other.csv is written with a decimal comma and .*point.csv with a point" \
    "$HEBATCH" ask 'sum(a.cm); sum(b.kg)' a=other.csv b=point.csv --scale kg=1000 --dir none
refuse 65 "german.csv is written with dates as d.m.y and .*iso.csv with y-m-d: $alone --date-format" \
    "$HEBATCH" ask "count(b.on > '2024-01-01'); count(a.on > '2024-01-01')" b=iso.csv a=german.csv --dir none
refuse 65 "german.csv is written with dates as d.m.y and .*american.csv with m/d/y" \
    "$HEBATCH" ask "count(a.on > '2024-01-01'); count(b.on > '2024-01-01')" a=german.csv b=american.csv --dir none
expect 0 "$HEBATCH" ask 's = sum(a.kg); n = sum(b.on)' a=comma.csv b=point.csv --dir small --dry-run
says 'decimal comma'
printf 'a\n1\n3\n' >pair1.csv
printf 'c\n5\n7\n' >pair2.csv
# Rows of two tables pair by their place: that is said by the user, or refused, whatever is between.
while IFS= read -r question; do
    refuse 64 'pair1.csv and pair2.csv would pair by the place of their rows.*--rows-match.*lookup(x.KEY, y)' \
        "$HEBATCH" ask "$question" x=pair1.csv y=pair2.csv --dir none
done <<'QUESTIONS'
groupby(x.a, sum(y.c))
sum(x.a where y.c > 5)
d = x.a + 1; e = d; s = sum(e*y.c)
x.a - y.c
s = sum(x.a); n = count(x.a < y.c)
QUESTIONS
expect 0 "$HEBATCH" ask 'groupby(x.a, sum(y.c))' x=pair1.csv y=pair2.csv --dir small --rows-match
answers 'a,sum(y.c)' '1,5' '2,0' '3,7'
expect 0 "$HEBATCH" ask 's = sum(x.a); t = sum(y.c); d = sum(x.a) - sum(y.c)' x=pair1.csv y=pair2.csv --dir small
answers 's,t,d' '4,12,-8'
printf 'r\n2\n' >rate.csv
expect 0 "$HEBATCH" ask 'sum(x.a*y.r)' x=pair1.csv y=rate.csv --dir small --dry-run
# So do options for columns of one name; columns that need none may be of other kinds.
printf 'on\n12%%\n' >percent.csv
refuse 65 "column on of point.csv has other cells than that of percent.csv" \
    "$HEBATCH" ask 'sum(a.on); sum(b.on)' a=point.csv b=percent.csv --dir none
expect 0 "$HEBATCH" ask "sum(a.on); sum(b.on > '2024-01-01')" a=point.csv b=iso.csv --dir small --dry-run
# A text that means a missing cell of one column and is a label of another is refused, unless it is said to be none.
printf 'ward,kg,cm\nA,1,?\nunknown,unknown,3\n' >labels.csv
refuse 65 "labels.csv: column ward has a text that means a missing cell in other columns.*--na 'unknown,?'" \
    "$HEBATCH" ask 'groupby(ward, sum(kg), sum(cm))' labels.csv --dir none --missing mask
refuse 65 "labels.csv: column ward has a text that means" \
    "$HEBATCH" ask 'groupby(ward, sum(kg))' labels.csv --category ward --dir none
expect 0 "$HEBATCH" ask 'groupby(ward, sum(kg))' labels.csv --na unknown --dir small --dry-run
says 'missing ward=mask,kg=mask --na unknown'

# Several tables, one of which is looked up in, and is not encrypted.
expect 0 "$HEBATCH" ask 's = sum(lookup(h.ward, w))' h=patients.csv w=wards.csv --dir several
answers 's' '67'
complains 'wards.csv is NOT encrypted'
complains 'reads h.ward: texts; w.ward: texts; w.beds: whole numbers'

# A row without an entry would be a 0 in sums and means: the label is named, and a last argument gives its value.
printf 'ward,floor,beds\nSurgery,1,20\n' >wards5.csv
refuse 65 "no entry for 1 label that the column may have ('Heart, acute'): add .*, as in lookup(h.ward, (w.ward, w.beds), 0)" \
    "$HEBATCH" ask 'mean(lookup(h.ward, w.beds))' h=patients.csv w=wards5.csv --dir none
expect 0 "$HEBATCH" ask 's = sum(lookup(h.ward, w.beds, 0)); n = sum(lookup(h.ward, (w.ward, w.floor), -1))' h=patients.csv \
    w=wards5.csv --dir several
answers s,n 60,2
complains 'wards5.csv is NOT encrypted'
refuse 64 "w has 3 columns, ward, floor, beds: say which one is the value, as in lookup(h.ward, w.floor)" \
    "$HEBATCH" ask 'sum(lookup(h.ward, w))' h=patients.csv w=wards5.csv --dir none
printf 'ward,beds\nSurgery,20\nSurgery,21\n' >wards6.csv
refuse 65 "rows 1 and 2 of w have the same key and two values" \
    "$HEBATCH" ask 'sum(lookup(h.ward, w, 0))' h=patients.csv w=wards6.csv --dir none
expect 0 "$HEBATCH" ask "s = mean(lookup(ward, 'Surgery':0.5, -1))" patients.csv --dir several
answers s 0.125

# The lines of the log, and those of --dry-run, run as they are pasted: several tables, labels and columns in quotes.
# pasted FOLDER: runs the lines in ./printed, and compares the results there with those of asked.
pasted() {
    sed "s|^hebatch|\"$HEBATCH\" -q|; s/-q \([a-z]*\)/\1 -q/" printed >lines
    (set -e && . ./lines) >made 2>&1 || fail "the printed lines do not run: $(tail -n 3 made)"
    for result in asked/*.csv; do
        same "$result" "$1/${result#asked/}"
    done
}
printf 'sex,body weight\nf,80.5\nm,70\nx,60\n' >quoted.csv
while IFS='|' read -r question tables; do
    rm -rf asked logged dry
    # shellcheck disable=SC2086 # words
    expect 0 "$HEBATCH" ask "$question" $tables --dir asked
    mkdir -m 700 logged
    sed -n '/separate steps/,$s/^hebatch:   hebatch /hebatch /p' err | sed 's|asked/|logged/|g' >printed
    pasted logged
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" ask "$question" $tables --dir dry --dry-run
    cp out printed
    pasted dry
done <<'QUESTIONS'
s = sum(lookup(h.ward, w)); n = count(h.ward == 'Heart, acute')|h=patients.csv w=wards.csv
mean("body weight" where sex == 'f'); count(sex in ('f', 'm'))|quoted.csv
QUESTIONS

# Functions of reals are computed approximately.
expect 0 "$HEBATCH" ask 'm = mean(sigmoid(0.02*age - 1))' patients.csv --dir reals
"$PYTHON" -c 'import math
m = float(open("out").read().split()[1]); w = sum(1 / (1 + math.exp(1 - .02 * a)) for a in (73, 54, 79, 25)) / 4
assert abs(m - w) < 1e-3, (m, w)' || fail "another mean"

# Keys of a folder that is named are used, and lack none.
expect 0 "$HEBATCH" ask 'groupby(ward, count(), mean(age))' patients.csv --dir other --keys hebatch-ask/keys
answers 'ward,count,mean(age)' '"Heart, acute",1,79' 'Surgery,3,50.666666666666664'
absent other/keys
refuse 66 'cannot open public.h5' "$HEBATCH" ask 'mean(age)' patients.csv --dir none --keys nowhere
expect 0 "$HEBATCH" ask 'age*age*age*age' patients.csv --dir bare
refuse 66 'lacks .* for this question; this line makes them: hebatch keygen --key bare/keys/secret.h5 --for' \
    "$HEBATCH" ask 'sum(age*age)' patients.csv --dir none --keys bare/keys
expect 0 "$HEBATCH" ask 'age' patients.csv --dir flat
for question in 'sum(age)' 'y = age^9'; do
    refuse 65 'keys flat/keys: the parameters of these keys are too small for these results; without --keys' \
        "$HEBATCH" ask "$question" patients.csv --dir none --keys flat/keys
done
refuse 65 'these are keys of BFV, and the results need CKKS' \
    "$HEBATCH" ask 'mean(age)/3' patients.csv --dir none --keys flat/keys
absent none

# Keys of other special primes are other keys.
mkdir -m 700 special
expect 0 "$HEBATCH" ask 'sum(age*age*age)' patients.csv --dir special --dry-run
grep '^hebatch keygen' out | sed "s|^hebatch|\"$HEBATCH\"|; s|\$| --special-primes 2|" >lines
(set -e && . ./lines) >made 2>&1 || fail "no keys with two special primes: $(tail -n 3 made)"
expect 0 "$HEBATCH" ask 'sum(age*age*age)' patients.csv --dir special --dry-run
says 'hebatch keygen .*--out special/keys-2 '
# A column that only makes another is not encrypted, and takes no room.
expect 0 "$HEBATCH" ask 'sum(smoker)' patients.csv --dir none --dry-run
room=$(sed -n 's/.*, encrypted table //p' err)
expect 0 "$HEBATCH" ask 'sum(old)' patients.csv --derive 'old=age >= 65' --dir none --dry-run
[ "$(sed -n 's/.*, encrypted table //p' err)" = "$room" ] || fail "the room of a column that is not encrypted"

# Options that would have no effect are refused.
refuse 64 '--rows-match is about the rows of several tables' "$HEBATCH" ask 'sum(age)' patients.csv --rows-match
refuse 64 '--security is for new keys' "$HEBATCH" ask 'sum(age)' patients.csv --keys small/keys --security 192
refuse 64 '--seal is for new keys' "$HEBATCH" ask 'sum(age)' patients.csv --keys small/keys --seal

# A sealed key: the passphrase is read once, from wherever it is said, and a wrong one is refused before anything else.
printf 'correct horse\n' >pass
printf 'another\n' >wrong
chmod 600 pass wrong
sealed="--dir sealed --seal"
# shellcheck disable=SC2086 # two words
expect 0 "$HEBATCH" ask 'sum(age); sum(age*age)' patients.csv $sealed --passphrase fd:7 7<pass
answers 'answer,answer2' '231,15111'
expect 0 "$HEBATCH" info sealed/keys/secret.h5
says 'sealed'
# shellcheck disable=SC2086
expect 0 "$HEBATCH" ask 'count(age > 60)' patients.csv $sealed --passphrase file:pass
answers answer 2
# shellcheck disable=SC2086
refuse 77 'passphrase' "$HEBATCH" ask 'sum(age); sum(age*age)' patients.csv $sealed --passphrase file:wrong
grep -q 'computes' err && fail "a wrong passphrase is noticed late"

# A question in other words gets the nearest one that works; a message shows the question as it was asked.
refuse 64 'the nearest to this is: .groupby(ward, mean(age)).$' \
    "$HEBATCH" ask 'select avg(age) from patients group by ward' patients.csv --dir none
refuse 64 'the nearest to this is: .count(age > 65).$' \
    "$HEBATCH" ask 'how many patients are older than 65?' patients.csv --dir none
refuse 64 'one about this table is: .mean(weight).$' \
    "$HEBATCH" ask 'average weight of patients not older than 65' patients.csv --dir none
refuse 64 'the nearest to this is (without the order and the limit): .groupby(ward, count()).$' \
    "$HEBATCH" ask 'select ward, count(*) from p group by ward order by 2 limit 1' patients.csv --dir none
refuse 64 'own language (hebatch help language)$' \
    "$HEBATCH" ask 'who is the oldest patient' patients.csv --dir none
refuse 64 "character 1 of 'std(age)': .*; this can be asked (the square of the standard deviation): 'var(age)'$" \
    "$HEBATCH" ask 'std(age)' patients.csv --dir none
refuse 64 "this can be asked: \"count(ward == 'Surgery')\"$" \
    "$HEBATCH" ask 'count(ward = "Surgery")' patients.csv --dir none
# Conditions, signs and dates as other languages write them; names of columns without their quotes; counts of categories.
printf 'ward,Body Weight,admitted\nICU,80,2024-01-02\nER,71,2023-05-06\n' >odd.csv
while IFS='|' read -r question proposal; do
    refuse 64 ".*: .*$proposal" "$HEBATCH" ask "$question" odd.csv --dir none
done <<'QUESTIONS'
ward = ICU|this can be asked: "ward == 'ICU'"$
count(admitted > 2024-01-01)|this can be asked: "count(admitted > '2024-01-01')"$
mean(Body Weight)|the nearest to this is: 'mean("Body Weight")'$
mean(Body_Weight)|did you mean "Body Weight"?$
mean('ward')|the question reads no column.*: 'groupby(ward, count())'$
mean(ward)|this can be asked (it counts every value of the column): 'groupby(ward, count())'$
count(distinct ward)|the nearest to this is (it counts every value of the column): 'groupby(ward, count())'$
groupby(ward)|this can be asked (it counts every value of the column): 'groupby(ward, count())'$
count(year(admitted) == 2024)|--derive 'year=year(admitted)', and ask 'count(year == 2024)'$
QUESTIONS
expect 0 "$HEBATCH" ask 'sum(age)/count(age)' patients.csv --dir none
grep -q '^57\.7[45]' out || fail "another quotient by a number of rows"
rm -r none
# A column may be called as results are that have no name.
printf 'answer,n\n1,2\n3,4\n' >called.csv
expect 0 "$HEBATCH" ask 'sum(answer); sum(n)' called.csv --dir called
answers 'result,result2' '4,6'

# The nearest question may need fewer tables: it is said of which it can be asked, and how the other one is joined.
refuse 64 "this can be asked: 'mean(h.age)' of the table h=patients.csv alone" \
    "$HEBATCH" ask 'mean(age)' h=patients.csv w=wards.csv --dir none
refuse 64 'leave count() out: the number of rows is no secret, and patients.csv has 4' \
    "$HEBATCH" ask 'sum(age); count()' patients.csv --dir none
printf 'age\n' >rows.csv
refuse 65 'rows.csv has no rows$' "$HEBATCH" ask 'sum(age)' rows.csv --dir none
refuse 65 'row 3 (line 4), column weight: the value is one that --na calls missing' \
    "$HEBATCH" ask 'sum(weight)' patients.csv --na unknown --missing refuse --dir none
printf 'v\n$5.00\n' >dollar.csv
expect 65 "$HEBATCH" ask 'sum(v)' dollar.csv --dir none
complains "column v: row 1 (line 2) has a currency sign: write the number alone, without it; --category v reads all"
# A leap second needs an edit, and no option that says how dates are written.
printf 'a,t\n1,2016-12-31T23:59:60\n2,2016-12-31T23:59:58\n' >leap.csv
expect 65 "$HEBATCH" ask 'groupby(t, sum(a))' leap.csv --dir none --dry-run
complains "a leap second, :60, is not counted: write :59"
! grep -q -e --date-format err || fail "advice that does not apply to a leap second"

# Parameters of several moduli are no reason against fetch where ask chose them: missing cells are.
printf 'id,k\n1,5\n2,\n3,7\n' >fetched.csv
refuse 64 "fetch does not take columns that may have missing cells.*--missing COLUMN=drop" \
    "$HEBATCH" ask 'fetch((id, k) where id > 1, 3)' fetched.csv --dir none
printf 'id,k\n1,5\n2,6\n3,7\n4,8\n' >fetched.csv
refuse 64 "all 4 rows are selected, and 3 are to be fetched" \
    "$HEBATCH" ask 'fetch((id, k) where k > 0, 3)' fetched.csv --dir none

# Units and years of two digits are refused with the edit that helps, and with no option that does not.
printf 'w\n80\n71 kg\n' >kilos.csv
expect 65 "$HEBATCH" ask 'sum(w)' kilos.csv --dir none
complains "column w: row 2 (line 3) has a unit behind its number: write the number alone, and the unit in the column's name"
grep -q -e '--na' err && fail "--na is named for a number with a unit"
printf 'on\n31.12.24\n' >short.csv
for order in '' '--date-format d.m.y'; do
    # shellcheck disable=SC2086 # words
    expect 65 "$HEBATCH" ask "count(on > '2024-01-01')" short.csv $order --dir none
    complains "column on: row 1 (line 2) a year of two digits may be of two centuries: write all four digits$"
done

# Advice keeps the scales that were given.
printf 'w,x\n1.123456789012,2\n2.5,3.5\n' >floats.csv
refuse 65 "column w has numbers of 12 digits .*: say how many count, as --scale x=10,w=100 --round$" \
    "$HEBATCH" ask 'a = sum(w); b = sum(x)' floats.csv --scale x=10 --dir none
expect 0 "$HEBATCH" ask 'a = sum(w); b = sum(x)' floats.csv --scale x=10,w=100 --round --dir none --dry-run

# Labels that differ by blanks and capitals alone are told with the option that makes them one, once and before keys are
# made; with it, how many cells went into which label. So are those that --derive compares.
printf 'ward,age\nicu,60\nICU ,61\nIcu,62\nICU,64\nSurgery,63\n' >wards2.csv
expect 0 "$HEBATCH" ask 'groupby(ward, count())' wards2.csv --dir small
grep -n 'column ward: 3 of 4 labels differ .*; --fold ward makes one of such labels$' err >found ||
    fail "nothing names --fold"
[ "$(wc -l <found)" = 1 ] || fail "the same warning twice"
[ "$(cut -d : -f 1 found)" -lt "$(grep -n '2/5' err | cut -d : -f 1)" ] || fail "a warning behind the keys"
expect 0 "$HEBATCH" ask 'groupby(ward, count())' wards2.csv --fold ward --dir small
answers ward,count ICU,4 Surgery,1
complains 'wards2.csv: column ward: 3 cells are folded into other spellings: 3 into .ICU.$'
grep -q 'makes one of such labels' err && fail "--fold is named where it is given"
# All tables and texts of a question spell a folded label as they like: a table that is looked up in, another column, the
# text of a comparison, more rows. The spelling is that of the table of data.
printf 'ward,beds\nicu,5\n"SURGERY ",20\n' >wards3.csv
printf 'ward,n\nIcu ,1\nicu,2\nicu,3\nsurgery,4\nsurgery,5\n' >wards4.csv
expect 0 "$HEBATCH" ask "beds = sum(lookup(h.ward, w)); n = count(h.ward == 'SURGERY')" h=wards2.csv w=wards3.csv \
    --fold all --dir small
answers beds,n 40,1
expect 0 "$HEBATCH" ask 'count(h.ward == x.ward)' h=wards2.csv x=wards4.csv --fold ward --rows-match \
    --dir small
answers answer 4
expect 0 "$HEBATCH" keygen --params bfv-8192 --out small/fold --for 'g = groupby(h.ward, count(), sum(h.age))'
key="--key small/fold/public.h5"
expect 0 "$HEBATCH" encrypt $key wards2.csv fold.heb --category ward --fold ward
printf 'ward,age\nsurgery,7\n" icu",60\n' >more.csv
expect 0 "$HEBATCH" encrypt --append $key more.csv fold.heb
expect 0 "$HEBATCH" info fold.heb
grep -q '2 labels, folded: ICU, Surgery' out || fail "info does not say that labels fold"
expect 0 "$HEBATCH" eval --keys small/fold 'g = groupby(h.ward, count(), sum(h.age))' h=fold.heb g=fold2.heb
expect 0 "$HEBATCH" decrypt --key small/fold/secret.h5 fold2.heb -
answers 'ward,count,sum(h.age)' ICU,5,307 Surgery,2,70
printf 'ward,beds\nnobody,9\nicu,5\nSurgery,7\nICU,6\n' >wards7.csv
expect 65 "$HEBATCH" eval --keys small/fold --category ward 's = sum(lookup(h.ward, w, 0))' h=fold.heb w=wards7.csv \
    s=none.heb
complains 'rows 2 and 4 of w have the same key and two values$'
for fold in '' '--fold ward'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$HEBATCH" ask 'sum(s)' wards2.csv --derive "s=ward == 'ICU'" $fold --dir small --dry-run
    complains "column ward: 3 cells are folded into\|--fold ward makes one of such labels"
done

# An approximate answer is called so before keys are made, and beside the answer.
expect 0 "$HEBATCH" ask "count(ward == 'Surgery') / count()" patients.csv --dir share
sed '/makes keys/q' err | grep -q 'the answer is approximate: right to 0.0[0-9]* proven, 0.000[0-9]* expected$' ||
    fail "nothing says that the answer is approximate before keys are made"
[ "$(grep -c 'the answer is approximate' err)" = 2 ] || fail "nothing says with the answer that it is approximate"
"$PYTHON" - out err <<'EOF' || fail "another share than 3/4, or another error than is said"
import re, sys
share, said = float(open(sys.argv[1]).read().split()[1]), open(sys.argv[2]).read()
proven = float(re.findall(r"right to ([0-9.]*) proven", said)[-1])
assert 0 < abs(share - 0.75) < proven < 0.1, (share, proven)
EOF
expect 0 "$HEBATCH" ask "mean(ward == 'Surgery')" patients.csv --dir small
answers answer 0.75
grep -q approximate err && fail "an exact answer is called approximate"

# A missing cell of a lone column is a line with quotes, as readers skip empty lines.
printf 'a,b\n1,2\n,3\n4,5\n' >gaps.csv
expect 0 "$HEBATCH" ask 'y = a*b' gaps.csv --dir small --out lone.csv
printf '%s\n' y 2 '""' 20 >wanted
cmp -s lone.csv wanted || fail "another file of a lone column"
expect 0 "$HEBATCH" ask 'sum(y); count(y is missing)' lone.csv --dir small
answers answer,answer2 22,1

# One number behind a histogram is no number of bins. Of truth values it is said which rows count() counts.
refuse 64 'one number is one bin.*count(x == 10) counts them; .*encrypt --derive .bins=bin(x, 10)' \
    "$HEBATCH" ask 'histogram(b, 3)' gaps.csv --dir none
expect 0 "$HEBATCH" ask 'n = count(smoker); m = count(weight)' patients.csv --na unknown --dir none --dry-run
complains 'count(smoker) counts the rows where smoker is yes, or true; count(smoker is not missing) counts the filled'
grep -q 'count(weight) counts' err && fail "a count of numbers counts filled cells"

# A bound of a comparison of reals leaves out the rows at its threshold, and says so; integers decide them.
expect 0 "$HEBATCH" ask 'count(sigmoid(-3.5 + 0.03*age + 0.02*weight) > 0.5)' patients.csv --missing drop --na unknown \
    --dir none --dry-run
complains 'right to 0.[0-9]* proven, .* but for rows whose value is within 0.[0-9]* of a threshold, which are not decided$'
complains 'exact: a question with -3.5 + 0.03\*age + 0.02\*weight > 0, and without divisions .*decides every row$'
expect 0 "$HEBATCH" ask 'count(-3.5 + 0.03*age + 0.02*weight > 0)' patients.csv --missing drop --na unknown --dir none \
    --dry-run
grep -q 'approximate\|not decided' err && fail "an exact comparison is called approximate"

# Refusals come before anything is made.
refuse 64 "'age' is a result of the question and a column of patients.csv: give the result another name" \
    "$HEBATCH" ask 'age = sum(age); n = mean(age where smoker)' patients.csv --dir none
refuse 64 "has no column 'agee'; did you mean age?" "$HEBATCH" ask 'mean(agee)' patients.csv --dir none
refuse 64 "write h.age: there are several tables" "$HEBATCH" ask 'mean(age)' h=patients.csv w=wards.csv --dir none
# A table without a name has that of its file, if that is one.
refuse 64 "this can be asked: 'mean(patients.age)' of the table patients=patients.csv alone" \
    "$HEBATCH" ask 'mean(age)' patients.csv wards.csv --dir none
cp wards.csv 2.csv
refuse 64 "'2.csv': the name of the file is no name of a table: give it one, as h=2.csv" \
    "$HEBATCH" ask 'mean(patients.age)' patients.csv 2.csv --dir none
refuse 64 "scheme tfhe: it is bfv or ckks" "$HEBATCH" ask 'mean(age)' patients.csv --scheme tfhe --dir none
refuse 64 "usage: hebatch ask" "$HEBATCH" ask 'mean(age)'
refuse 66 "nowhere.csv" "$HEBATCH" ask 'mean(age)' nowhere.csv --dir none
printf 'a,b\n1,7\n2,twelve\n' >mixed.csv
expect 65 "$HEBATCH" ask 'sum(b)' mixed.csv --dir none --log mixed.log
complains "mixed.csv: column b: row 2 (line 3) has letters, row 1 (line 2) has a number; --na TEXT"
# The text of a cell is shown, and is not in the log.
complains "column b has a cell 'twelve'"
grep -q 'has letters' mixed.log || fail "no refusal in the log"
grep -q twelve mixed.log && fail "the text of a cell is in the log"
# Among labels the cell is named that is none, and not the first label.
while read -r cell words; do
    printf 'a,b\n1,b\n2,b\n3,%s\n4,b\n' "$cell" >mixed.csv
    expect 65 "$HEBATCH" ask 'groupby(b, count())' mixed.csv --dir none
    complains "column b: 3 cells are words, but row 3 (line 4) $words. If all are labels: --category b. If such a text means a missing cell: --na TEXT$"
done <<'END'
7 has a number
#c begins with no letter
5kg has a unit behind its number
5% has a percent sign
2024-01-05 has a date
31.12.2024 is a date in another order
END
complains "column b has a cell '31.12.2024'"
# Of several files those that differ are named, and the one with a cell that nothing reads.
printf 'a,b\n1,b\n' >part-1.csv
printf 'a,b\n1,7\n' >part-2.csv
refuse 65 'column b: part-1.csv has texts, part-2.csv has whole numbers; ' \
    "$HEBATCH" ask 'groupby(b, count())' 'part-*.csv' --dir none
printf 'a,b\n1,b\n2,c\n3,7\n' >part-2.csv
refuse 65 'column b: part-2.csv: 2 cells are words, but row 3 (line 4) has a number. If all are labels: ' \
    "$HEBATCH" ask 'groupby(b, count())' 'part-*.csv' --dir none
rm part-?.csv
"$PYTHON" -c 'print("name,age"); [print(f"n{i},{i % 90}") for i in range(300)]' >names.csv
refuse 65 "column name has 300 different texts, which would become PUBLIC" "$HEBATCH" ask 'groupby(name, count())' names.csv --dir none
absent none
mkdir open && chmod 755 open
refuse 73 "others may enter this folder" "$HEBATCH" ask 'mean(age)' patients.csv --dir open

# The expensive part of a question is named before anything is made. Stopped, it says what is there, and ends with 75.
"$PYTHON" -c 'import random
r = random.Random(1)
print("ward,age,holds")
for i in range(3000): print(f"w{r.randrange(6)},{r.randrange(100)},{r.randrange(10**6) / 100}")' >many.csv
"$HEBATCH" ask 'groupby(ward, count(), count(age >= 65), mean(holds))' many.csv --dir stopped >out 2>err &
asked=$!
while ! grep -q '\[2/5\]' err && kill -0 $asked; do
    sleep 0.2
done
kill -TERM $asked
code=0
wait $asked || code=$?
[ "$code" = 75 ] || fail "exit code $code of a question that was stopped"
# The option can be pasted, and makes a column of a name that nothing has.
complains "expensive: age >= 65 takes .* of keys.*cheaper: .*: --derive 'holds2=age >= 65', and ask 'groupby(.*count(holds2), "
complains 'stopped by signal 15'
[ ! -s out ] || fail "an answer of a question that was stopped"
find stopped -name '*.partial' | grep . && fail "something half is left"
absent stopped/many.heb

# One question at a time has a folder. One that is killed takes its commands with it, and its half is in nobody's way.
"$HEBATCH" ask 'groupby(ward, count(), count(age >= 65), mean(holds))' many.csv --dir killed >killed.out 2>killed.err &
asked=$!
while [ ! -e killed/answer.heb.partial ] && kill -0 $asked; do
    sleep 0.2
done
refuse 73 "killed: another question is being answered in this folder; .*or take another folder: --dir killed-2" \
    "$HEBATCH" ask 'mean(age)' many.csv --dir killed
command=$("$PYTHON" -c 'import sys
print(open(f"/proc/{sys.argv[1]}/task/{sys.argv[1]}/children").read().split()[0])' $asked)
kill -KILL $asked
wait $asked
while kill -0 "$command" 2>/dev/null; do
    sleep 0.2
done
[ -e killed/answer.heb.partial ] || fail "eval was not killed at its work"
expect 0 "$HEBATCH" ask 'sum(age)' many.csv --dir killed
grep -q '^[0-9][0-9]*$' out || fail "no answer beside one that was killed"
absent killed/answer.heb.partial

# A command that takes long says how far it is, with the time that is left, also where stderr is no terminal. It is held
# before it stores its one unit.
printf 'x\n5\n8\n' >few.csv
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$HOLD HOLD_AFTER=0 HOLD_IN=answer.heb.partial HOLD_UNTIL=go \
    "$HEBATCH" ask 'x + 1' few.csv --dir held --progress 1 >out 2>err &
asked=$!
until grep -q 'computes without the secret key: [1-9][0-9]* %, about .* left of this phase$' err; do
    kill -0 $asked || fail "the question ended before it said how far it is"
    sleep 0.05
done
: >go
wait $asked || fail "exit code $? of a question that was held"
answers answer 6 9

# An option about a column is said of the tables that read it: the other's column of that name stays unread, or is not
# there.
printf 'x,y\n1,77\n2,88\n3,99\n' >twin.csv
printf 'x\n1\n2\n3\n' >lone.csv
printf 'y,z\n10,1\n,2\n30,3\n' >gaps.csv
for file in twin lone; do
    expect 0 "$HEBATCH" ask 's=sum(a.x*b.y)' a=$file.csv b=gaps.csv --rows-match --dir leaks-$file
    answers s 100
    complains "encrypted $file.csv: .*: x (1..3); the cells"
    expect 0 "$HEBATCH" ask 's=sum(a.x*b.y)' a=$file.csv b=gaps.csv --rows-match --dir none --dry-run
    says "encrypt .* $file.csv [^ ]* --columns x --range measured$"
    says "encrypt .* gaps.csv [^ ]* --missing y=mask --columns y --range measured$"
done
# Rows are left out of the table that has the column, where the question reads it of none.
printf 'y,z\n10,1\n30,3\n' >whole.csv
printf 'x\n1\n3\n' >two.csv
for column in y z; do
    expect 0 "$HEBATCH" ask "s=sum(a.x*b.$column)" a=two.csv b=whole.csv --rows-match --missing y=drop --dir leaks-drop --dry-run
    says "encrypt .* two.csv [^ ]* --columns x --range"
done
refuse 64 'b: 1 of 3 rows was left out, .*a: no row was left out' \
    "$HEBATCH" ask 's=sum(a.x*b.z)' a=two.csv b=gaps.csv --rows-match --missing y=drop --dir leaks-drop
refuse 64 "an option names a column 'w', which no table has" \
    "$HEBATCH" params suggest 's=sum(a.x*b.z)' --table a=two.csv,b=whole.csv --missing w=drop
for option in "--missing w=mask" "--date w" "--fold w"; do
    # shellcheck disable=SC2086
    refuse 64 "an option names a column 'w', which no table has" \
        "$HEBATCH" ask 's=sum(a.x*b.z)' a=two.csv b=whole.csv --rows-match $option --dir leaks-drop
done
refuse 64 "option names a column 'a.x', which no table has: .* say x alone" \
    "$HEBATCH" params suggest 's=sum(a.x*b.z)' --table a=two.csv,b=whole.csv --missing a.x=drop
expect 0 "$HEBATCH" ask 's=sum(a.x*b.z)' a=two.csv b=whole.csv --rows-match --missing a.x=drop --dir leaks-drop --dry-run
# A table that is looked up in has the key's column, without a missing cell: it needs no mask there.
printf 'ward,age\nA,3\n,4\nB,\n' >gaps_of_ward.csv
printf 'ward,beds\nA,10\nB,20\n' >beds.csv
for how in "" "--missing ward=mask" "--missing beds=mask"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" ask 's = sum(lookup(h.ward, w.beds))' h=gaps_of_ward.csv w=beds.csv $how --dir looked_up
    [ "$(cat out)" = "$(printf 's\n30')" ] || fail "a lookup of gaps: $(cat out)"
done
printf 'ward,beds\nA,10\nB,\n' >gaps_of_beds.csv
refuse 64 "gaps_of_beds.csv: column beds may have missing cells .* has no masks" \
    "$HEBATCH" ask 's = sum(lookup(h.ward, w.beds))' h=gaps_of_ward.csv w=gaps_of_beds.csv --dir looked_up
