#!/bin/sh
# params suggest of reals: the precision that is asked for, by the proven bound of errors and by the likely one.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# takes NAME EXPRESSION BITS OPTIONS...: N and the length of the chain that is suggested for so many bits, into ./NAME.
takes() {
    name=$1 expression=$2 bits=$3
    shift 3
    expect 0 "$HEBATCH" params suggest "$expression" --scheme ckks --rows 1000 --range x=-1..1 --precision "$bits" "$@" --json
    "$PYTHON" -c 'import json; s = json.load(open("out"))
print(s["params"]["n"], s["chain_bits"], s["budget_expected"])' >"$name"
}

# Errors of approximations are the same in every ciphertext, so a user of likely errors keeps no bits in hand for them,
# neither here nor in eval. What does by the proven bound does by the likely one, but for a preset that is preferred.
nested='sigmoid(8*sigmoid(4*x) - 2*x)'
for expression in "y = $nested" "y = cols($nested, x*x)" "y = x*x; repeat 4 { y = sigmoid(4*y - 2*x) }"; do
    for bits in 1 2 5 8 11 14; do
        takes proven "$expression" $bits
        takes likely "$expression" $bits --noise expected
        "$PYTHON" - $bits <<'PYTHON' || fail "$expression, $bits bits: $(cat proven) proven, $(cat likely) by likely errors"
import sys
proven, likely = ([float(word) for word in open(name).read().split()] for name in ("proven", "likely"))
assert likely[0] <= proven[0] and likely[1] <= 1.25 * proven[1] and likely[2] >= float(sys.argv[1])
PYTHON
    done
done
for bits in 2 10 16; do
    expect 0 "$HEBATCH" params suggest 'y = x; repeat 20 { y = sigmoid(4*y - 2*x) }' --scheme ckks --rows 1000 \
        --range x=-1..1,y=-1..1 --precision $bits --noise expected
    # Of presets that keep the bits the one that computes in less time: light ones bootstrap less often where functions
    # are long, and deep ones take longer for each bootstrap.
    case $bits in
    10) says "^parameters    boot-16-light, " ;;
    *) says "^parameters    boot-16, " ;;
    esac
    says "^precision     none proven, [0-9.]* expected; depth "
done

# A preset that is named for likely errors keeps the bits that were asked for; none is blamed for a security that it does
# not have.
long='y = x; repeat 40 { y = 1.5*y - 0.5*y^3 }'
loop="$HEBATCH params suggest --scheme ckks --rows 600 --range x=-1..1,y=-1..1"
refuse 65 "boot-16 would do with --noise expected" $loop "$long" --precision 20
expect 65 $loop "$long" --precision 26
! grep -q "would do" err || fail "a preset would do, of which 26 bits are too many: $(cat err)"
refuse 65 "no preset with bootstrapping is as secure as is asked for" $loop "$long" --noise expected --security 192

# The printed lines run, and results are as precise.
"$PYTHON" -c 'print("x", *[i / 350 - 1 for i in range(700)], sep="\n")' >x.csv
expect 0 "$HEBATCH" params suggest "y = $nested" --scheme ckks --table x=x.csv --precision 8 --noise expected
grep '^hebatch' out | sed "s|^hebatch|\"$HEBATCH\"|" >lines
sh ./lines >made 2>err || fail "the printed lines do not run"
"$PYTHON" - <<'PYTHON' || fail "the results are less precise than was asked for"
import math
sigmoid = lambda v: 1 / (1 + math.exp(-v))
x, y = ([float(line) for line in open(f"{name}.csv").read().split()[1:]] for name in "xy")
assert len(x) == len(y) == 700
worst = max(abs(sigmoid(8 * sigmoid(4 * a) - 2 * a) - b) for a, b in zip(x, y))
assert worst < 2**-8, worst
PYTHON
