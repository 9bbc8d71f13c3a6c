#!/bin/sh
# softmax and layernorm over all columns and over the rows of matrices, by columns and of rows within slots, against
# numpy, within what the plan proves or expects; refusals.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
check=$(CDPATH='' cd -- "${0%/*}" && pwd)/matrices.py
"$PYTHON" "$check" --make || fail "no tables"
expect 0 "$HEBATCH" keygen --n 1024 --levels 18 --scale-bits 46 --special-primes 4 --insecure --out keys --relin --quiet
names="softmax heads layernorm norms total"
for packing in columns "rows --block 16"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 a.csv a.heb --range=-1..1 --pack $packing --force
    eval_with_keys "softmax = softmax(a); heads = softmax(2*matrix(a, 3, 4)); layernorm = layernorm(a, 0.05, 1)
norms = layernorm(matrix(a, 3, 4), 0.05, 1, 0.001)*0.5 + 1; total = sum(norms)" a=a.heb softmax=softmax.heb \
        heads=heads.heb layernorm=layernorm.heb norms=norms.heb total=total.heb
    for name in $names; do
        expect 0 "$HEBATCH" decrypt --key keys/secret.h5 "$name.heb" "$name.csv" --force --quiet
    done
    # shellcheck disable=SC2086
    "$PYTHON" "$check" $names || fail "$packing"
done

wrong() {
    refuse 64 "$1" "$HEBATCH" eval --keys keys "no = $2" a=a.heb no=no.heb
}
wrong "layernorm(x, low, high, epsilon) takes constants" "layernorm(a, 1, 0.5)"
wrong "layernorm(x, low, high, epsilon) takes constants" "layernorm(a, 0, 1)"
wrong "layernorm(x, low, high, epsilon) takes constants" "layernorm(a, 0.1, a)"
wrong "the range that was given for these values is 5 .. 9, and they lie in" "layernorm(a, 5, 9)"
wrong "layernorm of one column, which is its own mean" "layernorm(matrix(a, 12, 1), 0.5, 1)"
