#!/bin/sh
# Work before and beside the ciphertexts grows as what there is to do: four times as many columns or outputs take about
# four times as many comparisons, looks at files and digests, not sixteen times.
# Given by ctest besides: CALLS_LIBRARY (count_calls.c), not under sanitizers.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

few=600
many=2400

# counted NAME COMMAND..: runs it, and leaves in the file NAME the sums of its processes' calls, a line each.
counted() {
    to=$1
    shift
    rm -f calls
    expect 0 env "CALLS_TO=$PWD/calls" "LD_PRELOAD=$CALLS_LIBRARY" "$@"
    awk '{ sum[$1] += $2 } END { for (of in sum) print of, sum[of] }' calls | sort >"$to"
}

# grows NAME: no function is called more than six times as often for `many` as for `few`, but for a few calls.
grows() {
    join "$1.$few" "$1.$many" >both
    [ "$(wc -l <both)" = 4 ] || fail "$1: not all functions were counted"
    awk -v name="$1" '$3 > 6 * $2 + 2000 { print name ": " $1 ": " $2 ", then " $3; bad = 1 } END { exit bad }' both ||
        fail "$1: more work than there is to do"
}

"$HEBATCH" keygen --out k --params bfv-4096 -q
for n in $few $many; do
    awk -v n="$n" 'BEGIN {
        for (c = 1; c <= n; c++) printf "c%d%s", c, c < n ? "," : "\n"
        for (r = 0; r < 2; r++) for (c = 1; c <= n; c++) printf "%d%s", (7 * c + r) % 50, c < n ? "," : "\n"
    }' >"c$n.csv"
    ranges=$(awk -v n="$n" 'BEGIN { for (c = 1; c <= n; c++) printf "c%d=0..60%s", c, c < n ? "," : "" }')
    own=$(awk -v n="$n" 'BEGIN { for (c = 1; c <= n; c++) printf "x.c%d=0..70%s", c, c < n ? "," : "" }')
    counted "encrypt.$n" "$HEBATCH" encrypt --key k/secret.h5 "c$n.csv" "e$n.heb" --range 0..60 -q
    counted "ranges.$n" "$HEBATCH" encrypt --key k/secret.h5 "c$n.csv" d.heb --range "$ranges" -n
    counted "info.$n" "$HEBATCH" info "e$n.heb"
    counted "verify.$n" "$HEBATCH" verify "e$n.heb"
    counted "eval.$n" "$HEBATCH" eval 'y = x + x' "x=e$n.heb" y=y.heb --range "$own" -n
    counted "decrypt.$n" "$HEBATCH" decrypt --key k/secret.h5 "e$n.heb" "o$n.csv"
    cmp "c$n.csv" "o$n.csv"
done

# outputs N: writes the statements and the words of N outputs.
outputs() {
    awk -v n="$1" 'BEGIN { for (o = 1; o <= n; o++) printf "y%d = x.c1 + %d*x.c2; ", o, o }' >statements
    awk -v n="$1" 'BEGIN { for (o = 1; o <= n; o++) printf " y%d=y%d.heb", o, o }' >words
}

# As many outputs as a command line has room for anywhere.
for n in $few $many; do
    outputs $((n / 6))
    # shellcheck disable=SC2046 # one word each
    counted "outputs.$n" "$HEBATCH" eval "$(cat statements)" "x=e$few.heb" $(cat words) -n
done
for name in outputs encrypt ranges info verify eval decrypt; do
    grows "$name"
done

# A computation has the columns in memory that it reads, whatever others a dataset has; and one that a rank has no memory
# for is refused before it begins, with the number of columns that there is memory for.
memory() {
    expect 0 "$HEBATCH" eval -n "$1" "x=e$many.heb" y=y.heb --wrap
    sed -n 's/^memory  *\([0-9]*\)[.0-9]* MiB of buffers a rank.*/\1/p' out
}
[ "$(($(memory 'y = x.c1 + x.c2') * 20))" -lt "$(memory 'y = x + x')" ] || fail "memory for columns that are not read"
# limited COMMAND..: with 390 MiB beside the addresses that the program has before it plans, which differ among builds.
beside=0
limited() {
    (ulimit -v $((400000 + beside * 1024)) && exec "$@")
}
left=$(limited "$HEBATCH" eval 'y = x + x' "x=e$many.heb" y=y.heb --wrap 2>&1 |
    sed -n 's/.* a rank of this host has \([0-9]*\) MiB.*/\1/p')
beside=$((390 - left))
refuse 71 "needs .* of memory a rank, .* has 3[0-9][0-9] MiB: .* about [0-9]* of $many would fit$" \
    limited "$HEBATCH" eval 'y = x + x' "x=e$many.heb" y=y.heb --wrap
[ ! -e y.heb ] && [ ! -e y.heb.partial ] || fail "a job without memory has begun"
expect 0 limited "$HEBATCH" eval 'y = x.c1 + x.c2' "x=e$many.heb" y=y.heb --wrap
