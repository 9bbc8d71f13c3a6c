#!/bin/sh
# Labels, dates and truth values as reals: what may lie between two of them is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
printf 'p,l,d,out,t,a\n0.5,blue,2024-01-05,2024-01-08,true,0.5\n1,blue,2024-01-06,2024-01-06,false,2\n' >x.csv
printf 'days,half,on\n1,0.5,1\n2,1,0\n' >w.csv
expect 0 "$HEBATCH" keygen --n 2048 --levels 28 --scale-bits 45 --special-primes 5 --insecure --out keys --relin \
    --rotations sum
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 x.csv x.heb --category l=red,green,blue \
    --range p=0..1,a=0..4,d=2024-01-01..2024-12-31,out=2024-01-01..2024-12-31

# judge CODE WORDS TEXT...: plans each expression; WORDS (0: none) are the reason.
judge() {
    code_of_text=$1
    words=$2
    shift 2
    for text in "$@"; do
        plain=
        case $text in *w.*) plain=w=w.csv ;; esac
        # shellcheck disable=SC2086
        expect "$code_of_text" "$HEBATCH" eval --keys keys --dry-run "$text" x=x.heb $plain y=y.heb
        [ "$words" = 0 ] || complains "$words"
    done
}

# A date takes whole numbers of days, which errors cannot bring to another one.
judge 64 'days are whole numbers' 'y = x.d + 0.5' 'y = 0.5 + x.d' 'y = x.d - 0.5' 'y = x.d + x.p' 'y = x.p + x.d' \
    'y = x.d + x.t/2' 'y = x.d + x.t*0.5' 'y = x.d + (x.out - x.d)/2' 'y = x.d + 0.5*(x.out - x.d)' \
    'y = x.d - mean(x.t)' 'h = x.p; y = x.d + h' 'y = (x.d, x.out) + (x.out - x.d, x.p)' \
    'd = x.d; repeat 3 { d = d + x.p }; y = d' 'y = x.d + w.half' 'y = x.d - w.half' 'y = x.d + 0.5*w.days' \
    'y = x.d + w.half*w.on' 'y = (x.d, x.out) + (w.days, w.half)' 'y = max(x.d + w.half, x.out)'
judge 0 0 'y = x.d + 3' 'y = x.d - 3' 'y = x.d + w.days' 'y = x.d - 2*w.half' 'y = x.d + (x.out - x.d)' \
    'y = x.d + 2*(x.out - x.d)' 'y = x.d + (w.half == 1)' 'y = (x.d, x.out) + 1' 'y = x.d + x.t' \
    'y = -(x.d - x.out) + x.d'

# A condition is true or false: a comparison, or what was encrypted so. Any other real may lie between.
judge 64 'compare them, as x.p > 0.5' "y = where(x.p, 'red', x.l)" "y = where(x.p, '2024-12-31', x.d)" \
    "y = where(x.t*0.5, '2024-12-31', x.d)" 'y = count(x.p)' 'y = sum(x.p where x.p)' 'y = not x.p' 'y = x.t and x.p' \
    'y = x.p or x.a > 1' 'y = where(mean(x.t), x.a, 3)' 'y = where((x.t, x.p), x.a, 3)' 'y = mean(x.a where x.p)' \
    'y = groupby(x.l where x.p, count())' 'h = (x.t, x.p); y = where(h.2, x.a, 3)' \
    'y = where(where(x.t, x.p, x.t), x.a, 3)' \
    'y = where(max(x.a > 1, x.p), x.a, 3)' 'y = where(x.t - x.t*0.25, x.a, 3)' 'y = where(x.t*w.half, x.a, 3)'
judge 64 'the values of the plain table are others' 'y = sum(x.a where w.half)'
judge 0 0 "y = where(x.t, 'red', x.l)" "y = where(x.t, '2024-12-31', x.d)" 'y = count(x.t)' 'y = sum(x.a where x.t)' \
    'y = not x.t' 'c = x.a > 1; y = where(c and x.t, x.a, 3)' 'h = (x.t, x.a > 1); y = where(h.2, x.a, 3)' \
    'y = where(step(x.a - 1), x.a, 3)' 'y = where((x.a > 1)*x.t, x.a, 3)' 'y = where(rotate(x.a > 1, 1), x.a, 3)' \
    'y = where(x.t and w.on, x.a, 3)' 'y = sum(x.a where w.on)' 'y = where(where(x.p > 0.5, x.t, x.a > 1), x.a, 3)'

# A value that could be shown as another date is no result. A value in the gap of a comparison is no label: between two
# labels there may be a third one, so such a choice is refused unless --gap says that no row comes so near. A value that
# lies between two labels all the same is not decrypted.
printf 'l,d,a\nblue,1999-12-31,0.5\nblue,2024-01-06,2\ngreen,2000-01-01,1\n' >z.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 z.csv z.heb --category l=red,green,blue \
    --range a=0..4,d=1900-01-01..2100-12-31
for text in "y = where(x.a > 0.503, 'red', x.l)" "y = x.d + 3*(x.a > 0.503)" "c = x.a > 0.5; y = where(c and x.a < 3, 'red', x.l)" \
    "y = where(x.a > 0.5, x.d, '2000-01-01')" "y = where(step(x.a - 1), 'red', x.l)"; do
    refuse 65 "depend on a comparison of reals, and a row that is nearer to its threshold than 0" \
        "$HEBATCH" eval --keys keys "$text" x=z.heb y=c.heb
done
gap="--gap 0.0078125"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" eval --keys keys "y = where(x.a > 0.503, 'red', x.l)" x=z.heb y=c.heb $gap
refuse 65 "row 1, column 'y': the value is between two labels" "$HEBATCH" decrypt --key keys/secret.h5 c.heb c.csv
[ ! -e c.csv ] || fail "a table with a label that is none"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" eval --keys keys "y = where(x.a > 0.75, 'red', x.l)" x=z.heb y=c.heb --force $gap
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 c.heb c.csv
printf 'y\nblue\nred\nred\n' | cmp - c.csv || fail "not what was chosen"

# Whole numbers are told apart wherever they are, equal ones too: days, the days between two dates, truth values, labels,
# what is made of them, and beside constants with fractions. No result says that a value may count as a part.
cat >whole.py <<'EOF'
import csv, datetime, json, subprocess, sys
hebatch = sys.argv[1]
days = ["1900-01-01", "1969-12-31", "1970-01-01", "1999-12-30", "1999-12-31", "2000-01-01", "2000-01-02", "2100-12-31"]
rows = [(d, days[(3*i + 1) % 8], "red green blue".split()[i % 3], bool(i % 2)) for i, d in enumerate(days)]
with open("whole.csv", "w") as out:
    out.write("d,e,l,t\n" + "".join(f"{d},{e},{l},{str(t).lower()}\n" for d, e, l, t in rows))
def run(*words):
    done = subprocess.run([hebatch, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done
run("encrypt", "--key", "keys/secret.h5", "whole.csv", "whole.heb", "--category", "l=red,green,blue",
    "--range", "d=1900-01-01..2100-12-31,e=1900-01-01..2100-12-31")
D = lambda text: datetime.date.fromisoformat(text).toordinal()
new = D("2000-01-01")
asked = {
    "x.d < '2000-01-01'": lambda d, e, l, t: D(d) < new, "x.d <= '2000-01-01'": lambda d, e, l, t: D(d) <= new,
    "x.d > '1999-12-31'": lambda d, e, l, t: D(d) >= new, "x.d >= '2000-01-01'": lambda d, e, l, t: D(d) >= new,
    "'2000-01-01' > x.d": lambda d, e, l, t: D(d) < new, "x.d == '1970-01-01'": lambda d, e, l, t: d == "1970-01-01",
    "x.d != '1970-01-01'": lambda d, e, l, t: d != "1970-01-01", "x.d < x.e": lambda d, e, l, t: d < e,
    "x.d <= x.e": lambda d, e, l, t: d <= e, "x.d == x.e": lambda d, e, l, t: d == e,
    "x.d between '1969-12-31' and '1999-12-31'": lambda d, e, l, t: "1969-12-31" <= d <= "1999-12-31",
    "x.d - '2000-01-01' < 0.5": lambda d, e, l, t: D(d) - new < 0.5,
    "x.d - '2000-01-01' <= -1.5": lambda d, e, l, t: D(d) - new <= -1.5,
    "-0.5 < x.d - '2000-01-01'": lambda d, e, l, t: -0.5 < D(d) - new,
    "x.d - x.e == 1": lambda d, e, l, t: D(d) - D(e) == 1, "x.l == 'green'": lambda d, e, l, t: l == "green",
    "x.l in ('red', 'blue')": lambda d, e, l, t: l != "green", "x.t == (x.l == 'green')": lambda d, e, l, t: t == (l == "green"),
    "x.t + x.t >= 1.5": lambda d, e, l, t: t, "max(x.d, '2000-01-01')": lambda d, e, l, t: max(d, "2000-01-01"),
    "min(x.d, x.e)": lambda d, e, l, t: min(d, e), "max(x.t + x.t, 1) == 1": lambda d, e, l, t: not t,
    "where(x.d < '2000-01-01', '1950-05-05', x.d)": lambda d, e, l, t: "1950-05-05" if D(d) < new else d,
}
for text, right in asked.items():
    run("eval", "--keys", "keys", f"y = {text}", "x=whole.heb", "y=y.heb", "--noise", "expected", "--force")
    info = json.loads(run("info", "y.heb", "--json").stdout)
    assert "threshold_gap" not in info, (text, info)
    run("decrypt", "--key", "keys/secret.h5", "y.heb", "y.csv", "--force")
    told = [row[0] for row in csv.reader(open("y.csv"))][1:]
    wanted = [right(*row) for row in rows]
    ok = all(abs(float(a) - b) < 0.01 if isinstance(b, bool) else a == b for a, b in zip(told, wanted))
    assert ok and len(told) == len(wanted), (text, told, wanted)
EOF
"$PYTHON" whole.py "$HEBATCH" || fail "whole numbers are not told apart"
