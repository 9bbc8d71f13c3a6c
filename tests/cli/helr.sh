#!/bin/sh
# jobs/examples/helr: a training on encrypted images of two digits, by small parameters; and that weights that are others
# than those of the training in the clear end it.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
helr=$(CDPATH='' cd -- "${forge%/*}/../../jobs/examples/helr" && pwd)
export HEBATCH PYTHON
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
export MPIRUN

# Six steps take more levels than there are between two bootstraps.
expect 0 env IMAGES=digits ITERATIONS=6 RANKS=2 BATCH=8 "$helr/run" "$work/run"
says "6 iterations:"
grep -q "steps  *2 of 8 row blocks" run/log || fail "a rank does not compute 8 row blocks at a time"
says "The weights tell as many images"
grep -q "bootstraps  *give [1-9].* levels again: [1-9][0-9]* total" run/log || fail "nothing was bootstrapped"
"$HEBATCH" decrypt --quiet --key run/keys/secret.h5 run/w.heb again.csv 2>decrypt.log || fail "decrypt"
same again.csv run/w.csv

cd run || exit 1
# One weight off by 2^-7.
"$PYTHON" -c 'lines = open("w.csv").read().split("\n")
cells = lines[1].split(",")
cells[3] = repr(float(cells[3]) + 2**-7)
open("w.csv", "w").write("\n".join([lines[0], ",".join(cells)] + lines[2:]))'
expect 1 "$PYTHON" "$helr/compare.py"
says "weights differ by 0.0078"
# Images all of the other kind.
cp ../again.csv w.csv
"$PYTHON" -c 'lines = open("w.csv").read().split("\n")
open("w.csv", "w").write("\n".join([lines[0], ",".join(repr(-float(c)) for c in lines[1].split(","))]))
clear = open("clear.csv").read().split("\n")
clear[2] = ",".join(repr(-float(c)) for c in clear[2].split(","))
open("clear.csv", "w").write("\n".join(clear))'
expect 1 "$PYTHON" "$helr/compare.py"
# Weights that are right, of a polynomial that is too far from the sigmoid.
cp ../again.csv w.csv
"$PYTHON" -c 'lines = open("clear.csv").read().split("\n")
lines[1] = ",".join(repr(-float(c)) for c in lines[1].split(","))
lines[2] = open("w.csv").read().split("\n")[1]
open("clear.csv", "w").write("\n".join(lines))'
expect 1 "$PYTHON" "$helr/compare.py"
complains "the polynomial in the place of the sigmoid makes them tell other images: take more ITERATIONS"
cd ..
expect 64 env IMAGES=letters "$helr/run" "$work/none"
reason 64 "RANKS is '0'" env IMAGES=digits RANKS=0 "$helr/run" "$work/none"
reason 64 "ITERATIONS: 0 is not possible" "$PYTHON" "$helr/prepare.py" digits 0 7
reason 64 "ITERATIONS: the expression has [0-9]* bytes, and hebatch takes 65536" "$PYTHON" "$helr/prepare.py" digits 300 7
reason 64 "ITERATIONS: 'x' is no whole number" "$PYTHON" "$helr/prepare.py" digits x 7
reason 64 "DEGREE: 2 is not possible" "$PYTHON" "$helr/prepare.py" digits 6 2
reason 66 "PREPARED is .*, and has no z.csv" env IMAGES=digits PREPARED=run/keys "$helr/run" "$work/none"
reason 73 "cannot create directory" "$helr/run" again.csv/none
# One step alone has no u; what hebatch says is seen in spite of what the launcher says behind it.
reason 64 "^hebatch eval: .*--batch: 0 is too small" \
    env IMAGES=digits ITERATIONS=1 RANKS=2 BATCH=0 "$helr/run" "$work/one"
expect 0 "$HEBATCH" eval --quiet --keys one/keys "$(cat one/steps.txt)" z=one/z.heb w=one/w.heb \
    --range "$(cat one/ranges.txt)" --noise expected
