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

# Of a narrow range softmax is as right as of a wider one, near 0 and far from it, and of a single point; what is proven
# of the first row, which is the same everywhere, holds.
printf '%s\n' "a,b,c,d" "0,0,0,0" >point.csv
awk '{ gsub(/0/, "2000"); print }' point.csv >far.csv
for packing in columns "rows --block 4"; do
    for range in 0..0 -1e-8..1e-8 -0.00001..0.00001 -0.0001..0.0001 -0.001..0.001 2000..2000 2000..2000.001; do
        table=point.csv
        case $range in 2000*) table=far.csv ;; esac
        # shellcheck disable=SC2086
        expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 $table n.heb --range="$range" --pack $packing --force
        eval_with_keys "y = softmax(n)" n=n.heb y=y.heb
        expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 y.heb y.csv --force
        bits=$(sed -n 's/.*precision  *\([0-9.]*\) bits at least.*/\1/p' plan)
        awk -F, -v bits="$bits" 'NR == 2 { for (c = 1; c <= 4; c++) if (($c - 0.25)^2 > 2^(-2*bits)) exit 1; right = 1 }
            END { exit !(right && bits >= 20) }' y.csv || fail "softmax of $range in $packing: $bits bits"
    done
done
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 far.csv n.heb --range=2000..2000.001 --force
expect 0 "$HEBATCH" eval --keys keys "y = inv(n)" n=n.heb y=y.heb --dry-run
