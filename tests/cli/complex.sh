#!/bin/sh
# Complex columns and pairs of real ones, from CSV and HDF5 and back, and eval of them against numpy, on one rank and two.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

REALS="--n 2048 --levels 6 --scale-bits 40 --special-primes 2 --insecure"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $REALS --out keys --relin --conj --rotations sum,3
secret=keys/secret.h5

cat >tables.py <<'PYTHON'
"""Writes t.csv, which has a complex column among real ones, the same of two complex ones as HDF5, and plain tables."""
import h5py
import numpy as np
rng = np.random.default_rng(5)
rows = 2500
def disc(count):
    return rng.uniform(0, 1.5, count) * np.exp(2j * np.pi * rng.uniform(0, 1, count))
real = rng.uniform(-1, 1, (rows, 4)).round(9)
z = disc(rows)
with open("t.csv", "w") as f:
    f.write("a,b,z,r,c\n")
    for (a, b, r, c), v in zip(real.tolist(), z.tolist()):
        f.write(f"{a},{b},{v.real!r}{v.imag:+}j,{r},{c}\n".replace("inf", "x"))
with h5py.File("z.h5", "w") as f:
    f["double"] = np.stack([disc(rows), disc(rows)], axis=1)
    f["double"].attrs["columns"] = ["u", "v"]
    f.create_dataset("packed", data=f["double"][:], dtype="complex64", chunks=(512, 1), compression="gzip")
    bad = f["double"][:20].copy()
    bad[12, 1] = complex(1, np.nan)
    f["bad"] = bad
    f["other"] = np.zeros(5, dtype=[("x", "f8"), ("y", "f8")])
with open("w.csv", "w") as f:
    f.write("k,l\n0.5-0.25j,2j\n")
with open("s.csv", "w") as f:
    f.write("s\n" + "".join(f"{v.real!r}{v.imag:+}i\n" for v in disc(rows).tolist()))
PYTHON
"$PYTHON" tables.py || fail "cannot make tables"

# CSV: half the ciphertexts for the pair, its parts in any places; what comes back has them beside each other.
expect 0 "$HEBATCH" encrypt --key $secret --pair p=c,a t.csv t.heb
expect 0 "$HEBATCH" info t.heb
says "column  *'p': values .*, a pair: 'c', 'a'"
says "column  *'z': values .*, complex"
expect 0 "$HEBATCH" info --json t.heb
says '"halves": "pair"'
expect 0 "$HEBATCH" verify t.heb --key $secret --against t.csv
expect 0 "$HEBATCH" decrypt --key $secret t.heb back.csv
expect 0 "$HEBATCH" verify t.heb --key $secret --against back.csv
expect 0 $MPIRUN -n 2 "$HEBATCH" encrypt --key keys/public.h5 --pair p=c,a --force t.csv ranks.heb
expect 0 $MPIRUN -n 2 "$HEBATCH" verify ranks.heb --key $secret --against t.csv
expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --key $secret ranks.heb ranks.h5:/t
cat >compare.py <<'PYTHON'
"""Compares tables by the names of their columns: compare.py TABLE COLUMN ... TABLE COLUMN ..., with -- between."""
import sys
from tables_of import read
one, other = sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
x, y = read(one[0]), read(other[0])
assert list(y) == other[1:], list(y)
for a, b in zip(one[1:], other[1:]):
    assert x[a].dtype.kind == y[b].dtype.kind or ":" in other[0], (a, x[a].dtype, y[b].dtype)
    error = abs(x[a] - y[b]).max()
    assert error < 1e-6, (a, b, error)
PYTHON
cat >tables_of.py <<'PYTHON'
import h5py
import numpy as np
def read(name):
    """The columns of a table by their names, as complex numbers where one of them has an imaginary part."""
    if not name.endswith(".csv"):
        file, path = name.split(":")
        with h5py.File(file) as f:
            return dict(zip(f[path].attrs["columns"], np.atleast_2d(f[path][:].T)))
    lines = open(name).read().split("\n")[:-1]
    cells = [[complex(c.replace("i", "j")) for c in line.split(",")] for line in lines[1:]]
    marked = [any(c[-1] in "ij" for c in column) for column in zip(*(line.split(",") for line in lines[1:]))]
    values = np.array(cells).T
    return {n: v if m else v.real for n, v, m in zip(lines[0].split(","), values, marked)}
PYTHON
"$PYTHON" compare.py t.csv c a b z r -- back.csv c a b z r || fail "not the table that was encrypted"
"$PYTHON" compare.py t.csv c a b z r -- ranks.h5:/t c a b z r || fail "not the table that was encrypted on two ranks"

expect 0 "$HEBATCH" verify t.heb --key $secret --against ranks.h5:/t

# HDF5 as h5py has complex numbers, of both widths, placed and packed.
for which in double packed; do
    rm -rf z.heb back.h5
    expect 0 "$HEBATCH" encrypt --key $secret z.h5:/$which z.heb
    expect 0 "$HEBATCH" verify z.heb --key $secret --against z.h5:/$which
    expect 0 "$HEBATCH" decrypt --key $secret z.heb back.h5:/$which
    "$PYTHON" - $which <<'PYTHON' || fail "not the complex numbers of $which"
import sys
import h5py
which = sys.argv[1]
x, y = h5py.File("z.h5")[which][:], h5py.File("back.h5")[which]
assert y.dtype == "complex128" and abs(x - y[:]).max() < 1e-6, (y.dtype, abs(x - y[:]).max())
PYTHON
done
rm -rf z.heb
expect 0 "$HEBATCH" encrypt --key $secret z.h5:/double z.heb
printf 'u,v\n1,2\n' >short.csv
refuse 1 "has 2500 rows and 2 columns" "$HEBATCH" verify z.heb --key $secret --against short.csv
awk -F, 'BEGIN { OFS = "," } NR == 7 { $3 = "0+9j" } { print }' back.csv >wrong.csv
refuse 1 "differ first in row 6, column 'b'" "$HEBATCH" verify t.heb --key $secret --against wrong.csv

awk -F, 'BEGIN { OFS = "," } NR == 7 { $2 = "0+9j" } { print }' back.csv >wrong.csv
refuse 65 "row 6 (line 7), column 'p': a complex number in the place of a real one" "$HEBATCH" verify t.heb --key $secret --against wrong.csv

# Who reads them as something else is told where it is wrong.
refuse 65 "row 13, column 2: the value is missing (NaN)" "$HEBATCH" encrypt --key $secret z.h5:/bad bad.heb
# A compound of other numbers is a row of a table.
expect 0 "$HEBATCH" encrypt --key $secret z.h5:/other other.heb
refuse 64 "it is NAME=COLUMN,COLUMN" "$HEBATCH" encrypt --key $secret --pair p=a t.csv bad.heb
refuse 64 "the table has no such column" "$HEBATCH" encrypt --key $secret --pair p=a,q t.csv bad.heb
refuse 64 "is one of complex numbers" "$HEBATCH" encrypt --key $secret --pair p=a,z t.csv bad.heb
refuse 64 "is there twice" "$HEBATCH" encrypt --key $secret --pair p=a,b --pair q=b,c t.csv bad.heb
refuse 65 "has the name" "$HEBATCH" encrypt --key $secret --pair z=a,b t.csv bad.heb
refuse 64 "are those of slots" "$HEBATCH" encrypt --key $secret --encoding coefficients t.csv bad.heb
expect 65 "$HEBATCH" encrypt --key $secret --range z=0..0.5 t.csv bad.heb # of moduli
grep -q "t.csv: row [0-9]* (line [0-9]*), column 'z': the value is outside -0.5..0.5" err || fail "not refused by its modulus"
absent bad.heb bad.heb.partial

cat >model.py <<'PYTHON'
"""Compares results with numpy's values of expressions: model.py FILE, of lines NAME, KIND, EXPRESSION;
results are NAME.csv."""
import json, re, sys
import numpy as np
from tables_of import read
t, z, w, s = read("t.csv"), read("z.h5:/double"), read("w.csv"), read("s.csv")
def rotate(a, k):
    padded = np.concatenate([a, np.zeros(-len(a) % 1024)]).reshape(-1, 1024)
    return np.roll(padded, -k, axis=1).reshape(-1)[:len(a)]
class weights:
    def __matmul__(self, columns):
        return w["k"] * columns[0] + w["l"] * columns[1]
names = {"p": t["c"] + 1j * t["a"], "z": t["z"], "r": t["r"], "b": t["b"], "u": z["u"], "v": z["v"], "zz": [z["u"], z["v"]],
         "s": s["s"], "k": w["k"], "W": weights(), "conj": np.conj, "re": np.real, "im": np.imag, "rotate": rotate,
         "abs2": lambda a: abs(a) ** 2, "sum": lambda a: a.sum(keepdims=True), "mean": lambda a: a.mean(keepdims=True)}
for line in open(sys.argv[1]):
    name, kind, text = line.rstrip("\n").split("|")
    source = re.sub(r"([0-9.])i\b", r"\1j", re.sub(r"\b[tzw]\.", "", text).replace("@ z", "@ zz")).replace("^", "**")
    want, got = np.asarray(eval(source, names)), read(name + ".csv")
    columns = ["c", "a"] if kind == "pair" else [name]
    assert list(got) == columns, (text, list(got))
    assert kind == "pair" or got[name].dtype.kind == {"real": "f", "complex": "c"}[kind], (text, got[name].dtype)
    got = got["c"] + 1j * got["a"] if kind == "pair" else got[name]
    notes = [n for n in json.load(open(name + ".heb.report.json"))["precision_bits"]
             if n["node"].lstrip().startswith(name + " =")]
    error, (low, high) = abs(got - want).max(), notes[0]["values"]
    assert error <= 2.0 ** -notes[0]["proven"] + 1e-12 * abs(want).max(), (text, error, notes[0])
    assert abs(want).max() <= max(-low, high), (text, notes[0])
    assert kind != "real" or (want.min() >= low and want.max() <= high), (text, notes[0])
PYTHON

# compute LAUNCHER FILE: evaluates all lines of the file at once, and decrypts; what is real has a measured precision.
compute() {
    expression='' outputs=''
    while IFS='|' read -r name kind text; do
        expression="$expression$name = $text;" outputs="$outputs $name=$name.heb"
    done <"$2"
    bound=
    for name in t=t.heb z=z.heb w=w.csv s=s.csv W=w.csv; do
        case $expression in *[!a-zA-Z.]${name%%=*}[!a-zA-Z\(]*) bound="$bound $name" ;; esac
    done
    # shellcheck disable=SC2086
    expect 0 $1 "$HEBATCH" eval --keys keys "$expression" $bound $outputs
    while IFS='|' read -r name kind text; do
        # shellcheck disable=SC2086
        expect 0 $1 "$HEBATCH" decrypt --key $secret "$name.heb" "$name.csv" </dev/null
        case $kind in
        real) says "precision .* measured" ;;
        *) grep -q " measured" out err && fail "a precision that nobody can measure: $text" ;;
        esac
    done <"$2"
    "$PYTHON" model.py "$2" || fail "not what numpy gives"
    rm -f -- *.heb.report.json
}
cat >one <<'LINES'
c1|complex|t.z*z.u - (0.5+1i)*z.v + 2i
c2|real|re(t.z)
c3|real|2*im(t.z*z.u)
c4|real|abs2(t.z) - t.r
c5|complex|conj(t.z)*t.r + 1i*t.b
c6|complex|t.z^3 - 1i
c7|complex|sum(z.u*conj(z.v))
c8|pair|0.5*t.p + t.p*t.r
c9|pair|mean(t.p)
d1|pair|rotate(t.p, 3) - sum(t.p)
d2|complex|t.p*t.p
d3|real|re(t.p) - im(t.p)
d4|complex|z.u*w.k + s*t.r - s
d5|complex|W @ z
LINES
compute "" one
cat >two <<'LINES'
e1|real|mean(re(z.u*t.z)) + 0.25
e2|pair|t.p - mean(t.p)
e3|complex|(t.r + 1i*t.b)*t.z
LINES
compute "$MPIRUN -n 2" two

# Some outputs at once, in one table of HDF5: what is real has imaginary parts of 0 there.
expect 0 "$HEBATCH" eval --keys keys "y = z*z.u" z=z.heb y=both.heb
expect 0 "$HEBATCH" decrypt --key $secret both.heb both.h5:/y
expect 0 "$HEBATCH" verify both.heb --key $secret --against both.h5:/y
refuse 64 "im of real values" "$HEBATCH" eval --keys keys "y = im(t.r)" t=t.heb y=bad.heb
refuse 64 "constants are integers" "$HEBATCH" params suggest --scheme bfv "y = 2i*x" --range x=0..3 --rows 10
exit 0
