#!/bin/sh
# eval --limb-ranks: ranks that share every ciphertext, limb by limb, compute the bytes that one rank computes:
# products, rotations, sums over all rows, plain tables, lower levels, several passes and outputs. A job that ended
# early is continued with the limbs divided otherwise; a failure of one rank ends all with one reason.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"

# Four data primes: three members have one or two limbs, four have one each, and none of a lower level on the last.
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,51 --plain 65537 --insecure --out keys
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --relin --swap --rotations sum,3
text="p = a * b + w; y = rotate(p, 3) - 1; d = dot(a, b) + 2; z = square(a - sum(a)) + W @ a; r = swap(a) * v; \
m = modswitch(modswitch(modswitch(a * w)))" # z in a second pass, W encrypted

# compute CODE RANKS K SUFFIX [W]: all outputs, as y.SUFFIX.heb and so on.
compute() {
    launch "$1" "$2" "$3" eval --keys keys "$text" a=a.heb b=b.heb w="${5:-w.csv}" v=v.csv W=W.heb \
        y="y.$4.heb" d="d.$4.heb" z="z.$4.heb" r="r.$4.heb" m="m.$4.heb" --queues 2
}

printf 'c1,c2\n3,65535\n' >v.csv
printf 'c1,c2\n3,65535\n1,2\n' >W.csv
for rows in 700 7000; do # 1 and 7 row blocks
    table $rows 2 100 >a.csv
    table $rows 2 77 >b.csv
    table $rows 2 9 | awk -F, 'NR == 1 { print; next } { print $1 + 1 "," $2 + 1 }' >w.csv
    rm -rf ./*.heb
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 a.csv a.heb
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 b.csv b.heb
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 W.csv W.heb
    compute 0 1 1 one
    layouts="2-2 4-4"
    [ "$rows" = 700 ] || layouts="3-3 4-2 2-auto"
    for layout in $layouts; do
        layout="${layout%-*} ${layout#*-}"
        # shellcheck disable=SC2086
        compute 0 $layout many
        for output in y d z r m; do
            expect 0 "$HEBATCH" verify $output.many.heb --same-as $output.one.heb
            absent $output.many.heb.partial
            # One group of ranks writes the files that one rank writes.
            [ "$layout" = "4 2" ] || [ "$layout" = "2 auto" ] ||
                same "$output.many.heb/part-00000.h5" "$output.one.heb/part-00000.h5"
        done
        "$PYTHON" - "$layout" <<'PYTHON' || fail "the report does not say how limbs are divided"
import json, sys
ranks, members = sys.argv[1].split()
limbs = json.load(open("y.many.heb.report.json"))["limbs"]
if members == "auto": # the soonest of what was predicted of each number
    trials = {t["limb_ranks"]: t["seconds"] for t in limbs["predicted"] if t["fits"]}
    assert list(trials) == [k for k in range(1, 5) if int(ranks) % k == 0] and min(trials.values()) > 0, limbs
    assert limbs["limb_ranks"] == min(trials, key=trials.get), limbs
    taken = [t["measured"] for t in limbs["predicted"] if t["limb_ranks"] == limbs["limb_ranks"]]
    assert taken == [limbs["limb_ranks"] > 1], limbs
else:
    assert "predicted" not in limbs, limbs
    assert (limbs["limb_ranks"], limbs["groups"]) == (int(members), int(ranks) // int(members)), limbs
    assert limbs["rank_limbs"] == -(-4 // int(members)) and limbs["exchange"] == "MPI", limbs
    assert limbs["all_gather"]["bytes"] > 0 and limbs["broadcast"]["bytes"] > 0, limbs
PYTHON
        rm -rf ./*.many.heb ./*.many.heb.report.json
    done
done

# A dry run measures with the limbs divided, and makes nothing.
launch 0 4 2 eval --keys keys "$text" a=a.heb b=b.heb w=w.csv v=v.csv W=W.heb y=y.many.heb d=d.many.heb --dry-run
says "^time "
says "^limbs .*on 2 ranks, 2 limbs each"
absent y.many.heb
# What was predicted of each number of ranks is in the plan.
launch 0 4 auto eval --keys keys "$text" a=a.heb b=b.heb w=w.csv v=v.csv W=W.heb y=y.many.heb d=d.many.heb --dry-run
time='[0-9.]* [mu]*s'
says "^limb ranks   [124] (predicted: $time with 1, $time with 2, $time with 4[;)]"
absent y.many.heb y.many.heb.partial

# A chain so long that keys become integers where exchanges are not too slow, when all members have theirs: the same
# bytes. A member whose key is damaged ends all while the others wait for it.
expect 0 "$HEBATCH" keygen --n 8192 --bits 50,50,50,50,50,50,50,50,50,50,50,50,50,50,50,50,50,50,50,50,50,50,50,51 \
    --plain 65537 --insecure --relin --rotations 1 --out long
expect 0 "$HEBATCH" encrypt --key long/public.h5 a.csv a.long.heb
expect 0 "$HEBATCH" eval --keys long "y = rotate(a * a, 1)" a=a.long.heb y=y.long.heb
for members in 2 3; do
    launch 0 $members $members eval --keys long "y = rotate(a * a, 1)" a=a.long.heb y=y.shared.heb
    expect 0 "$HEBATCH" verify y.shared.heb --same-as y.long.heb
    rm -rf y.shared.heb y.shared.heb.report.json
done
mkdir good bad
cp -R long a.long.heb good
cp -R long a.long.heb bad
for key in bad/long/relin.h5 bad/long/galois-3.h5; do flip "$key" -3000; done # each rank reads one for both
differ 65 "h5" good "" bad "" eval --keys long "y = rotate(a * a, 1)" a=a.long.heb y=../y.bad.heb \
    --limb-ranks 2
rm -rf good bad long ./*.long.heb

# Divisions that cannot be.
launch 64 3 2 eval --keys keys "y = a * b" a=a.heb b=b.heb y=bad.heb
grep -q "^hebatch eval: .*--limb-ranks 2" err || fail "the number of ranks is not named"
launch 78 5 5 eval --keys keys "y = a * b" a=a.heb b=b.heb y=bad.heb
grep -q "^hebatch eval: .*over 5 ranks: .* it has 4," err || fail "the number of limbs is not named"
launch 69 2 2 eval --keys keys "y = a * b" a=a.heb b=b.heb y=bad.heb --exchange nccl
grep -q "^hebatch eval: .*--exchange nccl: " err || fail "NCCL is not named"
refuse 64 "--limb-ranks 'some'" "$HEBATCH" eval "y = a + b" a=a.heb b=b.heb y=bad.heb --limb-ranks some
absent bad.heb bad.heb.partial

# one_reason CODE WORDS: what the job that failed said, once, of all that there is to say.
one_reason() {
    [ "$(grep -c "^hebatch eval: " err)" = 1 ] || fail "not one reason"
    grep -q "^hebatch eval: .*$1" err || fail "the reason does not say '$1'"
    absent ./*.bad.heb ./*.bad.heb.partial
}

# A result that anyone could read: of every row, which the plan sees, and of the second row block alone, which the rows
# show. A value out of range in the last row.
printf 'c1,c2\n2,0\n' >zero.csv
launch 64 4 2 eval --keys keys "y = a * w" a=a.heb w=zero.csv y=y.bad.heb
one_reason "character 7 of 'y = a \* w': nothing encrypted is left here"
awk 'NR >= 1026 && NR <= 2049 { sub(/,[0-9]*$/, ",0") } { print }' w.csv >zero.csv
launch 65 4 2 eval --keys keys "y = a * w" a=a.heb w=zero.csv y=y.bad.heb
one_reason "y: its ciphertext [0-9]*[13579] (from 0) is transparent"
sed '7001s/,[0-9]*$/,70000/' w.csv >large.csv
compute 65 4 2 bad large.csv
one_reason "large.csv: row 7000 (line 7001), column 'c2'"

# Damage in the rows of any limb, which one member reads.
for place in "100000 3 3" "250000 4 2" "400000 3 3" "500000 2 2"; do
    cp -R b.heb damaged.heb
    flip damaged.heb/part-00000.h5 "${place%% *}"
    # shellcheck disable=SC2086
    launch 65 ${place#* } eval --keys keys "y = a * b" a=a.heb b=damaged.heb y=y.bad.heb
    one_reason "do not match their checksum"
    rm -rf damaged.heb
done

# Plain tables that are not the same for all members, though each is a good one; options of job files that differ.
mkdir here there
for name in a.heb b.heb w.csv v.csv keys; do
    cp -R $name here
    cp -R $name there
done
alike="is not the same on all ranks that share its limbs"
sed '5s/[0-9]*$/7/' w.csv >there/w.csv
differ 65 "w.csv $alike" here "" there "" eval --keys keys "y = a * b + w" a=a.heb b=b.heb w=w.csv y=../y.bad.heb \
    --limb-ranks 2
cp w.csv there/w.csv
sed 's/65535/65534/' v.csv >there/v.csv
differ 65 "v.csv $alike" there "" here "" eval --keys keys "y = a * v" a=a.heb v=v.csv y=../y.bad.heb --limb-ranks 2
for ranks in 1 2; do
    folder=$([ "$ranks" = 1 ] && echo here || echo there)
    echo '{"eval": "y = a + b", "keys": "keys", "inputs": {"a": "a.heb", "b": "b.heb"}, "outputs": {"y": "y.bad.heb"},
        "options": {"limb-ranks": '"$ranks"'}}' >"$folder/job.json"
done
differ 65 "--limb-ranks, --exchange or --comm-timeout" here "" there "" eval job.json
differ 65 "--noise or --batch" here "--batch 1" here "--batch 2" eval "y = a + b" a=a.heb b=b.heb y=y.bad.heb
absent y.bad.heb y.bad.heb.partial here/y.bad.heb here/y.bad.heb.partial

# A job of 40 steps: N = 8192 with 5 primes. interrupt UNITS RANKS K: kills one rank when each group has stored UNITS
# more.
expect 0 "$HEBATCH" keygen --n 8192 --bits 50,50,50,50,51 --plain 65537 --insecure --out wide --for "y = a * b"
table 327000 1 100 >long.csv
expect 0 "$HEBATCH" encrypt --key wide/secret.h5 long.csv long.heb
text="y = a^3 + (a + 1)^3"
expect 0 "$HEBATCH" eval --keys wide "$text" a=long.heb y=whole.heb
interrupt() {
    strike KILL "$1" 137 out.heb "$2" "$3" eval --keys wide "$text" a=long.heb y=out.heb --resume
}
interrupt 4 2 2
interrupt 4 3 3
interrupt 2 2 1
"$PYTHON" "$shards" damage out.heb.partial 0
launch 0 4 2 eval --keys wide "$text" a=long.heb y=out.heb --resume
left=$(field out.heb.report.json 'r["steps_done"]')
[ "$left" -le 34 ] || fail "$left steps were done again"
expect 0 "$HEBATCH" verify out.heb --same-as whole.heb
absent out.heb.partial out.heb/job.json
