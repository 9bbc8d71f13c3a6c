#!/bin/sh
# Totals of eval are divided over ranks and their queues: the bytes are those of one rank with one queue, packed or not,
# with merged sums, values that many totals share, and several passes; no rank computes all instructions; a job that was
# stopped goes on, on other ranks. eval_totals.sh [ckks]: under BFV, or on reals.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
case ${1:-bfv} in
bfv)
    outputs="h g s z" modulus=8 rows=12000
    text="h = histogram(a.c1); g = groupby(a.c2, count(), sum(a.c1 * a.c1)); s = sum(a * a) * 3; z = a.c1 * sum(a.c2) - q"
    # 12 row blocks.
    expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,50,50,50,50,50,50,51 --plain 12289 --insecure --out keys \
        --for "$text" --one-row q
    set -- --range c1=0..7,c2=0..7,c3=0..7
    range=q=0..7 wrap=--wrap # modulo a small t
    ;;
ckks)
    outputs="s v n z" modulus=3 rows=6000
    text="s = sigmoid(mean(a)); v = var(a); n = mean(a) * sigmoid(mean(a.c1)); z = a.c1 - mean(a.c2) * q"
    expect 0 "$HEBATCH" keygen --n 1024 --levels 8 --scale-bits 40 --insecure --out keys --for "$text" --one-row q
    set -- --range c1=0..2,c2=0..2,c3=0..2
    range=q=0..2 wrap=
    ;;
esac
table "$rows" 3 "$modulus" >a.csv
table 1 1 "$modulus" >q.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 a.csv a.heb "$@"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 q.csv q.heb

# bind SUFFIX: the words NAME=FILE of all outputs.
bind() {
    for output in $outputs; do
        printf '%s=%s.%s.heb ' "$output" "$output" "$1"
    done
}
# compute CODE RANKS K SUFFIX OPTIONS...: all outputs.
compute() {
    code_of_compute=$1 ranks=$2 members=$3 suffix=$4
    shift 4
    # shellcheck disable=SC2046,SC2086
    launch "$code_of_compute" "$ranks" "$members" eval --keys keys "$text" --range "$range" a=a.heb q=q.heb \
        $(bind "$suffix") $wrap "$@"
}
# count SUFFIX: instructions, those of the rank with most, passes that were divided, ciphertexts that were moved.
count() {
    first=${outputs%% *}
    field "$first.$1.heb.report.json" '" ".join(str(x) for x in (r["totals"]["instructions"],
        max(x["totals"] for x in r["by_rank"]), r["totals"]["divided_passes"], r["totals"]["moved"]))'
}
# as_one OPTIONS: what the last job made is what one rank made.
as_one() {
    for output in $outputs; do
        expect 0 "$HEBATCH" verify "$output.many.heb" --same-as "$output.one$1.heb"
        absent "$output.many.heb.partial"
    done
    rm -rf ./*.many.heb ./*.many.heb.report.json
}

for compact in "" off; do
    compute 0 1 1 "one$compact" --queues 1 ${compact:+--compact "$compact"}
    # shellcheck disable=SC2046
    set -- $(count "one$compact")
    [ "$1" = "$2" ] && [ "$3" = 0 ] && [ "$4" = 0 ] || fail "one rank with one queue has divided totals: $*"
    whole=$1
    layouts="1-1-2 2-1-1 3-1-2 4-2-1 5-1-1"
    [ -z "$compact" ] || layouts="1-1-3 3-1-1 4-1-2"
    for layout in $layouts; do
        ranks=${layout%%-*} queues=${layout##*-} members=${layout#*-}
        compute 0 "$ranks" "${members%-*}" many --queues "$queues" ${compact:+--compact "$compact"}
        # shellcheck disable=SC2046
        set -- $(count many)
        [ "$3" -gt 0 ] || fail "$layout: no pass was divided"
        if [ "$ranks" = 1 ]; then
            [ "$2" -ge "$whole" ] && [ "$4" = 0 ] || fail "$layout: not all instructions on one rank: $*"
        else
            [ "$2" -lt "$whole" ] && [ "$4" -gt 0 ] || fail "$layout: a rank has computed all: $* of $whole"
        fi
        as_one "$compact"
    done
done

# Stopped in the second pass, whose totals of the first were divided; on with others.
# shellcheck disable=SC2046,SC2086
strike USR2 2 75 z.many.heb 2 1 eval --keys keys "$text" --range "$range" a=a.heb q=q.heb $(bind many) $wrap --resume
[ -e "${outputs%% *}.many.heb.partial/totals-0" ] || fail "the totals of the first pass were not kept"
compute 0 3 1 many --resume --queues 2
as_one ""
