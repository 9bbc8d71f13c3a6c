#!/bin/sh
# Columns that encrypt, ask and verify make of others (--derive): values against Python's, on one rank and on three,
# with missing cells, rows that come later, HDF5 and reals; the printed commands of params suggest; refusals.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

cat >tables.py <<'PYTHON'
"""write: tables and what is to come of them; counts, old: answers about a table; compare A B: the same, to 1e-3."""
import csv, datetime as dt, random, sys

random.seed(38)
DAY = dt.date(2026, 11, 28)
BINS = [("0..17", 0, 17), ("18..64", 18, 64), ("65..", 65, 10**6)]


def years(birth, day):
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def write(name, names, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names] + rows)


def row():
    birth = dt.date(1930, 1, 1) + dt.timedelta(random.randrange(33000))
    seen = birth + dt.timedelta(random.randrange(30000))
    return birth, seen, random.randrange(0, 100), random.choice(("ICU", "ER", "WARD"))


def derived(birth, seen, age, ward):
    age_bin = next(label for label, low, high in BINS if low <= age <= high)
    return [years(birth, seen), age_bin, f"{age // 10 * 10}..{age // 10 * 10 + 9}", birth.year, (birth.month + 2) // 3,
            birth.month, birth.strftime("%A"), str(age >= 65).lower(), str(ward == "ICU").lower()]


NAMES = ["years", "group", "decade", "year", "quarter", "month", "weekday", "old", "icu"]

if sys.argv[1] == "write":
    rows = [row() for _ in range(3000)]
    leap = dt.date(1960, 2, 29)
    rows[:2] = [(leap, dt.date(2024, 2, 28), 0, "ICU"), (leap, dt.date(2024, 2, 29), 99, "ER")]
    write("all.csv", ["birth", "seen", "age", "ward"], rows)
    write("some.csv", ["birth", "seen", "age", "ward"], rows[:1700])
    write("more.csv", ["birth", "seen", "age", "ward"], rows[1700:])
    write("wanted.csv", NAMES, [derived(*r) for r in rows])
    groups = [(derived(*r)[1], r[3]) for r in rows]
    write("counts.csv", ["group", "count", "count(p.icu)"],
          [[label, sum(g[0] == label for g in groups), sum(g == (label, "ICU") for g in groups)]
           for label, _, _ in BINS])
    gaps = [[("" if random.random() < 0.2 else cell) for cell in r[:3]] + [r[3]] for r in rows]
    write("gaps.csv", ["birth", "seen", "age", "ward"], gaps)
    write("wanted_gaps.csv", ["years", "old"],
          [["" if "" in g[:2] else years(*g[:2]), "" if g[2] == "" else str(g[2] >= 65).lower()] for g in gaps])
elif sys.argv[1] == "counts":
    rows = [row for row in csv.DictReader(open(sys.argv[2])) if row["age"] != ""]
    rows = [(next(label for label, low, high in BINS if low <= int(row["age"]) <= high), row["ward"]) for row in rows]
    write(sys.argv[3], ["group", "count", "count(p.icu)"],
          [[label, sum(r[0] == label for r in rows), sum(r == (label, "ICU") for r in rows)] for label, _, _ in BINS])
elif sys.argv[1] == "old":
    years_of = [row["years"] for row in csv.DictReader(open(sys.argv[2]))]
    write(sys.argv[3], ["n", "m"], [[sum(y != "" and int(y) >= 65 for y in years_of), years_of.count("")]])
else:
    one, other = (list(csv.reader(open(name))) for name in sys.argv[2:4])
    assert len(one) == len(other) and one[0] == other[0], (one[0], other[0], len(one), len(other))
    for a, b in zip(one[1:], other[1:]):
        for x, y in zip(a, b):
            try:
                near = abs(float(x) - float(y)) < 1e-3
            except ValueError:
                near = x == y
            assert near, (a, b)
PYTHON
expect 0 "$PYTHON" tables.py write
compare() {
    expect 0 "$PYTHON" tables.py compare "$1" "$2"
}

names='years,group,decade,year,quarter,month,weekday,old,icu'
question='g = groupby(p.group, count(), count(p.icu))'
# encrypt ARGUMENTS..: with all derived columns.
encrypt() {
    # shellcheck disable=SC2086
    expect 0 ${launch:-} "$HEBATCH" encrypt --derive 'years=age(birth, seen)' \
        --derive 'group = bin(age, 0..17, 18..64, 65..)' \
        --derive 'decade=bin(age, 10)' --derive 'year=year(birth)' --derive 'quarter=quarter(birth)' \
        --derive 'month=month(birth)' --derive 'weekday=weekday(birth)' --derive 'old=age>=65' \
        --derive "icu = ward == 'ICU'" "$@"
}
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

integers() {
    expect 0 "$HEBATCH" keygen --params bfv-8192 --out keys --for "$question"
    encrypt --key keys/public.h5 all.csv p.heb --columns $names --insecure-test-seed $seed
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 p.heb p.csv
    compare p.csv wanted.csv
    expect 0 "$HEBATCH" info p.heb
    says 'month.*1..12'
    expect 0 "$HEBATCH" eval --keys keys "$question" p=p.heb g=g.heb
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 g.heb g.csv
    compare g.csv counts.csv
    refuse 64 "g.heb holds totals, .* decrypt it, and compare that table with g.csv" \
        "$HEBATCH" verify g.heb --key keys/secret.h5 --against g.csv
    # Another number of ranks makes the same bytes.
    launch="$MPIRUN -n 3"
    encrypt --key keys/public.h5 all.csv three.heb --columns $names
    launch=
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 three.heb three.csv
    same p.csv three.csv
    # The table again, and rows that come later, in several files as one.
    again="--derive years=age(birth,seen)"
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 some.csv grows.heb $again --derive 'decade=bin(age,10)' \
        --columns years,decade
    refuse 64 "there is no column 'years'.*if --derive made it, give that here, too" \
        "$HEBATCH" encrypt --append --key keys/public.h5 more.csv grows.heb --missing drop
    cut -d, -f1-3 more.csv >short.csv
    refuse 65 "a table of 3 columns, where grows.heb has 2; if --derive made some" \
        "$HEBATCH" encrypt --append --key keys/public.h5 short.csv grows.heb
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt --append --key keys/public.h5 more.csv grows.heb $again --derive 'decade=bin(age,10)'
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" verify grows.heb --key keys/secret.h5 --against all.csv $again --derive 'decade=bin(age,10)'
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 some.csv more.csv joined.heb $again --columns years
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" verify joined.heb --key keys/secret.h5 --against all.csv $again
}

# same_with_gaps TABLE COLUMNS --derive ..: the dataset is its table, and takes its rows again.
same_with_gaps() {
    table=$1
    chosen=$2
    shift 2
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 "$table" again.heb --missing mask --columns "$chosen" --force "$@"
    expect 0 "$HEBATCH" verify again.heb --key keys/secret.h5 --against "$table" "$@"
    expect 0 "$HEBATCH" encrypt --append --key keys/public.h5 "$table" again.heb "$@"
    expect 0 "$HEBATCH" verify again.heb
}

missing() {
    for how in "--missing years=mask,old=mask" "--missing mask"; do
        # shellcheck disable=SC2086
        expect 0 "$HEBATCH" encrypt --key keys/public.h5 gaps.csv m.heb --derive 'years=age(birth, seen)' \
            --derive 'old=age >= 65' --columns years,old $how --force
        expect 0 "$HEBATCH" decrypt --key keys/secret.h5 m.heb m.csv --force
        same m.csv wanted_gaps.csv
    done
    # Of two columns that one is made of, the other one has no mask. Columns that a dataset does not have follow those
    # that are made of them.
    printf 'a,b\n1,2\n1,\n' >one_gap.csv
    printf 'x,y\n2001-02-03,2020-01-01\n2001-02-03,\n' >one_date.csv
    same_with_gaps one_gap.csv a,b,n --derive 'n=a<b'
    same_with_gaps one_gap.csv n --derive 'n=a<b'
    same_with_gaps one_gap.csv n,m --derive 'n=a<b' --derive 'm=a>=1'
    same_with_gaps one_gap.csv m,k --derive 'n=a<b' --derive 'm=n==true' --derive 'k=bin(a,10)'
    same_with_gaps one_date.csv x,y,n --derive 'n=age(x,y)'
    same_with_gaps one_date.csv l,born --derive 'n=age(x,y)' --derive 'born=year(x)' --derive 'l=n>=3'
    refuse 65 "column birth: the field is empty" "$HEBATCH" encrypt --key keys/public.h5 gaps.csv x.heb \
        --derive 'year=year(birth)' --columns year
    absent x.heb
}

reals() {
    expect 0 "$HEBATCH" keygen --params ckks-13 --out reals
    expect 0 "$HEBATCH" encrypt --key reals/public.h5 all.csv r.heb --derive 'years=age(birth, seen)' \
        --derive 'group = bin(age, 0..17, 18..64, 65..)' --derive 'quarter=quarter(birth)' --derive 'old=age>=65' \
        --columns years,group,quarter,old
    expect 0 "$HEBATCH" decrypt --key reals/secret.h5 r.heb r.csv
    cut -d, -f1,2,5,8 wanted.csv >some_wanted.csv
    compare r.csv some_wanted.csv
}

hdf5() {
    "$PYTHON" - <<'PYTHON'
import csv, h5py, numpy as np
rows = list(csv.DictReader(open("all.csv")))
with h5py.File("t.h5", "w") as file:
    file["t/age"] = np.array([int(row["age"]) for row in rows], dtype=np.int8)
    file["t/weight"] = np.array([int(row["age"]) for row in rows], dtype=np.int8)
PYTHON
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.h5:/t h.heb --derive 'group=bin(age, 0..17, 18..64, 65..)' \
        --derive 'old=age >= 65' --columns group,old
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 h.heb h.csv
    cut -d, -f2,8 wanted.csv >some_wanted.csv
    same h.csv some_wanted.csv
}

# The commands that params suggest prints run as they are, and ask takes the same options.
suggested() {
    expect 0 "$HEBATCH" params suggest "$question" --table p=gaps.csv --derive "icu=ward == 'ICU'" \
        --derive 'group=bin(age, 0..17, 18..64, 65..)' --derive 'year=year(birth)' --missing age=drop
    # shellcheck disable=SC2016 # the shell that runs the lines knows HEBATCH
    grep '^ *hebatch \(keygen\|encrypt\|eval\)' out | sed 's/^ *hebatch/"$HEBATCH"/; s/KEYS/suggested/g' >lines.sh
    grep -q -- "--derive .*icu=ward == .*--derive .*--missing age=drop" lines.sh || fail "$(cat lines.sh)"
    if grep -q 'year(birth)' lines.sh; then
        fail "a column that is not read is made"
    fi
    mkdir printed && cp gaps.csv lines.sh printed
    # shellcheck disable=SC1091
    (cd printed && . ./lines.sh) >out 2>err || fail "the printed commands fail"
    expect 0 "$HEBATCH" decrypt --key printed/suggested/secret.h5 printed/g.heb suggested.csv
    "$PYTHON" tables.py counts gaps.csv suggested_wanted.csv
    same suggested.csv suggested_wanted.csv
    expect 0 "$HEBATCH" ask 'groupby(group, count(), count(icu))' all.csv --derive "icu=ward == 'ICU'" \
        --derive 'group=bin(age, 0..17, 18..64, 65..)' --out asked.csv
    sed 's/p\.//' counts.csv >asked_wanted.csv
    compare asked.csv asked_wanted.csv
    expect 0 "$HEBATCH" ask 'n = count(old); m = count(old is missing)' gaps.csv --derive 'years=age(birth, seen)' \
        --derive 'old=years >= 65' --out asked_gaps.csv
    "$PYTHON" tables.py old wanted_gaps.csv asked_gaps_wanted.csv
    same asked_gaps.csv asked_gaps_wanted.csv
}

refused() {
    tail_of="--key keys/public.h5 all.csv x.heb"
    # shellcheck disable=SC2086
    {
        refuse 64 "there is no function 'decade'" "$HEBATCH" encrypt --derive 'd=decade(age)' $tail_of
        refuse 64 "there is no column 'agee'" "$HEBATCH" encrypt --derive 'd=bin(agee, 10)' --columns d $tail_of
        refuse 64 "have numbers in common" "$HEBATCH" encrypt --derive 'd=bin(age, 0..9, 9..)' --columns d $tail_of
        refuse 64 "column 'age' holds no dates" "$HEBATCH" encrypt --derive 'd=month(age)' --columns d $tail_of
        refuse 64 "the table has a column of that name" \
            "$HEBATCH" encrypt --derive 'age=year(birth)' --columns age $tail_of
        refuse 65 "column age, --derive 'd=bin(age, 5..)': the value is in no bin" \
            "$HEBATCH" encrypt --derive 'd=bin(age, 5..)' --columns d $tail_of
        grep -q 'row 1 (line 2)' err || fail "the row is not named"
        refuse 64 "'d=bin(age, 10)': --columns does not name 'd': add it there" \
            "$HEBATCH" encrypt --derive 'd=bin(age, 10)' --columns age $tail_of
    }
    absent x.heb
}

# An option that would have no effect is refused by every command that takes it; a column that another one is made of
# needs no place in --columns.
without_effect() {
    refuse 64 "--columns does not name 'd'" \
        "$HEBATCH" params suggest 'y = sum(a.age)' --table a=all.csv --columns age --derive 'd=bin(age, 10)'
    refuse 64 "--derive says how a table is read: it goes with --table" \
        "$HEBATCH" params suggest 'y = sum(a.age)' --rows 9 --range a.age=0..9 --derive 'd=bin(age, 10)'
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 all.csv of.heb --columns age,old --derive 'o=age >= 65' \
        --derive 'old=o == true'
    refuse 64 "--derive says how a table is read: it goes with --key and --against" \
        "$HEBATCH" verify of.heb --derive 'o=age >= 65'
    refuse 64 "all.csv has no column old, which of.heb has: if --derive made it, give that here, too" \
        "$HEBATCH" verify of.heb --key keys/secret.h5 --against all.csv
    cut -d, -f4 all.csv >wards.csv
    refuse 64 "wards.csv has no column age, which of.heb has" \
        "$HEBATCH" verify of.heb --key keys/secret.h5 --against wards.csv
    refuse 64 "the dataset has no column 'd': leave that --derive out" "$HEBATCH" verify of.heb --key keys/secret.h5 \
        --against all.csv --derive 'o=age >= 65' --derive 'old=o == true' --derive 'd=bin(age, 10)'
    expect 0 "$HEBATCH" verify of.heb --key keys/secret.h5 --against all.csv --derive 'o=age >= 65' \
        --derive 'old=o == true'
}

# Whole numbers and decimals, or decimals of two scales, are compared exactly, also those that no double tells apart.
scales() {
    printf 'x,y,z\n1,0.5,0.50\n2,2.0,2.01\n3,3.5,3.50\n9007199254740993,9007199254740992.5,9007199254740992.51\n' >s.csv
    printf '%s\n' -1,-1.5,-1.49 -9223372036854775807,-0.5,-0.49 9223372036854775807,1.5,0 >>s.csv
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 s.csv s.heb --scale y=10,z=100 --derive 'a=x > y' --derive 'b=y >= x' \
        --derive 'c=x == y' --derive 'd=y < z' --derive 'e=z != x' --columns a,b,c,d,e --force
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 s.heb -
    "$PYTHON" -c 'import csv, fractions, sys
rows = [[fractions.Fraction(v) for v in r] for r in list(csv.reader(open("s.csv")))[1:]]
want = [[x > y, y >= x, x == y, y < z, z != x] for x, y, z in rows]
got = [[v == "true" for v in r] for r in list(csv.reader(sys.stdin))[1:]]
assert got == want, (got, want)' <out || fail "comparisons of two scales"
}

# Days between two dates, as Python has them, with a bin and a condition of them; HDF5 of narrow integers, whose
# difference does not fit; as many rows appended.
differences() {
    expect 0 "$HEBATCH" ask 'sum(stay); sum(late)' gaps.csv --derive 'stay=days(birth, seen)' --derive 'late=birth - seen' \
        --out spans.csv
    "$PYTHON" - <<'PYTHON'
import csv, datetime as dt, h5py, numpy as np
day = dt.date.fromisoformat
rows = [row for row in csv.DictReader(open("gaps.csv")) if row["birth"] and row["seen"]]
total = sum((day(row["seen"]) - day(row["birth"])).days for row in rows)
assert [int(v) for v in list(csv.reader(open("spans.csv")))[1]] == [total, -total]
with h5py.File("n.h5", "w") as file:
    file["t/x"] = np.array([-100, 100, 5], dtype=np.int8)
    file["t/y"] = np.array([100, -100, 7], dtype=np.int8)
PYTHON
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 n.h5:/t n.heb --derive 'd=x - y' --derive 'e=x + y' --columns d,e
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 n.heb -
    [ "$(tr '\n' ' ' <out)" = 'd,e -200,0 200,0 -2,12 ' ] || fail "differences of narrow integers"
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 n.heb n_out.h5:/t
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 some.csv stays.heb --derive 'stay=days(birth, seen)' --columns stay
    expect 0 "$HEBATCH" encrypt --append --key keys/public.h5 more.csv stays.heb --derive 'stay=days(birth, seen)'
    expect 0 "$HEBATCH" verify stays.heb --key keys/secret.h5 --against all.csv --derive 'stay=days(birth, seen)'
    refuse 64 "--derive 'inner=seen - birth' --derive 'd=bin(inner, 0..3, 4..)'" \
        "$HEBATCH" ask 'groupby(d, count())' all.csv --derive 'd=bin(seen - birth, 0..3, 4..)'
}

integers
differences
missing
scales
reals
hdf5
suggested
refused
without_effect
