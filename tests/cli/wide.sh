#!/bin/sh
# Integers of up to 128 bits over several plain moduli: tables to datasets and back, random programs against Python's
# integers, ranges up to the product of the moduli, jobs that are continued, and what is refused.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$(dirname "$0")/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

# Parameters of milliseconds, above the security table: three plain moduli of 50 bits, room for one product.
WIDE="--n 1024 --bits 55,55,55,55,56 --plain-bits 50 --insecure"
expect 0 "$HEBATCH" keygen $WIDE --wide 138 --out keys --relin --rotations sum --swap --quiet
expect 0 "$HEBATCH" info keys
says "t 3 of 50 bits"
expect 0 "$HEBATCH" params show $WIDE --wide 140
says "3 plain moduli: .*; their product has 150 bits"
refuse 64 "leave one out" "$HEBATCH" params show --params bfv-8192 --wide 64 --plain 65537
refuse 78 "8 of 60 bits at most" "$HEBATCH" params show --params bfv-8192 --wide 200 --plain-bits 20

# Beside what such parameters always say.
deny() {
    denied=$1
    reason=$2
    shift 2
    expect "$denied" "$@" --quiet
    [ "$(grep -vc "INSECURE PARAMETERS" err)" = 1 ] || fail "a refusal is one line: $*"
    grep -q -- "$reason" err || fail "the reason does not say '$reason': $*"
}

# There and back, also with ranks and in HDF5.
expect 0 "$PYTHON" "$here/wide.py" make 1 1500
for name in t u; do
    expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --range measured $name.csv $name.heb
done
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 t.heb back.csv
refuse 64 "standard input: .* several plain moduli" "$HEBATCH" decrypt --key - t.heb none.csv <keys/secret.h5
same t.csv back.csv
for r in 0 1 2; do
    absent back.csv.residue-$r.h5 back.csv.residue-$r.h5.partial
done
expect 0 "$HEBATCH" verify --quiet --key keys/secret.h5 --against t.csv t.heb
says "equal to t.csv"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.csv new.heb
! grep -q continued err || fail "a new job says that it was continued"
all=$(sed -n 's/.*ciphertexts  .* for each of 3 plain moduli, //p' err | head -n 1)
grep -q "ranks  *1, .* ciphertexts for each of 3 plain moduli, $all\$" err || fail "the only rank has not all that there is"
deny 1 "differ first in row" "$HEBATCH" verify --key keys/secret.h5 --against u.csv t.heb
expect 0 "$HEBATCH" verify --quiet t.heb
expect 0 $MPIRUN -n 2 "$HEBATCH" encrypt --quiet --key keys/secret.h5 t.csv t2.heb
expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --quiet --key keys/secret.h5 t2.heb back2.csv
same t.csv back2.csv
expect 0 "$HEBATCH" info t.heb
says "^ciphertexts .* for each of 3 plain moduli"
# It says how many bytes are on the disk, but for headers and for gaps that keep files in pages.
"$HEBATCH" info t.heb --json | "$PYTHON" -c 'import glob, json, os, sys
said, there = json.load(sys.stdin)["stored_bytes"], sum(os.path.getsize(f) for f in glob.glob("t.heb/part-*"))
assert said <= there <= 1.3 * said + 300000, (said, there)' || fail "sizes are not those of all residues"
# Columns that are made have the ranges of their functions, also with missing cells.
printf 'a,d,at,e\n9000000000000000,2024-01-01,2024-01-01T10:30,2023-05-01\n' >dates.csv
printf -- '-9000000000000001,2024-02-01,2024-01-01T23:59,\n' >>dates.csv
made="--derive q=quarter(d) --derive m=month(d) --derive y=year(d) --derive w=weekday(d) --derive h=hour(at)
    --derive g=age(e,d) --derive qe=quarter(e) --derive me=month(e) --derive c=a>=3 --derive o=bin(a,..0,1..)"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 dates.csv dates.heb --time-of-day at=minutes --missing mask $made
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 dates.heb - --columns q,m,y,w,h,g,qe,me,c,o
says "^1,1,2024,Monday,10,0,2,5,true,1\.\.$"
says "^1,2,2024,Thursday,23,,,,false,\.\.0$"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" verify --quiet --key keys/secret.h5 --against dates.csv dates.heb $made
says "equal to dates.csv"
# So does the plan of a computation, of what is read and of what is made.
expect 0 "$HEBATCH" eval --dry-run --keys keys 'y = t.a' t=t.heb y=plan.heb
said=$("$HEBATCH" info t.heb | sed -n 's/^size *\([^,]*\),.*/\1/p')
says "^disk  *$said to read, "
says "^y  *plan.heb: 1500 rows x 1 column, 2 ciphertexts for each of 3 plain moduli, "
expect 0 "$HEBATCH" eval --quiet --keys keys 'y = t.a' t=t.heb y=plan.heb
expect 0 "$HEBATCH" eval --dry-run --keys keys 'y = t.a' t=t.heb y=planned.heb
planned=$(sed -n 's/^y  *planned.heb: .* moduli, //p' out)
[ "$planned" = "$("$HEBATCH" info plan.heb | sed -n 's/^size *\([^,]*\),.*/\1/p')" ] ||
    fail "the plan says $planned of a result of another size"
expect 0 "$HEBATCH" info t.heb
says "signed and unsigned integers of 128 bits"
says "^column       'c': values -1000..1000$"
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 t.heb t.h5:/x
"$PYTHON" - <<'END' || fail "128 bits in HDF5"
import csv, h5py
cells = h5py.File("t.h5")["x"][:]
assert cells.dtype.names == ("low", "high"), cells.dtype
rows = [[int(v) for v in row] for row in list(csv.reader(open("t.csv")))[1:]]
assert [[int(c["high"]) * 2**64 + int(c["low"]) for c in row] for row in cells] == rows
END

# Integers above 64 bits are compared as they were read.
printf 'a,b\n%s,0\n-1,%s\n' -170141183460469231731687303715884105728 340282366920938463463374607431768211455 >ends.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 ends.csv ends.heb
expect 0 "$HEBATCH" verify --quiet --key keys/secret.h5 --against ends.csv ends.heb
sed 's/-1,/-2,/' ends.csv >other.csv
deny 1 "differ first in row 2, column 'a'" "$HEBATCH" verify --key keys/secret.h5 --against other.csv ends.heb
sed 's/,0/,340282366920938463463374607431768211456/' ends.csv >other.csv
deny 65 "row 1 (line 2), column b: the integer does not fit in 128 bits" "$HEBATCH" verify --key keys/secret.h5 \
    --against other.csv ends.heb

# Numbers of 64 bits go into HDF5 and out of it in the types that it has.
"$PYTHON" - <<'END' || fail "no table"
import h5py, random
with h5py.File("in.h5", "w") as f:
    f["x"] = [[random.randint(-2**63, 2**63 - 1) for _ in range(2)] for _ in range(1100)]
END
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --range measured in.h5:/x x.heb
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 x.heb out.h5:/x
"$PYTHON" -c 'import h5py
x, y = h5py.File("in.h5")["x"], h5py.File("out.h5")["x"]
assert x.dtype == y.dtype and (x[:] == y[:]).all()' || fail "64 bits in HDF5"

# Random programs. Values that may pass 128 bits are wanted modulo 2^128.
program=$("$PYTHON" "$here/wide.py" program 2 12)
outputs=$(i=0 && while [ $i -lt 12 ]; do echo "y$i=y$i.heb" && i=$((i + 1)); done)
expect 0 "$HEBATCH" eval --quiet --keys keys "$program" t=t.heb u=u.heb w=w.csv $outputs
for y in $outputs; do
    expect 0 "$HEBATCH" decrypt --quiet --modulo 128 --key keys/secret.h5 "${y#*=}" "${y%=*}.csv"
done
expect 0 "$PYTHON" "$here/wide.py" check 1 1500
expect 0 $MPIRUN -n 2 "$HEBATCH" eval --quiet --keys keys 'y0 = t.a*t.b; s = sum(y0)' t=t.heb y0=p2.heb s=s2.heb
expect 0 "$HEBATCH" eval --quiet --keys keys 'y0 = t.a*t.b; s = sum(y0)' t=t.heb y0=p1.heb s=s1.heb
expect 0 $MPIRUN -n 2 "$HEBATCH" eval --quiet --limb-ranks 2 --keys keys 'y0 = t.a*t.b; s = sum(y0)' t=t.heb y0=p3.heb s=s3.heb
for x in p s; do
    expect 0 "$HEBATCH" verify --quiet --same-as ${x}1.heb ${x}2.heb
    expect 0 "$HEBATCH" verify --quiet --same-as ${x}1.heb ${x}3.heb
done
"$PYTHON" - <<'END' || fail "the report is not of all moduli"
import json
for name in ("p1", "p2", "p3"):
    report = json.load(open(name + ".heb.report.json"))
    assert report["steps_done"] == 3 * report["plan"]["steps"] > 0, report
    assert report["plan"]["keys"] > 1 and report["plan"]["key_seconds"] > 0, report
    # The plan predicts parts, which make the whole, and the report has the phases of both.
    planned, times = report["plan"]["predicted"], report["times"]
    parts, loop = planned["parts"], "read arrange upload compute download write fill".split()
    around = "start driver tables check exchange inputs keys output memory diagonals totals commit".split()
    assert sorted(parts) == sorted(loop + around) and planned["bound"] in loop, planned
    assert all(parts[part] > 0 for part in "start tables inputs keys output memory read compute fill totals commit".split())
    assert abs(sum(parts[part] for part in around) + planned["loop"] - planned["total"]) < 1e-9, planned
    assert sorted(times["predicted"]) == sorted(times["phases"]), times
    assert abs(times["predicted"]["total"] - planned["total"]) < 1e-9 and times["predicted"]["loop"] == planned["loop"]
END

# Reports are of all moduli: bytes as the plan has them, units and times of each, and nothing was continued. The least
# noise budget of decrypted values counts.
expect 0 "$HEBATCH" eval --dry-run --quiet --json --keys keys 'y = t.a*t.b; s = sum(y)' t=t.heb y=q.heb s=r.heb
mv out planned
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 --json p1.heb p1.csv
mv out decrypted
expect 0 "$HEBATCH" verify --quiet --key keys/secret.h5 --against t.csv --json t.heb
mv out verified
expect 0 "$HEBATCH" add t.heb t2.heb added.heb --wrap
"$PYTHON" - <<'END' || fail "reports are of one modulus"
import json
read = lambda name: json.load(open(name))
plan, report = read("planned")["plan"], read("p1.heb.report.json")
same = ("output_bytes", "input_bytes", "steps", "ciphertexts")
assert all(plan.get(key) == report["plan"].get(key) for key in same), (plan, report["plan"])
assert all(not output["resumed"] and output["there"] == 0 for output in report["outputs"]), report["outputs"]
for name in ("t", "added"):
    report = read(name + ".heb.report.json")
    plan, units = report["plan"], report["units"]
    assert plan["output_bytes"] > plan["stored_bytes"] > 2.9 * plan["ciphertexts"] * plan["ciphertext_bytes"], plan
    assert units == {"resumed": False, "there": 0, "todo": 3 * plan["units"], "done": 3 * plan["units"]}, units
    loop = report["times"]["loop"]
    assert loop["units"] == sum(rank["units"] for rank in report["by_rank"]), report
    assert name == "added" or loop["units"] == 3 * plan["units"], report
END
for name in decrypted verified; do
    "$PYTHON" -c 'import json, sys
bits = json.load(open(sys.argv[1]))["noise_budget_bits"]
assert bits["proven"] <= bits["least"] <= bits["mean"], bits' $name || fail "the noise of $name"
done

# Ranges count to the product of all moduli.
deny 65 "s may leave the plain range.*the product of 3 plain moduli.*keygen --wide makes" \
    "$HEBATCH" eval --keys keys 's = sum(1000000 * t.b * u.b)' t=t.heb u=u.heb s=s.heb
expect 0 "$HEBATCH" eval --quiet --keys keys 's = sum(t.b)' t=t2.heb s=unknown.heb
grep -q "the range of values is not known of t.b" err || fail "an unknown range is not named"
printf 'a,b\n,1\n1,5\n' >gap.csv
deny 65 "gap.csv: row 2 (line 3), column 'b': the value is outside 0 .. 2, which --range says" \
    "$HEBATCH" encrypt --key keys/public.h5 --range b=0..2 --missing drop gap.csv no.heb
deny 65 "the value is outside 0 .. 2, which --range says" \
    "$HEBATCH" encrypt --key keys/public.h5 --range c=-1000..1000,b=0..2 t.csv no.heb
# A result that wrapped around the product of the moduli is no number modulo a power of two.
expect 0 "$HEBATCH" eval --quiet --keys keys --wrap 's = sum(1000000 * t.b * u.b)' t=t.heb u=u.heb s=wrapped.heb
deny 65 "column 's' may have wrapped" "$HEBATCH" decrypt --key keys/secret.h5 --modulo 64 wrapped.heb -
expect 0 "$HEBATCH" eval --quiet --keys keys 'p = t.a * t.b * 1000' t=t.heb p=large.heb
deny 65 "has more than 128 bits; --modulo 64" "$HEBATCH" decrypt --key keys/secret.h5 large.heb large.csv
expect 0 "$HEBATCH" decrypt --quiet --modulo 32 --key keys/secret.h5 large.heb large.h5:/x
"$PYTHON" -c 'import csv, h5py
rows = [[int(v) for v in row] for row in list(csv.reader(open("t.csv")))[1:]]
x = h5py.File("large.h5")["x"]
assert x.dtype == "int32" and [int(v) % 2**32 for v in x[:].flatten()] == [a * b * 1000 % 2**32 for a, b, c in rows]' ||
    fail "modulo 2^32"

# A job that ends between two residues goes on.
expect 0 "$HEBATCH" eval --quiet --keys keys 'y = t.a*u.a; s = sum(y)' t=t.heb u=u.heb y=whole.heb s=total.heb
cp -r whole.heb y.heb.partial
cp -r total.heb z.heb.partial
for name in y z; do
    rm -f $name.heb.partial/index-1.h5 $name.heb.partial/index-2.h5 $name.heb.partial/part-1-* $name.heb.partial/part-2-*
done
deny 73 "cannot be continued" \
    "$HEBATCH" eval --resume --keys keys 'y = t.a*u.a; s = sum(y)' t=t.heb u=u.heb y=y.heb s=z.heb
rm -r y.heb.partial z.heb.partial
"$PYTHON" - "$HEBATCH" <<'END' || fail "a job that was killed does not go on"
import os, subprocess, sys
silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
def kill(out, *args):
    args = [sys.argv[1], *args, "--quiet"]
    job = subprocess.Popen(args, **silent)
    while job.poll() is None and not os.path.exists(out + ".partial/part-1-00000.h5"):
        pass
    job.kill()
    job.wait()
    if not os.path.exists(out):
        assert os.path.exists(out + ".partial/index.h5")
        if args[1] == "encrypt": # the residue that is whole, too, is of the table's values
            other = subprocess.run([a.replace("many.csv", "other.csv") for a in args] + ["--resume"],
                                   capture_output=True, text=True)
            assert other.returncode == 65 and "other.csv has other values" in other.stderr, other
            args = [a.replace("many.csv", "copy.csv") for a in args]
        subprocess.run(args + ["--resume"], check=True, **silent)
rows = open("t.csv").read().split("\n", 1)
first, rest = rows[1].split("\n", 1)
open("many.csv", "w").write(rows[0] + "\n" + rows[1] * 40)
open("copy.csv", "w").write(rows[0] + "\n" + rows[1] * 40)
open("other.csv", "w").write(rows[0] + "\n" + (rest.split("\n")[0] + "\n" + rest) + rows[1] * 39)
kill("many.heb", "encrypt", "--key", "keys/public.h5", "many.csv", "many.heb")
kill("went.heb", "eval", "--keys", "keys", "y = m.a*m.b", "m=many.heb", "y=went.heb")
END
expect 0 "$HEBATCH" verify --quiet --key keys/secret.h5 --against many.csv many.heb
expect 0 "$HEBATCH" eval --quiet --keys keys 'y = m.a*m.b' m=many.heb y=once.heb
expect 0 "$HEBATCH" verify --quiet --same-as once.heb went.heb

# Ranges of decimals are shown as values are.
printf 'kg\n80.5\n-3.5\n' >kg.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 kg.csv kg.heb --scale kg=10 --range kg=-300..300
expect 0 "$HEBATCH" info kg.heb
says "'kg': values -300..300, decimals, 1 digit"

# Options and datasets that do not go together.
expect 0 "$HEBATCH" keygen $WIDE --out narrow --quiet
printf 'v\n1\n2\n' >small.csv
expect 0 "$HEBATCH" encrypt --quiet --key narrow/public.h5 small.csv narrow.heb --force
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 small.csv small.heb
deny 65 "different parameters" "$HEBATCH" eval --keys keys 'y = a + b' a=narrow.heb b=small.heb y=no.heb
deny 65 "was encrypted with key" "$HEBATCH" decrypt --key keys/secret.h5 narrow.heb no.csv
deny 64 "no other" "$HEBATCH" decrypt --modulo 8 --key narrow/secret.h5 narrow.heb no.csv
cp -r small.heb mixed.heb
cp t2.heb/index-1.h5 t2.heb/part-1-* mixed.heb
deny 65 "another dataset than the last of the residues" "$HEBATCH" verify mixed.heb
rm mixed.heb/index-2.h5
deny 66 "is missing or unreadable: a part of dataset" "$HEBATCH" verify mixed.heb
deny 78 "SEAL has one plain modulus" "$HEBATCH" export small.heb no
deny 78 "SEAL has one plain modulus" "$HEBATCH" export keys no
deny 65 "2 rows stand before it" "$HEBATCH" concat small.heb small.heb no.heb
deny 65 "another key pair" "$HEBATCH" concat narrow.heb small.heb no.heb
absent no.heb no.heb.partial no.csv no

# Several tables as one, of which one alone has negative values; part of a table.
printf 'v\n5\n-170141183460469231731687303715884105728\n' >less.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 small.csv less.csv both.heb
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 both.heb both.csv
printf 'v\n1\n2\n5\n-170141183460469231731687303715884105728\n' | cmp -s - both.csv || fail "two tables as one"
expect 0 "$HEBATCH" decrypt --quiet --rows 2..3 --columns c,a --key keys/secret.h5 t.heb part.csv
sed -n 3,4p t.csv | awk -F, 'BEGIN { print "c,a" } { print $3 "," $1 }' >part
same part part.csv

# Datasets behind one another: whole row blocks without a sign and with one, ranges that hold both, sums as if made at once.
"$PYTHON" -c 'for name, low in (("up", 2**70), ("down", -2**90)):
    open(name + ".csv", "w").write("v\n" + "".join(f"{low + i}\n" for i in range(1024)))'
for name in up down; do
    expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --range measured $name.csv $name.heb
done
expect 0 "$HEBATCH" concat --quiet up.heb down.heb up.heb joined.heb
absent joined.heb.partial
expect 0 "$HEBATCH" verify --quiet joined.heb
expect 0 "$HEBATCH" info joined.heb
says "^column .*values -1237940039285380274899124224..1180591620717411304447$"
expect 0 "$HEBATCH" eval --quiet --keys keys 's = sum(v)' v=joined.heb s=sum.heb
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 joined.heb joined.csv
{ cat up.csv && sed 1d down.csv && sed 1d up.csv; } | cmp -s - joined.csv || fail "datasets behind one another"
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 sum.heb -
"$PYTHON" -c 'values = [int(v) for v in open("joined.csv").read().split()[1:]]
assert int(open("out").read().split()[1]) == sum(values)' || fail "the sum of datasets behind one another"
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 up.csv high.heb
deny 65 "above half of the product" "$HEBATCH" concat high.heb down.heb no.heb
cp -r down.heb hurt.heb
"$PYTHON" -c 'import h5py
with h5py.File("hurt.heb/part-2-00000.h5", "r+") as f:
    f["ct/c1/q01"][0] = 0'
deny 65 "hurt.heb" "$HEBATCH" concat up.heb hurt.heb no.heb
absent no.heb no.heb.partial

# To standard output, all and parts, which go through memory.
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 t.heb -
same t.csv out
expect 0 "$HEBATCH" decrypt --quiet --rows 2..3 --columns c,a --key keys/secret.h5 t.heb -
same part out
expect 0 "$HEBATCH" decrypt --quiet --modulo 8 --rows 1500 --columns b --key keys/secret.h5 t.heb -
sed -n 1501p t.csv | "$PYTHON" -c 'print("b", int(input().split(",")[1]) % 2**8, sep="\n")' >part
same part out
# Nothing else is read: the last unit of residue 1 is damaged.
cp -r t.heb damaged.heb
"$PYTHON" -c 'import h5py
with h5py.File("damaged.heb/part-1-00000.h5", "r+") as f:
    f["ct/c0/q00"][-1] = 0'
deny 65 "damaged.heb" "$HEBATCH" decrypt --key keys/secret.h5 damaged.heb -
[ ! -s out ] || fail "values of a table that is damaged"
expect 0 "$HEBATCH" decrypt --quiet --rows 1001..1003 --columns a,b --key keys/secret.h5 damaged.heb part.h5:/x
"$PYTHON" -c 'import csv, h5py
rows = [[int(v) for v in row[:2]] for row in list(csv.reader(open("t.csv")))[1001:1004]]
x = h5py.File("part.h5")["x"][:]
assert [[int(c["high"]) * 2**64 + int(c["low"]) for c in row] for row in x] == rows' || fail "rows to HDF5"

# Totals above 64 bits: sums in whole, means and variances as the doubles nearest to what they are; of decimals too.
"$PYTHON" -c 'import random
r = random.Random(7)
print("k,big,kg")
for i in range(9):
    print(i % 3, r.randint(-2**62, 2**62), "%d.%02d" % (r.randint(-10**15, 10**15), r.randint(0, 99)), sep=",")' >totals.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --range measured --scale kg=100 totals.csv totals.heb
text='s = (sum(x.big), mean(x.big), var(x.kg), mean(x.kg)); g = groupby(x.k, sum(x.big), mean(x.kg), count())'
expect 0 "$HEBATCH" eval --quiet --keys keys "$text" x=totals.heb s=s.heb g=g.heb
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 s.heb s.csv
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 g.heb g.csv
"$PYTHON" - <<'END' || fail "totals above 64 bits"
import csv, fractions, statistics
F = fractions.Fraction
rows = [dict(zip(r, map(F, r.values()))) for r in csv.DictReader(open("totals.csv"))]
big, kg = [r["big"] for r in rows], [r["kg"] for r in rows]
(s,) = csv.DictReader(open("s.csv"))
wanted = [sum(big), float(statistics.mean(big)), float(statistics.variance(kg)), float(statistics.mean(kg))]
assert [F(list(s.values())[0])] + [float(v) for v in list(s.values())[1:]] == wanted, (s, wanted)
for g in csv.DictReader(open("g.csv")):
    some = [r for r in rows if r["k"] == F(g["k"])]
    assert F(g["sum(x.big)"]) == sum(r["big"] for r in some) and F(g["count()"if "count()" in g else "count"]) == len(some), g
    assert float(g["mean(x.kg)"]) == float(statistics.mean([r["kg"] for r in some])), g
END
deny 78 "that one type of an HDF5 dataset does not hold beside the other columns" "$HEBATCH" decrypt --key \
    keys/secret.h5 g.heb g.h5:/g
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 g.heb g.h5:/g --columns k,count

# Residues are of numbers: not of what is worked out of totals, nor of what stands for something else.
for result in s g; do
    deny 64 "has means, which are worked out of totals" "$HEBATCH" decrypt --key keys/secret.h5 --modulo 64 $result.heb no.csv
done
deny 64 "column 'kg' has decimals, 2 digits" "$HEBATCH" decrypt --key keys/secret.h5 --modulo 8 totals.heb no.csv
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 --modulo 8 --columns big totals.heb -
absent no.csv
# Results that no decryption shows are refused before they are computed: decimals, means and variances of more than 128
# bits in rows, totals and groups, also beside others; and dates that are in no calendar.
most=170141183460469231731687303715884105727
printf 'x,kg,d,n,v\n%s,1.5,2024-01-01,5,3\n%s,2.5,2024-01-03,7,36893488147419103232\n' $most $most >far.csv
printf 'k\n1\n2\n' >k.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --range measured --scale kg=10 --date d far.csv far.heb
for text in 'x.x*x.kg' 'sum(x.x*x.kg)' '(x.kg, x.x*x.kg)'; do
    deny 65 "y: values of column .* may have more than 128 bits, .* has decimals, 1 digit: .*--range, .*--scale" \
        "$HEBATCH" eval --keys keys "y = $text" x=far.heb y=no.heb
done
for text in 'mean(x.x*x.kg)' '(mean(x.kg), sum(x.x*2))' 'var(x.v)'; do
    deny 65 "y: values of column .* may have more than 128 bits, .* which are worked out of totals: .*--range" \
        "$HEBATCH" eval --keys keys "y = $text" x=far.heb y=no.heb
done
deny 65 "may have more than 128 bits, .* has decimals" \
    "$HEBATCH" eval --keys keys 'y = groupby(w.k, sum(x.x*x.kg))' x=far.heb w=k.csv y=no.heb
deny 65 "may have more than 128 bits, .* has means" \
    "$HEBATCH" eval --keys keys 'y = groupby(w.k, mean(x.kg), sum(x.x*4))' x=far.heb w=k.csv y=no.heb
deny 65 "column 'y' has dates or times, and may leave the years 1 to 9999" \
    "$HEBATCH" eval --keys keys 'y = x.d + x.n*1000000' x=far.heb y=no.heb
deny 65 "column 'y' has dates or times, and may leave the years 1 to 9999" \
    "$HEBATCH" eval --keys keys 'y = x.d + x.x' x=far.heb y=no.heb
absent no.heb no.heb.partial
# So are sums of datasets, with the dataset that makes them too large.
printf 'b,kg\n10633823966279326983230456482242756608,1.5\n' >b.csv
for i in 1 2 3; do
    expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --range measured --scale kg=10 b.csv b.heb --force
    expect 0 "$HEBATCH" eval --quiet --keys keys 'y = x.b*x.kg' x=b.heb y=b$i.heb
done
expect 0 "$HEBATCH" add --quiet b1.heb b2.heb two.heb
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 two.heb -
[ "$(sed -n 2p out)" = 31901471898837980949691369446728269824 ] || fail "not the sum of two datasets"
deny 65 "b3.heb: values of column .* may have more than 128 bits" "$HEBATCH" add b1.heb b2.heb b3.heb no.heb
absent no.heb no.heb.partial
# Results that can be shown are made: exact decimals and means up to 128 bits, dates, and whole numbers of any length.
expect 0 "$HEBATCH" eval --quiet --keys keys 'p = x.kg*x.kg; m = (mean(x.x), sum(x.kg)); d = x.d + x.n*100000; l = x.x*4' \
    x=far.heb p=p.heb m=m.heb d=d.heb l=l.heb --force
for result in "p p|2.25|6.25|" \
    "m mean(x.x),sum(x.kg)|$("$PYTHON" -c "print(float($most))"),4|" "d d|3392-12-14|3940-07-17|"; do
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 ${result%% *}.heb -
    [ "$(tr '\n' '|' <out)" = "${result#* }" ] || fail "not ${result#* }"
done
deny 65 "more than 128 bits; --modulo 64" "$HEBATCH" decrypt --key keys/secret.h5 l.heb no.csv
expect 0 "$HEBATCH" decrypt --quiet --modulo 64 --key keys/secret.h5 l.heb -
[ "$(sed -n 2p out)" = 18446744073709551612 ] || fail "not modulo 2^64"
# Where ranges are not known, too, with the option that says them: all that the moduli hold may come out.
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --scale kg=10 --date d far.csv unknown.heb --force
unknown() { # TEXT WHAT OPTION
    deny 65 "y: .*$2.*not all ranges of the inputs are known: say them, --range $3[ ,]*\(or encrypt\|$\)" \
        "$HEBATCH" eval --keys keys "z = x.v*2; y = $1" x=unknown.heb y=no.heb
}
unknown 'x.x*x.kg' "128 bits, .* column 'y' has decimals" 'x.x=LEAST..MOST,x.kg=LEAST..MOST'
unknown 'sum(x.kg)' "128 bits, .* has decimals" 'x.kg=LEAST..MOST'
unknown '(x.kg, x.kg + 1)' "128 bits, .* has decimals" 'x.kg=LEAST..MOST'
unknown 'mean(x.n)' "128 bits, .* has means" 'x.n=LEAST..MOST'
unknown 'var(x.v)' "128 bits, .* has variances" 'x.v=LEAST..MOST'
unknown 'x.d + x.n' "has dates or times, and may leave the years" 'x.d=LEAST..MOST,x.n=LEAST..MOST'
deny 65 "128 bits, .* has decimals.*--range x.kg=LEAST..MOST, or" \
    "$HEBATCH" eval --keys keys 'y = groupby(w.k, sum(x.kg))' x=unknown.heb w=k.csv y=no.heb
absent no.heb no.heb.partial
# A copy was read from cells and is shown; so are whole numbers, and results whose ranges are said.
kg='x.kg=0..100' && x="x.x=0..$most"
expect 0 "$HEBATCH" eval --quiet --keys keys 'c = (x.x, x.kg, x.d); s = sum(x.v*2)' x=unknown.heb c=c.heb s=s.heb --force
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 c.heb -
[ "$(sed -n 2p out)" = "$most,1.5,2024-01-01" ] || fail "not the copy of cells"
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 s.heb -
[ "$(sed -n 2p out)" = 73786976294838206470 ] || fail "not the sum of whole numbers"
expect 0 "$HEBATCH" eval --quiet --keys keys 'y = sum(x.kg)' x=unknown.heb y=y.heb --range $kg --force
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 y.heb -
[ "$(sed -n 2p out)" = 4 ] || fail "not the sum of decimals"
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --scale kg=10 --columns kg far.csv kgs.heb
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --scale kg=10 --columns kg far.csv more.heb
deny 65 "more.heb: values of column 'kg' may have more than 128 bits, .*are known: say them, --range, or" \
    "$HEBATCH" add kgs.heb more.heb no.heb
expect 0 "$HEBATCH" add --quiet --range kg=0..100 kgs.heb more.heb two.heb --force
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 two.heb -
[ "$(tr '\n' '|' <out)" = "kg|3|5|" ] || fail "not the sum of decimals whose range is said"
deny 65 "y: values of column .* has decimals, 1 digit: give tighter ranges of the inputs, --range" \
    "$HEBATCH" params suggest 'y = x.x*x.kg' --table x=far.csv --scale kg=10 --columns x,kg
# A weight that 64 bits do not hold is no other number, also where results may wrap.
printf 'x\n1\n' >one.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 --range x=0..9 one.csv one.heb
for weight in 9223372036854775808 100000000000000000000 -100000000000000000000; do
    printf 'w\n%s\n' "$weight" >weights.csv
    printf 'k,v\n1,%s\n' "$weight" >entries.csv
    deny 65 "a number of the plain table is 2^63 - 1 or larger" \
        "$HEBATCH" eval --keys keys --wrap 'y = w @ x' x=one.heb w=weights.csv y=no.heb
    deny 65 "a number of the plain table is 2^63 - 1 or larger" \
        "$HEBATCH" eval --keys keys --wrap 'y = lookup(x, w)' x=one.heb w=entries.csv y=no.heb
done
absent no.csv no.heb
echo PASSED
