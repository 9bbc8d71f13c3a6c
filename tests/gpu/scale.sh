#!/bin/sh
# How jobs scale over the GPUs of a host: 1, 2, 4, .. of them, as many as there are, in less than ten minutes.
#   batch    a table encrypted, decrypted, added, multiplied (`bench job`), and a loop of bootstraps: each rank has a
#            GPU and a share of the ciphertexts
#   limbs    products, rotations and that loop where K ranks share the limbs of each ciphertext: one group, and grids of
#            several groups
#   tables   `bench limbs`: strong and weak scaling, and what it predicts for more ranks
#   killed   a rank of the loop is killed: all others end
# Every dataset is compared with that of one GPU, word for word. Tables are printed as Markdown (scale.py).
#     tests/gpu/scale.sh [batch | limbs | tables | killed] ...      (default: all)
# Given: HEBATCH (default: build-gpu/hebatch), PYTHON. SCRATCH (/dev/shm): a folder for 30 GiB. ROWS (31250000) of the
# table; BOOTED (1048576) rows of the loop. GPUS: the most to take. To try it elsewhere: DEVICE=cpu, PRESET=boot-test.
: "${SCRATCH:=/dev/shm}" "${ROWS:=31250000}" "${BOOTED:=1048576}"
: "${PYTHON:=python3}" "${DEVICE:=gpu}" "${PRESET:=boot-16}"
root=$(CDPATH='' cd -- "${0%/*}/../.." && pwd)
: "${HEBATCH:=$root/build-gpu/hebatch}"
TMPDIR=$SCRATCH
export TMPDIR NCCL_NVLS_ENABLE=0
# shellcheck source=tests/cli/harness.sh
. "$root/tests/cli/harness.sh"
HEBATCH_DEVICE=$DEVICE
export HEBATCH_DEVICE
case $PRESET in *-test) insecure=--insecure ;; *) insecure= ;; esac
[ $# -gt 0 ] || set -- batch limbs tables killed
: "${GPUS:=$(nvidia-smi -L 2>/dev/null | wc -l)}"
[ "$GPUS" -gt 0 ] || fail "no GPU"
counts=1
while [ $((${counts##* } * 2)) -le "$GPUS" ]; do
    counts="$counts $((${counts##* } * 2))"
done

# on RANKS COMMAND...
on() {
    ranks=$1
    shift
    # The launcher would otherwise put each rank on one core.
    expect 0 mpirun --oversubscribe --bind-to none -n "$ranks" "$@"
}

# loop NAME RANKS MEMBERS: makes keys and ciphertexts, the first time. What one GPU makes is what all others must make.
text='y = 1*x; repeat 25 { y = 1.5*y - 0.5*y*y*y }'
loop() {
    [ -d keys ] || {
        # shellcheck disable=SC2086 # no word, or one
        expect 0 "$HEBATCH" keygen --params "$PRESET" $insecure --out keys --relin --bootstrap
        "$PYTHON" -c "
import random
random.seed(1)
print('x')
for _ in range($BOOTED):
    print('%.4f' % random.uniform(-1, 1))" >x.csv
        expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --range x=-1..1 x.csv x.heb
    }
    rm -rf "$1.heb"
    on "$2" "$HEBATCH" eval --limb-ranks "$3" --keys keys --noise expected --range y=-1..1 "$text" x=x.heb y="$1.heb"
    [ "$1" = loop-1-1 ] || expect 0 "$HEBATCH" verify "$1.heb" --same-as loop-1-1.heb
}

# products NAME RANKS MEMBERS: of BFV, whose keys are switched over the integers.
products() {
    [ -d bfv ] || {
        expect 0 "$HEBATCH" keygen --params bfv-32768 --out bfv --for 'y = a*a; z = rotate(a, 1)'
        table 2000000 1 1000 >a.csv
        expect 0 "$HEBATCH" encrypt --key bfv/secret.h5 a.csv a.heb
    }
    rm -rf "$1-y.heb" "$1-z.heb"
    on "$2" "$HEBATCH" eval --limb-ranks "$3" --keys bfv 'y = a*a; z = rotate(a, 1)' a=a.heb y="$1-y.heb" z="$1-z.heb"
    [ "$1" = products-1-1 ] || {
        expect 0 "$HEBATCH" verify "$1-y.heb" --same-as products-1-1-y.heb
        expect 0 "$HEBATCH" verify "$1-z.heb" --same-as products-1-1-z.heb
    }
}

batch() {
    for ranks in $counts; do
        on "$ranks" "$HEBATCH" bench job --scratch "$work" --rows "$ROWS" --json
        cp out "bench-job-$ranks.json"
        loop "loop-$ranks-1" "$ranks" 1
    done
}

limbs() {
    [ -e loop-1-1.heb ] || loop loop-1-1 1 1
    products products-1-1 1 1
    for ranks in $counts; do
        [ "$ranks" = 1 ] || {
            loop "loop-$ranks-$ranks" "$ranks" "$ranks"
            products "products-$ranks-$ranks" "$ranks" "$ranks"
        }
        for members in 2 4; do # grids
            [ "$members" -ge "$ranks" ] || {
                loop "loop-$ranks-$members" "$ranks" "$members"
                products "products-$ranks-$members" "$ranks" "$members"
            }
        done
    done
}

tables() {
    most=${counts##* }
    every=$(echo "$counts" | tr ' ' ',')
    for set in "--n 65536 --limbs 30 --bits 50" "--params bfv-32768" "--params ckks-16"; do
        echo "== bench limbs $set, $most ranks"
        # shellcheck disable=SC2086 # options
        on "$most" "$HEBATCH" bench limbs $set --limb-ranks "$every" --seconds 0.2
        cat out
    done
}

killed() {
    ranks=${counts##* }
    [ -d keys ] || loop loop-1-1 1 1
    for members in 1 "$ranks"; do
        rm -rf killed.heb*
        mpirun --oversubscribe --bind-to none -n "$ranks" "$HEBATCH" eval --limb-ranks "$members" --keys keys \
            --noise expected --range y=-1..1 'y = 1*x; repeat 2500 { y = 1.5*y - 0.5*y*y*y }' x=x.heb \
            y=killed.heb >out 2>err &
        launcher=$!
        waited=0
        until grep -q 'evaluated\|first\|%' err; do
            [ $waited -lt 60 ] || fail "the job shows no progress"
            sleep 1
            waited=$((waited + 1))
        done
        began=$(date +%s)
        kill -9 "$(ranks_of "$launcher" | tail -n 1)" || fail "the job ended too early"
        wait "$launcher" && fail "a job with a killed rank succeeded"
        absent killed.heb
        echo "killed: $ranks ranks, $members to a ciphertext: all had ended after $(($(date +%s) - began)) s"
    done
}

for part in "$@"; do
    case $part in batch | limbs | tables | killed) $part ;; *) fail "$part is no part" ;; esac
done
"$PYTHON" "$root/tests/gpu/scale.py" ./*.json ./*.report.json
