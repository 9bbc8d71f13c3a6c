#!/bin/sh
# --limb-ranks: ranks that share every ciphertext, limb by limb, encrypt to the bytes that one rank makes, decrypt and
# verify them, and continue what others left, however these had divided it. One member that fails, is killed or is asked
# to stop ends all, with one reason.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

# Four data primes: three members have one or two limbs, four have one each.
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,51 --plain 65537 --insecure --out keys
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out small # one prime

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
            "$PYTHON" - "$layout" "$table" <<'PYTHON' || fail "the report does not say how limbs are divided" ;;
import json, sys
ranks, members = map(int, sys.argv[1].split())
for name in "many.heb", "back.csv":
    limbs = json.load(open(name + ".report.json"))["limbs"]
    assert (limbs["limb_ranks"], limbs["groups"]) == (members, ranks // members), limbs
    assert limbs["rank_limbs"] == -(-4 // members) and limbs["exchange"] == "MPI", limbs
exchanged = limbs["all_to_all"]["bytes"] + limbs["all_gather"]["bytes"] # decrypting needs all limbs
assert (exchanged > 0) == (sys.argv[2] != "empty"), limbs
PYTHON
        esac
    done
}

table 700 1 65537 >one.csv # one ciphertext
trip "2:auto 4:4" one secret
table 9000 3 65537 >many.csv # 27
trip "3:3" many secret --pack rows --errors binomial
trip "4:2" many public
table 60 12 65537 >wide.csv # 12 ciphertexts of few values each
trip "2:2" wide public --encoding coefficients
table 0 1 2 >empty.csv
trip "4:2" empty public

# Without a test seed members draw one seed together, another one each time.
rm -rf many.heb again.heb back.csv
launch 0 4 2 encrypt --key keys/public.h5 many.csv many.heb
launch 0 2 2 encrypt --key keys/public.h5 many.csv again.heb
launch 1 2 2 verify many.heb --same-as again.heb
launch 0 2 1 decrypt --key keys/secret.h5 many.heb back.csv
same many.csv back.csv
launch 0 2 1 verify again.heb --key keys/secret.h5 --against many.csv

# The first difference, once.
sed '2500s/[0-9]*$/1/; 8000s/^[0-9]*/1/' many.csv >changed.csv
launch 1 4 2 verify many.heb --key keys/secret.h5 --against changed.csv
[ "$(grep -c "differ first in row 2499, column 'c3'" err)" = 1 ] || fail "the first cell that differs is not named"

# Sums that hold over residues that do not: the member that has the limb says so.
cp -r many.heb forged.heb
"$PYTHON" "$forge" residues forged.heb || fail "could not forge"
refuse_all 65 "unit [0-9]*) have residues that are not below their prime" 2 verify forged.heb --limb-ranks 2
refuse_all 65 "unit [0-9]*) have residues that are not below their prime" 2 verify forged.heb
rm -rf forged.heb

# The plan says it; the environment stands in for the option.
# shellcheck disable=SC2086
HEBATCH_LIMB_RANKS=2 expect 0 $MPIRUN -n 4 "$HEBATCH" encrypt --dry-run --key keys/public.h5 many.csv new.heb
says "limbs        each ciphertext on 2 ranks, 2 limbs each at most, exchange over MPI$"
says "ranks        4, each group at most"

# Texts that are no number of ranks, and too many ranks.
for word in "" 0x2; do
    refuse_all 64 "--limb-ranks '$word': it is a number of ranks from 1 on, or auto" 2 encrypt --key keys/public.h5 \
        one.csv new.heb "--limb-ranks=$word"
done
refuse_all 64 "a job of 4 ranks cannot be divided" 4 decrypt --key keys/secret.h5 many.heb new.csv --limb-ranks 3
refuse_all 64 "a job of 1 rank cannot be divided" 1 verify many.heb --limb-ranks 2
refuse_all 78 "cannot be divided over 5 ranks" 5 encrypt --key keys/public.h5 one.csv new.heb --limb-ranks 5
refuse_all 78 "cannot be divided over 2 ranks" 2 encrypt --key small/public.h5 one.csv new.heb --limb-ranks 2
refuse_all 64 "it is auto, direct, nccl or mpi" 2 verify many.heb --limb-ranks 2 --exchange tcp
refuse_all 64 "--comm-timeout" 2 verify many.heb --limb-ranks 2 --comm-timeout 0.05
[ "$HEBATCH_DEVICE" = cpu ] && refuse_all 69 "--exchange nccl: " 2 verify many.heb --limb-ranks 2 --exchange nccl
[ "$HEBATCH_DEVICE" = cpu ] && refuse_all 69 "--exchange direct: " 2 verify many.heb --limb-ranks 2 --exchange direct
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
    code_of_apart=$1 reason=$2 one=$3 other=$4
    shift 4
    differ "$code_of_apart" "$reason" "$one" "" "$other" "" "$@" --limb-ranks 2
}
sed '8000s/^[0-9]*/7/' many.csv >there/many.csv # a good value, but another one
apart 65 "many.csv is not the same on all ranks that share its limbs" here there encrypt --key keys/secret.h5 many.csv \
    ../out.heb
absent out.heb out.heb.partial
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
rm -r there/one.csv here/out.heb.partial
apart 66 "one.csv" here there encrypt --key keys/public.h5 one.csv out.heb
absent here/out.heb there/out.heb here/back.csv there/back.csv

# Options that members must have alike.
alike="--limb-ranks, --exchange or --comm-timeout is not what rank 0 has"
differ 65 "$alike" here "--limb-ranks 1" here "--limb-ranks 2" verify many.heb
differ 65 "$alike" here "--limb-ranks auto" here "--limb-ranks 2" decrypt --key keys/secret.h5 many.heb back.csv
differ 65 "$alike" here "--exchange auto" here "--exchange mpi" encrypt --key keys/public.h5 many.csv new.heb
differ 65 "$alike" here "--comm-timeout 60" here "--comm-timeout 90" verify many.heb --limb-ranks 2
# shellcheck disable=SC2086
expect 65 $MPIRUN -n 1 env HEBATCH_LIMB_RANKS=2 "$HEBATCH" verify many.heb : -n 1 "$HEBATCH" verify many.heb
grep -q -- "$alike" err || fail "the reason does not name --limb-ranks"
alike="--errors or the test seed is not what rank 0 has"
differ 65 "$alike" here "--errors gaussian" here "--errors binomial" encrypt --key keys/public.h5 many.csv new.heb \
    --limb-ranks 2
differ 65 "$alike" here "--insecure-test-seed $seed" here "--insecure-test-seed ${seed%f}e" encrypt \
    --key keys/public.h5 many.csv new.heb --limb-ranks 2
absent here/new.heb here/new.heb.partial here/back.csv

# A job of 31 units: N = 8192 with 5 primes, public key. RANKS, K: how limbs are divided.
expect 0 "$HEBATCH" keygen --n 8192 --bits 50,50,50,50,51 --plain-bits 20 --insecure --out big
table 250000 1 500009 >long.csv

# interrupt SIGNAL UNITS RANKS K CODE: when each group has stored UNITS.
interrupt() {
    strike "$1" "$2" "$5" out.heb "$3" "$4" encrypt --resume --key big/public.h5 long.csv out.heb
}

interrupt KILL 2 4 2 137
interrupt TERM 4 3 3 75
grep -q "stopped by signal" err || fail "the reason is not the signal"
interrupt KILL 2 2 1 137

# Continued to the end. The lead of a group stores the sum of a unit when its own rows are stored: another member may
# have been some units behind, which are made again.
launch 0 4 4 encrypt --resume --key big/public.h5 long.csv out.heb
absent out.heb.partial out.heb/job.json
kept=$("$PYTHON" "$shards" same out.heb finished 4 8) || fail "units that were finished have changed"
[ "$(field out.heb.report.json 'r["units"]["there"]')" = "$kept" ] || fail "the report does not say $kept"
launch 0 2 2 verify out.heb --key big/secret.h5 --against long.csv
