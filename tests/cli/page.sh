#!/bin/sh
# status --html: what is on the page; reports that others wrote stay text; what is replaced.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
tests=$(cd "$OLDPWD" && cd "${0%/*}" && pwd)

# page FILE TEXT...: as page.py has it.
page() {
    "$PYTHON" "$tests/page.py" check "$@" || fail "$1 is no such page"
}

expect 0 "$HEBATCH" keygen --n 1024 --bits 40,40,41 --plain-bits 14 --insecure --relin --out keys
table 3000 2 50 | sed '1s/c1/<b>\&1/' >in.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 in.csv a.heb
# shellcheck disable=SC2086 # a command of several words
expect 0 $MPIRUN -n 2 "$HEBATCH" eval --keys keys 'y = a * a + 1 # <i>' a=a.heb y=y.heb --compact off
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
expect 0 "$HEBATCH" status a.heb y.heb y.csv --html page.html
says "state        done; it is no dataset"
says "command      decrypt, [0-9.]* "
page page.html "a.heb" "y = a * a + 1 # <i>" "<b>&1" "INSECURE" "Where the time went" "critical path" "Ranks: what" \
    "a line a statement" "Steps of the plan (6)" "Noise budget in bits, measured" "Warnings" "step 6" \
    "y from 3000 rows, computed without the secret key in " " on 2 cores; exact unless values have wrapped around; 1 result of " "3000 rows encrypted in " \
    "size of the results" "memory of the largest rank" "least noise budget" "What the words mean"
# Time as the log and the bars have it, a line for the one statement, hashes of 12 digits with all of it as a title.
"$PYTHON" -c 'import json, re
report, page = json.load(open("y.heb.report.json")), open("page.html").read()
parts = [seconds for name, seconds in report["times"]["phases"].items() if name != "total"]
assert abs(sum(parts) - report["seconds"]) < 1e-6, (parts, report["seconds"])
assert "computed without the secret key in %.1f&nbsp;s on" % report["seconds"] in page
assert page.count("<polyline") == 1
assert "<code title=\"%s\">%s</code>" % (report["outputs"][0]["sum"], report["outputs"][0]["sum"][:12]) in page
assert not re.search("[0-9a-f]{13}", re.sub("title=\"[0-9a-f]*\"|0x[0-9a-f]*", "", page)), "a long hash"
assert report["outputs"][0]["stored_bytes"] > 0' || fail "time, lines or hashes"

# Statements in words; several plain moduli: sizes are those of all of them.
printf '%s\n' ward,age A,3 B,4 A,5 >small.csv
QUESTION='by_ward = groupby(a.ward, count()); ages = groupby(a.ward, sum(a.age)); total = sum(a.age); older = a.age + 1'
expect 0 "$HEBATCH" keygen --params bfv-16384 --out small --for "$QUESTION"
expect 0 "$HEBATCH" encrypt --key small/public.h5 small.csv small.heb --category ward --range age=0..9
expect 0 "$HEBATCH" eval --keys small "$QUESTION" a=small.heb by_ward=w.heb ages=g.heb total=t.heb older=o.heb
expect 0 "$HEBATCH" status w.heb --html words.html
page words.html "counts by ward, sums of age by ward, the sum of age and older from 3 rows, computed" "; exact; 4 results of "
[ "$(grep -c '<polyline' words.html)" = 4 ] || fail "not a line a statement"
expect 0 "$HEBATCH" keygen --params bfv-8192 --wide 72 --out wide
expect 0 "$HEBATCH" encrypt --key wide/public.h5 small.csv wide.heb --columns age
sizes=$("$PYTHON" -c 'import json, os
said = json.load(open("wide.heb.report.json"))["plan"]["stored_bytes"]
there = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk("wide.heb") for name in names)
print(said, there, said <= there < said + 300000)')
[ "${sizes##* }" = True ] || fail "the size is that of one plain modulus: $sizes"
[ "$(grep -c '<svg class="bar"' page.html)" -ge 9 ] || fail "bars are missing"
"$PYTHON" -c 'import json, sys
report = json.load(open("y.heb.report.json"))
ranks, units = report["by_rank"], report["outputs"][0]["units"]
assert [rank["rank"] for rank in ranks] == [0, 1] and sum(rank["units"] for rank in ranks) == units, ranks
phases = report["times"]["phases"]
assert phases["total"] <= report["seconds"] < phases["total"] + 10 and phases["total"] > phases["loop"], report["seconds"]
assert all(rank["host"] and rank["bytes"] > 0 and rank["busy"]["compute"] > 0 for rank in ranks), ranks
assert all(step["proven"] <= step["expected"] for step in report["steps"]) and len(report["steps"]) == 6' ||
    fail "the report lacks ranks or steps"

# Values as their user writes them, and several aggregates of a group in words.
printf '%s\n' ward,kg,born,old A,12.5,2001-02-03,true B,25,1999-01-01,false A,0,2010-12-31,true >units.csv
QUESTION='g = groupby(u.ward, count(), mean(u.kg), sum(u.kg)); n = sum(u.kg); h = u.kg + 1'
expect 0 "$HEBATCH" encrypt --key small/public.h5 units.csv units.heb --category ward --scale kg=10 --date born \
    --range kg=0..250,born=1990-01-01..2020-12-31
expect 0 "$HEBATCH" keygen --key small/secret.h5 --for "$QUESTION"
expect 0 "$HEBATCH" eval --keys small "$QUESTION" u=units.heb g=ug.heb n=un.heb h=uh.heb
expect 0 "$HEBATCH" status units.heb ug.heb --html units.html
page units.html "least 0, most 250" "least 1990-01-01, most 2020-12-31" "A, B" \
    "counts, means of kg and sums of kg by ward, the sum of kg and h from 3 rows, computed"

# A run that failed, and one that is not finished; a page replaces a page.
echo x >wrong.csv && echo '<u>' >>wrong.csv
expect 65 "$HEBATCH" encrypt --key keys/public.h5 wrong.csv wrong.heb
cp -r a.heb half.heb.partial
expect 0 "$HEBATCH" status wrong.heb half.heb --html page.html
page page.html "wrong.csv: row 1 (line 2), column x" "No run has left a report yet" "unfinished"
refuse 66 "nor a report" "$HEBATCH" status none.heb --html none.html
refuse 65 "in.csv: is no dataset, and no job has left a report of it" "$HEBATCH" status in.csv --html none.html
absent none.html
echo mine >mine.html
expect 73 "$HEBATCH" status a.heb --html mine.html
complains "exists and is no page of hebatch"
[ "$(cat mine.html)" = mine ] || fail "a file was replaced"

# Reports of others.
"$PYTHON" "$tests/page.py" forge y.heb.report.json 200 || fail "could not forge"
ls forged-*.report.json | sed 's/\.report\.json$//' >names
# shellcheck disable=SC2046 # names without spaces
expect 0 "$HEBATCH" status $(cat names) --html forged.html
page forged.html "<script>alert(1)</script>" "and 400 more"
