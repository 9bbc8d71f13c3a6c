#!/bin/sh
# jobs/examples/rnn: a small recurrent network on encrypted letters, by small parameters; and that results which are
# others than those of the network in the clear end it.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
rnn=$(CDPATH='' cd -- "${forge%/*}/../../jobs/examples/rnn" && pwd)
export HEBATCH PYTHON
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
export MPIRUN

# Eight steps take more levels than there are before a bootstrap; 40 rows are a row block and a part of one.
expect 0 env PRESET=boot-test UNITS=16 BLOCK=16 ROWS=40 STEPS=8 RANKS=2 "$rnn/run" "$work/run"
says "^after step *8 "
says "^40 sequences: 100.00 % of the classes are those in the clear, 100.00 % those by the polynomial"
grep -q "bootstraps  *give .* levels again: 1 for every two of [0-9]* row blocks" run/log ||
    fail "no two row blocks were bootstrapped"
[ ! -e run/keys/secret.h5 ] || fail "the server has the secret key"

cd run || exit 1
cp scores.csv scores.kept
expect 0 "$PYTHON" "$rnn/compare.py"
# The scores of a row off by 2^-7, which is no other class.
change_row scores.csv 3 '[v + 2**-7 for v in c]'
expect 1 "$PYTHON" "$rnn/compare.py"
says "100.00 % of the classes are those in the clear"
says "^scores  *-7.0 "
cp scores.kept scores.csv
# One class of 40.
change_row scores.csv 3 '[-v for v in c]'
expect 1 "$PYTHON" "$rnn/compare.py"
says "^40 sequences: 97.50 %"
cp scores.kept scores.csv
# A state that is not the one after its step.
cp h7.csv h8.csv
expect 1 "$PYTHON" "$rnn/compare.py"
cd ..

# The weights that the repository has are within the bounds that the polynomial's interval is proven by.
expect 0 env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$rnn" "$PYTHON" -c '
import numpy as np, sys, train
model = np.load(sys.argv[1])
parts = sum(np.abs(model[n].astype(float)).reshape(train.UNITS, -1).sum(1).max() for n in "UWb")
assert parts <= train.BOUND and np.abs(model["E"]).max() <= 1, parts' "$rnn/model.npz"
expect 77 env MANPAGES="$work" DOWNLOAD=no "$rnn/run" "$work/none"
reason 64 "UNITS: 'x' is no whole number" "$PYTHON" "$rnn/prepare.py" random x 40 8 7
reason 64 "UNITS: 20 is no multiple of 8" "$PYTHON" "$rnn/prepare.py" random 20 40 8 7
reason 64 "ROWS: 0 is not possible" "$PYTHON" "$rnn/prepare.py" random 16 0 8 7
reason 64 "STEPS: 201 is not possible, 1 to 200 is" "$PYTHON" "$rnn/prepare.py" "$rnn/model.npz" "$work" 40 201 7
reason 64 "DEGREE: 2 is not possible" "$PYTHON" "$rnn/prepare.py" random 16 40 8 2
reason 65 "no model that train.py wrote" "$PYTHON" "$rnn/prepare.py" run/x1.heb/index.h5 "$work" 40 8 7
reason 66 "PREPARED is .*, and has no U.csv" env PREPARED=run/keys "$rnn/run" "$work/none"
reason 65 "letters.txt has 40 sequences of 8 letters, not 40 of 9" env PREPARED=run STEPS=9 ROWS=40 "$rnn/run" "$work/none"
# One step has no state before it.
expect 0 env PRESET=boot-test UNITS=16 BLOCK=16 ROWS=1 STEPS=1 "$rnn/run" "$work/one"
mkdir -p without/numpy
echo 'raise ImportError("not here")' >without/numpy/__init__.py
expect 77 env PYTHONPATH="$work/without" DOWNLOAD=no PRESET=boot-test UNITS=16 BLOCK=16 ROWS=40 STEPS=8 "$rnn/run" "$work/none"
complains "skipped: numpy is not installed"
