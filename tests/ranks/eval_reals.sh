#!/bin/sh
# eval_reals.sh RANKS: expressions on reals give the same bytes on RANKS ranks, and on members that share limbs, as on one.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks=$1
expect 0 "$HEBATCH" keygen --n 2048 --levels 4 --scale-bits 40 --special-primes 2 --insecure --out keys --relin --conj \
    --rotations sum,3
text="m = 0.5*a.1*b + w; y = rotate(m, 3) - 1.5; s = mean(a*b) - mean(a)^2; z = square(a - mean(a)) - q; v = W @ conj(a)"

launch() {
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$ranks" "$HEBATCH" "$@" --quiet
}

# reals ROWS COLUMNS SEED: a CSV on stdout with values in -1.5 .. 1.5.
reals() {
    awk -v rows="$1" -v columns="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        for (c = 1; c <= columns; c++) printf "%sc%d", (c > 1 ? "," : ""), c
        print ""
        for (r = 0; r < rows; r++) {
            for (c = 1; c <= columns; c++) printf "%s%.6f", (c > 1 ? "," : ""), 3 * rand() - 1.5
            print ""
        }
    }'
}

reals 3 2 5 >W.csv
reals 1 2 7 >q.csv
# 1 to 6 row blocks; on some ranks the last of these alone.
sizes="1 1024 1025 5300"
[ "$ranks" = 4 ] || sizes=5300
for rows in $sizes; do
    reals "$rows" 2 1 >a.csv
    reals "$rows" 2 2 >b.csv
    reals "$rows" 2 3 >w.csv
    rm -rf ./*.heb
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 a.csv a.heb
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 b.csv b.heb
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 q.csv q.heb
    set -- a=a.heb b=b.heb w=w.csv W=W.csv q=q.heb --keys keys --range a=-1.5..1.5,b=-1.5..1.5,q=-1.5..1.5
    expect 0 "$HEBATCH" eval "$text" "$@" y=y1.heb s=s1.heb z=z1.heb v=v1.heb --queues 1
    for limbs in 1 2 3; do
        [ $((ranks % limbs)) = 0 ] || continue
        launch eval "$text" "$@" y=y.heb s=s.heb z=z.heb v=v.heb --queues 2 --limb-ranks $limbs --force
        for name in y s z v; do
            expect 0 "$HEBATCH" verify $name.heb --same-as ${name}1.heb --quiet
            absent $name.heb.partial
        done
    done
done

# Rows within slots: blocks of 4 slots, 256 rows a ciphertext; a matrix in parts, and sums of both kinds.
text="m = W @ a; y = poly(m, 0, 1, 0.5, 0.25); s = mean(a*w) - mean(a)^2; z = rowsum(m); v = a.2*a + w*q"
for rows in 1 700; do
    reals "$rows" 3 1 >a.csv
    reals "$rows" 3 3 >w.csv
    reals 2 3 5 >W.csv
    rm -rf ./*.heb
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 --pack rows a.csv a.heb
    reals 1 3 7 >q.csv
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 --pack rows q.csv q.heb
    set -- a=a.heb w=w.csv W=W.csv q=q.heb --keys keys --range a=-1.5..1.5,q=-1.5..1.5
    "$HEBATCH" eval "$text" "$@" y=y1.heb s=s1.heb z=z1.heb v=v1.heb --queues 1 --quiet >out 2>err &&
        [ "$rows" = 1 ] && fail "rotations that no key is there for"
    if [ "$rows" = 1 ]; then
        # shellcheck disable=SC2046
        expect 0 "$HEBATCH" $(sed -n 's/.*make it: hebatch //p' err) --quiet
        expect 0 "$HEBATCH" eval "$text" "$@" y=y1.heb s=s1.heb z=z1.heb v=v1.heb --queues 1
    fi
    for limbs in 1 2 3; do
        [ $((ranks % limbs)) = 0 ] || continue
        launch eval "$text" "$@" y=y.heb s=s.heb z=z.heb v=v.heb --queues 2 --limb-ranks $limbs --force
        for name in y s z v; do
            expect 0 "$HEBATCH" verify $name.heb --same-as ${name}1.heb --quiet
            absent $name.heb.partial
        done
    done
done
