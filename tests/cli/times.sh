#!/bin/sh
# Times of day: read in a unit, printed again, compared and subtracted as Python's datetime has it; what is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(CDPATH='' cd -- "${0%/*}" && pwd)

cat >times.py <<'PYTHON'
"""make: writes stays.csv, as it comes, and wanted.csv, as decrypt prints it. check: holds results to datetime."""
import csv
import datetime
import random
import sys

UTC, STEP = datetime.timezone.utc, {"hours": 3600, "minutes": 60, "seconds": 1}
FIRST, LAST = datetime.datetime(1970, 1, 1), datetime.datetime(2099, 12, 31, 23, 59, 59)


def some_time(unit):
    span = int((LAST - datetime.datetime(1890, 1, 1)).total_seconds()) // STEP[unit]
    return datetime.datetime(1890, 1, 1) + datetime.timedelta(seconds=STEP[unit] * random.randrange(span))


def written(time, zone):
    """The time in one of several spellings, of another zone where it has one."""
    if zone is not None:
        time = time.replace(tzinfo=UTC).astimezone(datetime.timezone(datetime.timedelta(minutes=zone)))
    text = time.isoformat(sep=random.choice("T "))
    return text.replace("+00:00", "Z") if random.random() < 0.5 else text


def make():
    random.seed(20261128)
    rows = [[some_time("minutes"), some_time("minutes"), some_time("seconds"), some_time("hours")] for _ in range(40)]
    rows.append([datetime.datetime(2024, 2, 29, 23, 59), datetime.datetime(1900, 3, 1), LAST, FIRST])
    with open("stays.csv", "w") as given, open("wanted.csv", "w") as wanted:
        for file in (given, wanted):
            file.write("arrived,left,seen,hour\n")
        for a, b, c, d in rows:
            zone = random.choice([0, 60, 120, 330, -480, -570])
            given.write(f"{written(a, None)},{written(b, None)},{written(c, zone)},{written(d, None)}\n")
            wanted.write(f"{a:%Y-%m-%dT%H:%M},{b:%Y-%m-%dT%H:%M},{c:%Y-%m-%dT%H:%M:%S}Z,{d:%Y-%m-%dT%H:%M}\n")


def check():
    wanted = list(csv.reader(open("wanted.csv")))[1:]
    rows = [[datetime.datetime.fromisoformat(text.removesuffix("Z")) for text in row] for row in wanted]
    found = list(csv.reader(open("y.csv")))[1:]
    for (a, b, c, d), (stay, later, since, before) in zip(rows, found, strict=True):
        minutes = datetime.timedelta(minutes=1)
        assert int(stay) == (b - a) // minutes, (stay, a, b)
        assert later == f"{a + 90 * minutes:%Y-%m-%dT%H:%M}", (later, a)
        assert int(since) == (c - datetime.datetime(2000, 1, 1)) // datetime.timedelta(seconds=1), (since, c)
        assert before == f"{d - datetime.timedelta(hours=5):%Y-%m-%dT%H:%M}", (before, d)


{"make": make, "check": check}[sys.argv[1]]()
PYTHON
"$PYTHON" times.py make || fail "no table"

# A unit for each column; 34 bits hold seconds of these years on both sides of 0.
reading="--time-of-day minutes,seen=seconds,hour=hours"
expect 0 "$HEBATCH" keygen --n 4096 --bits 53,53 --plain-bits 34 --out keys
refuse 65 'row 1 (line 2), column arrived: the field is no date: it has a time of day (--time-of-day drop' \
    "$HEBATCH" encrypt --key keys/public.h5 stays.csv x.heb
# shellcheck disable=SC2086
expect 0 "$HEBATCH" encrypt --key keys/public.h5 stays.csv x.heb $reading --range measured
complains 'column seen: times are read in another spelling or zone; decrypt writes YYYY-MM-DDTHH:MM:SSZ to a CSV'
expect 0 "$HEBATCH" info x.heb
says 'times in minutes'
says 'times in seconds, UTC'
says 'times in hours'
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 x.heb x.csv
same wanted.csv x.csv
expect 0 "$HEBATCH" verify --key keys/secret.h5 x.heb --against stays.csv

# Computed with: the time between two times knows what it counts, and says it.
expect 0 "$HEBATCH" eval --keys keys \
    "y = (p.left - p.arrived, p.arrived + 90, p.seen - '2000-01-01T00:00:00Z', p.hour - 5)" p=x.heb y=y.heb
expect 0 "$HEBATCH" info y.heb
says ', minutes'
says ', seconds'
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
expect 0 "$PYTHON" times.py check
refuse 64 "one side counts minutes and the other one seconds\|one side counts seconds and the other one minutes" \
    "$HEBATCH" eval --keys keys 'z = p.seen + (p.left - p.arrived)' p=x.heb z=z.heb
refuse 64 "'2000-01-01T00:00' has no zone" \
    "$HEBATCH" eval --keys keys "z = p.seen - '2000-01-01T00:00'" p=x.heb z=z.heb
refuse 64 "'2000-01-01' is a date: left has times in minutes" \
    "$HEBATCH" eval --keys keys "z = p.left - '2000-01-01'" p=x.heb z=z.heb
refuse 64 'two times cannot be added' "$HEBATCH" eval --keys keys 'z = p.left + p.arrived' p=x.heb z=z.heb
# A number of minutes of a file knows it, too.
refuse 64 'one side counts minutes and the other one hours' \
    "$HEBATCH" eval --keys keys 'z = p.hour + y.1' p=x.heb y=y.heb z=z.heb

# Rows that come later have the dataset's unit and its zone, or none.
printf '%s\n' arrived,left,seen,hour \
    '2026-11-28T14:03,2026-11-28T15:00,2026-11-28T14:03:05+02:00,2026-11-28 14:00' >more.csv
years=1890-01-01T00:00..2100-01-01T00:00
expect 0 "$HEBATCH" encrypt --append --key keys/public.h5 more.csv x.heb \
    --range "seen=1890-01-01T00:00Z..2100-01-01T00:00Z,arrived=$years,left=$years,hour=$years"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 x.heb x.csv --force
[ "$(tail -n 1 x.csv)" = 2026-11-28T14:03,2026-11-28T15:00,2026-11-28T12:03:05Z,2026-11-28T14:00 ] ||
    fail "another row was added: $(tail -n 1 x.csv)"
expect 0 "$HEBATCH" info x.heb
says '1890-01-01T00:00:00Z..2100-01-01T00:00:00Z'
sed 's/:05+02:00//' more.csv >zoneless.csv
refuse 65 'column seen: .*it has no zone, where the column has one' \
    "$HEBATCH" encrypt --append --key keys/public.h5 zoneless.csv x.heb
sed 's/14:00$/14:30/' more.csv >half.csv
refuse 65 'column hour: .*it is no whole hour' "$HEBATCH" encrypt --append --key keys/public.h5 half.csv x.heb
refuse 64 "column 'hour' has times in hours, and is to be read as times in minutes" \
    "$HEBATCH" encrypt --append --key keys/public.h5 more.csv x.heb --time-of-day hour=minutes

# A t that is too small for the unit; a range that is none of the column.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out small
refuse 65 'Times up to the year 2099 take 32 bits in seconds, 27 in minutes, 21 in hours: --time-of-day' \
    "$HEBATCH" encrypt --key small/public.h5 more.csv s.heb --time-of-day seconds --columns arrived
refuse 64 'column 1 of .* holds times in hours, and the range has others' \
    "$HEBATCH" encrypt --key keys/public.h5 more.csv s.heb --time-of-day hours --columns hour \
    --range hour=2026-01-01T00:30..2027-01-01T00:00
refuse 64 'column 1 of .* holds no times with a zone' \
    "$HEBATCH" encrypt --key keys/public.h5 more.csv s.heb --time-of-day hours --columns hour \
    --range hour=2026-01-01T00:00Z..2027-01-01T00:00Z

# ask finds the largest unit in which all times are whole, and compares with times.
printf '%s\n' ward,arrived,seen icu,2026-11-01T08:30,2026-11-01T09:00+01:00 \
    lab,2026-11-02T10:00,2026-11-02T12:00+02:00 >stays.csv
expect 0 "$HEBATCH" ask "count(arrived >= '2026-11-02T08:00')" stays.csv --dry-run
says '--time-of-day arrived=minutes'
expect 0 "$HEBATCH" ask "(mean(arrived - '2026-11-01T00:00'), mean(seen - '2026-11-01T00:00Z'))" stays.csv
tail -n 1 out | grep -q '^1275,21$' || fail "another mean: $(cat out)"
complains 'arrived: times in minutes; seen: times in hours'
answer=$(find hebatch-ask -name 'answer*.heb')
expect 0 "$HEBATCH" info "$answer"
says "mean(stays.arrived - '2026-11-01T00:00') (minutes), mean(stays.seen - '2026-11-01T00:00Z') (hours)"

# Python has them as datetime64[s].
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" HEBATCH="$HEBATCH" expect 0 "$PYTHON" - <<'PYTHON'
import numpy
import hebatch
program = hebatch.Program()
times = numpy.array(["2026-11-28T14:03:00", "1969-12-31T23:59:00"], "datetime64[ns]")
program.encrypt({"at": times, "n": [1, 2]}, "p.heb", key="keys/public.h5", time_of_day="minutes")
back = program.decrypt("p.heb", key="keys/secret.h5")
assert back["at"].dtype == numpy.dtype("datetime64[s]"), back["at"].dtype
assert (back["at"] == times).all()
PYTHON
