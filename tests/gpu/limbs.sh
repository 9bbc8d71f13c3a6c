#!/bin/sh
# Whole jobs whose ranks share the limbs of every ciphertext, on GPUs: over NCCL with a GPU for each rank, over MPI where
# ranks share GPUs. With the test seed all make the files that one CPU rank makes. Then parameters that do not fit the
# memory of one rank. Arguments: which of the sets (all of them). Given: HEBATCH, MPIRUN (default: mpirun --oversubscribe --bind-to none), PYTHON.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun=${MPIRUN-mpirun --oversubscribe --bind-to none}
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
sets=${*:-8192 32768 65536 memory}
gpus=$(nvidia-smi -L | wc -l)
[ "$gpus" -gt 0 ] || fail "no GPU"
text="y = a * b + rotate(a, 1); d = dot(a, b); m = modswitch(a * b)"

# on RANKS K EXCHANGE COMMAND...: on GPUs.
on() {
    ranks=$1 members=$2 exchange=$3
    shift 3
    share=""
    [ "$ranks" -le "$gpus" ] || share=--share-gpu
    # shellcheck disable=SC2086
    expect 0 $mpirun -n "$ranks" "$HEBATCH" "$@" --device gpu $share --limb-ranks "$members" --exchange "$exchange" --quiet
}

# list_layouts: RANKS K EXCHANGE, a line each.
list_layouts() {
    for ranks in 2 4 8; do
        [ $ranks -gt "$gpus" ] || echo "$ranks $ranks nccl"
    done
    [ "$gpus" -lt 4 ] || echo "4 2 nccl"
    [ "$gpus" -lt 8 ] || printf '8 2 nccl\n8 4 nccl\n'
    printf '3 3 mpi\n4 2 mpi\n' # each rank on a shared GPU takes its time to start
}

# job NAME ROWS KEYGEN-OPTIONS...: one set of parameters, every layout.
job() {
    name=$1 rows=$2
    shift 2
    rm -rf keys ./*.heb ./*.json
    table "$rows" 2 100 >a.csv
    table "$rows" 2 77 >b.csv
    expect 0 "$HEBATCH" keygen "$@" --insecure-test-seed $seed --for "$text" --out keys --quiet
    expect 0 "$HEBATCH" encrypt --device cpu --insecure-test-seed $seed --key keys/secret.h5 a.csv a.heb --quiet
    expect 0 "$HEBATCH" encrypt --device cpu --insecure-test-seed $seed --key keys/public.h5 b.csv b.heb --quiet
    expect 0 "$HEBATCH" eval --device cpu --keys keys "$text" a=a.heb b=b.heb y=y.heb d=d.heb m=m.heb --quiet
    list_layouts >layouts
    while read -r ranks members exchange <&3; do
        rm -rf many-* back.csv
        on "$ranks" "$members" "$exchange" encrypt --insecure-test-seed $seed --key keys/secret.h5 a.csv many-a.heb
        on "$ranks" "$members" "$exchange" encrypt --insecure-test-seed $seed --key keys/public.h5 b.csv many-b.heb
        on "$ranks" "$members" "$exchange" eval --keys keys "$text" a=many-a.heb b=many-b.heb y=many-y.heb d=many-d.heb m=many-m.heb
        for output in a b y d m; do
            expect 0 "$HEBATCH" verify --device cpu many-$output.heb --same-as $output.heb --quiet
        done
        on "$ranks" "$members" "$exchange" decrypt --key keys/secret.h5 many-a.heb back.csv
        same a.csv back.csv
        on "$ranks" "$members" "$exchange" verify y.heb --same-as many-y.heb
        printf '%-12s  %d ranks, %d share a ciphertext, over %-4s  equal\n' "$name" "$ranks" "$members" "$exchange"
    done 3<layouts
}

# The memory of one rank is too little for the keys and one ciphertext in work; some ranks together have enough.
memory() {
    rm -rf keys ./*.heb ./*.json
    table 30000 1 100 >a.csv
    expect 0 "$HEBATCH" keygen --n 65536 --bits "$chain" --relin --out keys --quiet
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 a.csv a.heb --quiet
    square="eval --device gpu --keys keys y=a*a a=a.heb --batch 1 --queues 1"
    # shellcheck disable=SC2086
    least=$("$HEBATCH" $square y=small.heb --dry-run --json |
        "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["plan"]["rank_device_bytes"])') || fail "no plan"
    limit=$((least * 3 / 4)) sharing=$(((4 + gpus - 1) / gpus))
    [ "$gpus" -lt 4 ] || sharing=1
    # shellcheck disable=SC2086
    refuse 71 "--gpu-memory" "$HEBATCH" $square y=small.heb --gpu-memory "$limit"
    # shellcheck disable=SC2086
    expect 0 $mpirun -n 4 "$HEBATCH" $square y=small.heb --share-gpu --gpu-memory $((limit * sharing)) --limb-ranks auto --quiet
    "$PYTHON" -c 'import json; assert json.load(open("small.heb.report.json"))["limbs"]["limb_ranks"] > 1' ||
        fail "auto took one rank"
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" $square y=large.heb --quiet
    expect 0 "$HEBATCH" verify large.heb --same-as small.heb --quiet
    echo "what does not fit one rank fits several, $least bytes to $limit each"
}

# 30 primes of 50 bits and a special one: what one GPU can still hold, to compare with.
chain=51
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    chain=50,$chain
done
for name in $sets; do
    case $name in
        8192) job bfv-8192 100000 --params bfv-8192 ;;
        32768)
            job bfv-32768 70000 --params bfv-32768
            job seal-32768 70000 --params seal-32768
            ;;
        65536) job "65536 x 30" 60000 --n 65536 --bits "$chain" ;;
        memory) memory ;;
        *) fail "no set $name" ;;
    esac
done
