#!/bin/sh
# --limb-ranks: ranks that share every ciphertext, limb by limb, encrypt to the bytes that one rank makes, decrypt and
# verify them, and continue what others left, however these had divided it. One member that fails, is killed or is asked
# to stop ends all, with one reason.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
shards=${0%/*}/shards.py
case $shards in /*) ;; *) fail "start it by its full path" ;; esac
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

# Four data primes: three members have one or two limbs, four have one each.
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,51 --plain 65537 --insecure --out keys
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out small # one prime

# launch CODE RANKS K COMMAND...: on RANKS ranks, of which K share each ciphertext.
launch() {
    code_of_launch=$1
    ranks=$2
    members=$3
    shift 3
    # shellcheck disable=SC2086
    expect "$code_of_launch" $MPIRUN -n "$ranks" "$HEBATCH" "$@" --limb-ranks "$members" --quiet
}

# refuse_all CODE WORDS RANKS COMMAND...: and one line says why.
refuse_all() {
    code_of_refusal=$1
    words=$2
    ranks=$3
    shift 3
    # shellcheck disable=SC2086
    expect "$code_of_refusal" $MPIRUN -n "$ranks" "$HEBATCH" "$@" --quiet
    [ "$(grep -c "^hebatch [a-z]*: " err)" = 1 ] || fail "a refusal is one line: $*"
    grep -q -- "$words" err || fail "the reason does not say '$words': $*"
}

# field FILE EXPRESSION: of the report that is in it, as r.
field() {
    "$PYTHON" -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# trip LAYOUTS TABLE KEY OPTIONS...: TABLE.csv, on one rank and as each of the layouts says: "RANKS:K RANKS:K".
trip() {
    layouts=$1 table=$2 key=$3
    shift 3
    rm -rf alone.heb alone.csv
    expect 0 "$HEBATCH" encrypt --quiet --key "keys/$key.h5" --insecure-test-seed $seed "$table.csv" alone.heb "$@"
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 alone.heb alone.csv
    budgets=$(field alone.csv.report.json 'r["noise_budget_bits"]')
    for layout in $layouts; do
        layout="${layout%:*} ${layout#*:}"
        rm -rf many.heb back.csv
        # shellcheck disable=SC2086
        launch 0 $layout encrypt --key "keys/$key.h5" --insecure-test-seed $seed "$table.csv" many.heb "$@" --queues 2
        # shellcheck disable=SC2086
        launch 0 $layout verify many.heb --same-as alone.heb --key keys/secret.h5 --against "$table.csv"
        expect 0 "$HEBATCH" verify many.heb --same-as alone.heb
        # shellcheck disable=SC2086
        launch 0 $layout decrypt --key keys/secret.h5 alone.heb back.csv
        same "$table.csv" back.csv
        [ "$(field back.csv.report.json 'r["noise_budget_bits"]')" = "$budgets" ] || fail "$layout: other noise budgets"
        absent many.heb.partial back.csv.partial
        case $layout in
        [234]" "[234]) # one group of ranks writes the files that one rank writes
            [ "$layout" = "4 2" ] || same many.heb/part-00000.h5 alone.heb/part-00000.h5
            "$PYTHON" - "$layout" <<'PYTHON' || fail "the report does not say how limbs are divided" ;;
import json, sys
ranks, members = map(int, sys.argv[1].split())
for name in "many.heb", "back.csv":
    limbs = json.load(open(name + ".report.json"))["limbs"]
    assert (limbs["limb_ranks"], limbs["groups"]) == (members, ranks // members), limbs
    assert limbs["rank_limbs"] == -(-4 // members) and limbs["exchange"] == "MPI", limbs
assert limbs["all_to_all"]["bytes"] + limbs["all_gather"]["bytes"] > 0, limbs # decrypting needs all limbs
PYTHON
        esac
    done
}

table 700 1 65537 >one.csv # one ciphertext
trip "1:1 2:2 4:2 2:auto" one secret
table 9000 3 65537 >many.csv # 27
trip "4:2 3:3" many secret --pack rows --errors binomial
trip "2:2 3:3 4:4 4:2 3:1" many public
table 60 40 65537 >wide.csv # 40 ciphertexts of few values each
trip "4:4" wide public --encoding coefficients
table 0 1 2 >empty.csv
trip "4:2 2:auto" empty public

# Without a test seed members draw one seed together, another one each time.
rm -rf many.heb again.heb back.csv
launch 0 4 2 encrypt --key keys/public.h5 many.csv many.heb
launch 0 4 2 encrypt --key keys/public.h5 many.csv again.heb
launch 1 2 2 verify many.heb --same-as again.heb
launch 0 3 3 decrypt --key keys/secret.h5 many.heb back.csv
same many.csv back.csv
launch 0 2 1 verify again.heb --key keys/secret.h5 --against many.csv

# The first difference, once.
sed '2500s/[0-9]*$/1/; 8000s/^[0-9]*/1/' many.csv >changed.csv
launch 1 4 2 verify many.heb --key keys/secret.h5 --against changed.csv
[ "$(grep -c "differ first in row 2499, column 'c3'" err)" = 1 ] || fail "the first cell that differs is not named"

# The plan says it; the environment stands in for the option.
# shellcheck disable=SC2086
HEBATCH_LIMB_RANKS=2 expect 0 $MPIRUN -n 4 "$HEBATCH" encrypt --dry-run --key keys/public.h5 many.csv new.heb
says "limbs        each ciphertext on 2 ranks, 2 limbs each at most, exchange over MPI$"
says "ranks        4, each group at most"

# What is no number of ranks, or too many.
for word in 0 -1 two ""; do
    refuse_all 64 "it is a number of ranks from 1 on, or auto" 2 encrypt --key keys/public.h5 one.csv new.heb \
        "--limb-ranks=$word"
done
refuse_all 64 "a job of 4 ranks cannot be divided" 4 decrypt --key keys/secret.h5 many.heb new.csv --limb-ranks 3
refuse_all 64 "a job of 1 rank cannot be divided" 1 verify many.heb --limb-ranks 2
refuse_all 78 "cannot be divided over 5 ranks" 5 encrypt --key keys/public.h5 one.csv new.heb --limb-ranks 5
refuse_all 78 "cannot be divided over 2 ranks" 2 encrypt --key small/public.h5 one.csv new.heb --limb-ranks 2
refuse_all 64 "it is auto, nccl or mpi" 2 verify many.heb --limb-ranks 2 --exchange tcp
refuse_all 64 "--comm-timeout" 2 verify many.heb --limb-ranks 2 --comm-timeout 0
[ "$HEBATCH_DEVICE" = cpu ] && refuse_all 69 "--exchange nccl: " 2 verify many.heb --limb-ranks 2 --exchange nccl
table 10 1 100 >few.csv
launch 0 2 auto encrypt --key small/secret.h5 few.csv small.heb
for command in keygen import export; do
    refuse 64 "limb-ranks" "$HEBATCH" $command --limb-ranks 1 x
done
absent new.heb new.csv new.heb.partial

# One of two members lacks something, or finds that it is damaged when both are at work.
mkdir here there
for name in one.csv many.csv keys many.heb; do
    cp -R $name here
    cp -R $name there
done
# apart CODE WORDS FIRST SECOND COMMAND...: two members, one in the folder FIRST, one in SECOND.
apart() {
    code_of_apart=$1 words=$2 first=$3 second=$4
    shift 4
    start=$(date +%s)
    # shellcheck disable=SC2086
    expect "$code_of_apart" $MPIRUN -n 1 -wdir "$work/$first" "$HEBATCH" "$@" --limb-ranks 2 --quiet : \
        -n 1 -wdir "$work/$second" "$HEBATCH" "$@" --limb-ranks 2 --quiet
    [ $(($(date +%s) - start)) -lt 60 ] || fail "the other member waited"
    [ "$(grep -c "^hebatch [a-z]*: " err)" = 1 ] || fail "not one reason"
    grep -q "^hebatch [a-z]*: rank [01] on .*: .*$words" err || fail "the reason does not say '$words'"
}
sed '8000s/^[0-9]*/x/' many.csv >there/many.csv # read by one member only, while the other computes
apart 65 "row 7999" there here verify many.heb --key keys/secret.h5 --against many.csv
flip there/many.heb/part-00001.h5 -3000 # rows of one member
apart 65 "unit" here there decrypt --key keys/secret.h5 many.heb back.csv
chmod 644 there/keys/secret.h5
apart 77 "secret.h5" here there decrypt --key keys/secret.h5 many.heb back.csv
apart 77 "secret.h5" there here decrypt --key keys/secret.h5 many.heb back.csv
rm there/many.heb/part-00001.h5
apart 66 "part-00001" here there verify many.heb
apart 66 "out.heb.partial" here there encrypt --key keys/public.h5 one.csv out.heb
rm there/one.csv
apart 66 "one.csv" here there encrypt --key keys/public.h5 one.csv out.heb
absent here/out.heb there/out.heb here/back.csv there/back.csv

# A job of some seconds, 46 units: N = 32768 with 15 primes, public key. RANKS, K: how limbs are divided.
expect 0 "$HEBATCH" keygen --n 32768 --bits 54,54,54,54,54,54,54,54,54,54,54,54,54,54,54 --plain-bits 20 --out big
table 3000000 1 500009 >long.csv

# interrupt SIGNAL UNITS RANKS K CODE: one member gets the signal when UNITS units more are stored than there were.
interrupt() {
    before=$("$PYTHON" "$shards" count out.heb.partial)
    # shellcheck disable=SC2086
    $MPIRUN -n "$3" "$HEBATCH" encrypt --quiet --resume --key big/public.h5 long.csv out.heb --limb-ranks "$4" >out 2>err &
    launcher=$!
    "$PYTHON" "$shards" wait out.heb.partial $((before + $2)) || fail "no $2 units"
    hebatches=$(pgrep -P "$launcher" hebatch)
    kill -s "$1" "$(echo "$hebatches" | tail -n 1)" || fail "the job ended too early"
    code=0
    wait "$launcher" || code=$?
    [ "$code" = "$5" ] || fail "exit code $code, not $5"
    for rank in $hebatches; do
        while kill -0 "$rank" 2>/dev/null; do sleep 0.05; done
    done
    absent out.heb
    "$PYTHON" "$shards" save out.heb.partial finished
}

# whole RANKS K LEAST: continues to the end; at least LEAST units are those that were there. The lead of a group stores
# the sum of a unit when its own rows are stored: another member may have been some units behind, which are made again.
whole() {
    launch 0 "$1" "$2" encrypt --resume --key big/public.h5 long.csv out.heb
    absent out.heb.partial out.heb/job.json
    kept=$("$PYTHON" "$shards" same out.heb finished "$3" 8) || fail "units that were finished have changed"
    [ "$(field out.heb.report.json 'r["units"]["there"]')" = "$kept" ] || fail "the report does not say $kept"
    launch 0 2 2 verify out.heb --key big/secret.h5 --against long.csv
    rm -rf out.heb
}

interrupt KILL 5 4 2 137
whole 3 3 1
interrupt TERM 5 2 2 75
grep -q "stopped by signal" err || fail "the reason is not the signal"
interrupt KILL 5 3 3 137
whole 2 1 2
interrupt TERM 3 2 1 75
whole 4 4 1
