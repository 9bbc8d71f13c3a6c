#!/bin/sh
# An owner of joint keys computes a result again before he makes a part of it (decrypt --part --recompute): what eval
# made is found to be the same, and anything else is refused. Given by ctest besides: JOINT_KEYS (joint_keys.c).
here=$(cd "${0%/*}" && pwd)
# shellcheck source=tests/cli/harness.sh
. "$here/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

expect 0 "$JOINT_KEYS" w 1000 alice bob
key=w/keys/public.h5
table 1500 2 40 >x.csv
table 1500 1 30 >z.csv
for name in x z; do
    expect 0 "$HEBATCH" encrypt --range 0..39 --key $key $name.csv $name.heb
done

# again OWNER EXPRESSION WORD...: a part by computing again.
again() {
    owner=$1 expression=$2
    shift 2
    "$HEBATCH" decrypt --part --key "w/$owner/party.h5" --session w/joint --recompute "$expression" --keys w/keys "$@"
}
# refuse_again CODE WORDS EXPRESSION WORD...: no part is made, and nothing is left beside it.
refuse_again() {
    wanted_code=$1 wanted_words=$2
    shift 2
    refuse "$wanted_code" "$wanted_words" again alice "$@" no.part
    for left in no.part*; do
        [ "$left" = "no.part.report.json" ] || [ ! -e "$left" ] || fail "$left was left behind"
    done
    rm -f no.part.report.json
}
sum_of_part() {
    sed -n 's/.*"sum": "\([0-9a-f]*\)".*/\1/p' "$1.report.json" | tail -n 1
}
evaluate() {
    expect 0 "$HEBATCH" eval --keys w/keys "$@"
}

# --- what eval made

evaluate 'y = x.c1 * z.c1' x=x.heb z=z.heb y=y.heb
expect 0 again alice 'y = x.c1 * z.c1' x=x.heb z=z.heb y.heb y-alice.part
says "^y-alice.part: the part of alice, one of 2$"
[ "$(wc -l <out)" = 1 ] || fail "stdout has lines of the computation"
complains "^hebatch: owners  *2: results keep" # its plan is in the log
for left in y-alice.part.recomputed*; do
    [ ! -e "$left" ] || fail "$left was left behind"
done
# Words stand in any order, and inputs may have other names.
expect 0 again bob 'y = b.c1 * a.c1' a=z.heb y.heb b=x.heb y-bob.part --json
"$PYTHON" -c 'import json
report = json.load(open("out"))
assert report["command"] == "decrypt --part" and report["recomputed"] is True, report
units = report["units"]
assert not units["resumed"] and units["there"] == 0 and units["done"] == units["todo"] > 0, units' || fail "the report of a part"
expect 0 "$HEBATCH" combine y.heb 'y-*.part' y.csv
awk -F, 'NR == FNR { x[FNR] = $1; next } FNR == 1 { print "y" } FNR > 1 { print x[FNR] * $1 }' x.csv z.csv >yy
same yy y.csv
# Of more ranks, of members that share limbs, by all that a dry run says.
for n in 2 3; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n $n "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --keys w/keys \
        --recompute 'y = x.c1 * z.c1' x=x.heb z=z.heb y.heb ranks$n.part
    [ "$(sum_of_part ranks$n.part)" = "$(sum_of_part y-alice.part)" ] || fail "another part by $n ranks"
done
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --part --limb-ranks 2 --key w/alice/party.h5 --session w/joint --keys w/keys \
    --recompute 'y = x.c1 * z.c1' x=x.heb z=z.heb y.heb limbs.part
[ "$(sum_of_part limbs.part)" = "$(sum_of_part y-alice.part)" ] || fail "another part by members"
expect 0 again alice 'y = x.c1 * z.c1' x=x.heb z=z.heb y.heb dry.part --dry-run
says "^disk .*to write"
complains "^hebatch: depth  *1 product"
absent dry.part*
refuse 65 "is not what --recompute makes" again alice 'y = x.c1 + z.c1' x=x.heb z=z.heb y.heb dry.part --dry-run --compact 1

# For somebody else.
expect 0 "$HEBATCH" keygen --n 1024 --bits 55,55,55,55,56 --plain 65537 --insecure --out one --quiet
evaluate 'y = x.c2 + z.c1' x=x.heb z=z.heb y=to.heb
for name in alice bob; do
    expect 0 again $name 'y = x.c2 + z.c1' x=x.heb z=z.heb to.heb to-$name.part --to one/public.h5
done
expect 0 "$HEBATCH" combine to.heb 'to-*.part' for-one.heb
expect 0 "$HEBATCH" decrypt --key one/secret.h5 for-one.heb to.csv
awk -F, 'NR == FNR { x[FNR] = $2; next } FNR == 1 { print "y" } FNR > 1 { print x[FNR] + $1 }' x.csv z.csv >too
same too to.csv

# --- anything else

expect 0 "$HEBATCH" encrypt --range 0..39 --key $key x.csv other.heb
refuse_again 65 "^hebatch decrypt: sum of y.heb is [0-9a-f]*, and --recompute makes [0-9a-f]*: it is another result, or" \
    'y = x.c1 * z.c1' x=other.heb z=z.heb y.heb
[ "$(sed 's/.*sum of y.heb is \([0-9a-f]*\),.*/\1/' err)" = "$(sum_of y.heb)" ] || fail "y.heb has another sum"
refuse_again 65 "it is another result" 'y = x.c1 * z.c1' x=z.heb z=z.heb y.heb
refuse_again 65 "--recompute makes" 'y = x.c2 * z.c1' x=x.heb z=z.heb y.heb
refuse_again 65 "is not what --recompute makes, by its columns" 'y = x.c1 * z.c1 + 1' x=x.heb z=z.heb y.heb
refuse_again 65 "" 'y = x.c1 * z.c1; t = sum(y)' x=x.heb z=z.heb t=y.heb y.heb
refuse_again 66 "none.heb" 'y = x.c1 * z.c1' x=none.heb z=z.heb y.heb
refuse_again 66 "none.heb" 'y = x.c1 * z.c1' x=x.heb z=z.heb none.heb
refuse_again 64 "nothing is bound to 'z'" 'y = x.c1 * z.c1' x=x.heb y.heb
# A dataset that a server made up: its part with --trust would be the secret. The sum that it gives is its own.
cp -r y.heb eighth.heb
"$PYTHON" "$forge" eighth eighth.heb
expect 0 "$HEBATCH" info eighth.heb
refuse_again 65 "sum of eighth.heb is" 'y = x.c1 * z.c1' x=x.heb z=z.heb eighth.heb
grep -q "recompute makes $(sum_of y.heb)" err || fail "the sum that was computed is not that of y.heb"
# Its inputs: which they are stands in the plan and the report, and the line may say which they have to be.
x_sum=$(sum_of x.heb) z_sum=$(sum_of z.heb)
first=$(echo "$z_sum" | cut -c 1-32)
key_id=$("$HEBATCH" info x.heb | sed -n 's/^key id *//p')
mkdir by
evaluate 'y = x.c2 * z.c1' x=x.heb z=z.heb y=demanded.heb
expect 0 again alice 'y = x.c2 * z.c1' "x=x.heb@$x_sum" "z=z.heb@$first" demanded.heb demanded.part --json
complains "^hebatch: input  *x=x.heb, sum $x_sum, key $key_id$"
"$PYTHON" -c 'import json, sys
x, z, key = sys.argv[1:]
want = [{"name": n, "file": n + ".heb", "sum": s, "key_id": key} for n, s in (("x", x), ("z", z))]
for report in (json.load(open("out")), json.load(open("demanded.part.report.json"))):
    assert sorted(report["inputs"], key=lambda i: i["name"]) == want, report' "$x_sum" "$z_sum" "$key_id" ||
    fail "the report says other inputs"
refuse_again 65 "sum of x.heb is $x_sum, not $z_sum" 'y = x.c2 * z.c1' "x=x.heb@$z_sum" z=z.heb demanded.heb
refuse_again 64 "@5f0c: expected the sum as info prints it, 32 to 64" 'y = x.c2 * z.c1' x=x.heb@5f0c z=z.heb \
    demanded.heb
refuse_again 64 "is an output" 'y = x.c2 * z.c1' x=x.heb z=z.heb "y=demanded.heb@$x_sum" demanded.heb
# A server that swaps input and result together: they fit each other, and the input is another.
evaluate 'y = x.c2 * z.c1' x=other.heb z=z.heb y=by/demanded.heb
expect 0 again bob 'y = x.c2 * z.c1' x=other.heb z=z.heb by/demanded.heb by/any.part
refuse_again 65 "sum of other.heb is" 'y = x.c2 * z.c1' "x=other.heb@$x_sum" z=z.heb by/demanded.heb
# Other names of files may have an @.
cp -r x.heb x@1
expect 0 again bob 'y = x.c2 * z.c1' x=x@1 z=z.heb demanded.heb named.part
expect 0 again bob 'y = x.c2 * z.c1' "x=x@1@$x_sum" z=z.heb demanded.heb named2.part
same named.part/part-00000.h5 named2.part/part-00000.h5

# Keys that somebody made up, of the right id and with checksums that hold: none but those that were compared are taken.
evaluate 'r = rotate(x.c1, 1)' x=x.heb r=r.heb
expect 0 again alice 'r = rotate(x.c1, 1)' x=x.heb r.heb r-before.part
for change in "chosen relin.h5" "chosen galois-3.h5" "reseeded galois-3.h5"; do
    file=${change#* }
    cp w/keys/"$file" honest.h5
    "$PYTHON" "$forge" "${change% *}" w/keys/"$file"
    expression='y = x.c1 * z.c1' inputs='x=x.heb z=z.heb' result=y.heb
    said="w/keys/$file: is none of the keys that you compared.* --check KEYS"
    [ "$file" = relin.h5 ] || expression='r = rotate(x.c1, 1)' inputs=x=x.heb result=r.heb
    # shellcheck disable=SC2086
    refuse_again 65 "$said" "$expression" $inputs $result
    # shellcheck disable=SC2086
    expect 65 $MPIRUN -n 2 "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --keys w/keys \
        --recompute "$expression" $inputs $result no.part --quiet
    complains "$said"
    absent no.part no.part.partial
    mv honest.h5 w/keys/"$file"
done
expect 0 again alice 'r = rotate(x.c1, 1)' x=x.heb r.heb r-after.part
same r-before.part/part-00000.h5 r-after.part/part-00000.h5
# A public key of the session whose sum is none: it has another id, which every way of saying what a dataset is refuses.
cp w/keys/public.h5 chosen.h5
cp w/keys/public.h5 unsummed.h5
"$PYTHON" "$forge" chosen chosen.h5
"$PYTHON" "$forge" unsummed unsummed.h5
refuse 65 "chosen.h5: is a public key of several owners, and its component 1 is not that of their session" \
    "$HEBATCH" encrypt --range 0..39 --key chosen.h5 x.csv chosen.heb
refuse 65 "chosen.h5: is a public key of several owners" "$HEBATCH" sanitize --key chosen.h5 y.heb chosen.heb
refuse 65 "chosen.h5: is a public key of several owners" "$HEBATCH" decrypt --part --key w/alice/party.h5 \
    --session w/joint --trust --to chosen.h5 y.heb no.part
absent chosen.heb no.part
expect 0 "$HEBATCH" encrypt --range 0..39 --key unsummed.h5 x.csv u.heb
for way in "--sum $(sum_of u.heb)" --trust "--recompute y=x.c1+x.c2 x=u.heb"; do
    # shellcheck disable=SC2086
    refuse 65 "u.heb: is under key [0-9a-f]*, and you compared key $key_id" "$HEBATCH" decrypt --part \
        --key w/alice/party.h5 --session w/joint $way u.heb no.part
    absent no.part no.part.partial
done
# A table under one key, and no output where an input is.
refuse 64 "no.csv: a part is no table: name it no.part" again alice 'y = x.c1 * z.c1' x=x.heb z=z.heb y.heb no.csv
refuse 64 "needs --sum, --recompute or --trust" "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint y.heb no.part
refuse_again 64 "give one of them" 'y = x.c1 * z.c1' x=x.heb z=z.heb y.heb --trust
refuse_again 64 "and IN.heb OUT.part: 1 words" 'y = x.c1 * z.c1' x=x.heb z=z.heb
refuse_again 64 "and IN.heb OUT.part: 3 words" 'y = x.c1 * z.c1' x=x.heb z=z.heb y.heb z.heb
refuse 64 "give --part" "$HEBATCH" decrypt --key w/alice/party.h5 --recompute 'y = x' y.heb y.csv
refuse 64 "x=x.heb: inputs are of --recompute" "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --trust \
    x=x.heb z=z.heb y.heb no.part
refuse 73 "y-alice.part" again alice 'y = x.c1 * z.c1' x=x.heb z=z.heb y.heb y-alice.part

# --- several outputs: which were stored, and which one it is

both='y = x.c1 * x.c2; s = sum(x.c1 * x.c1); p = sum(x)'
evaluate "$both" --wrap x=x.heb y=y3.heb s=s.heb p=p.heb
mkdir moved
cp -r s.heb moved/here.heb
refuse_again 64 "the expression assigns y and others: say which were stored, .* NAME=s.heb$" "$both" x=x.heb s.heb
refuse_again 64 "say which were stored" "$both" x=x.heb y=y3.heb s=s.heb p=p.heb moved/here.heb
for of in y=y3 s=s p=p; do
    expect 0 again alice "$both" x=x.heb y=y3.heb s=s.heb p=p.heb "${of#*=}.heb" "${of%=*}-again.part"
done
refuse_again 65 "" "$both" x=x.heb y=p.heb s=s.heb p=y3.heb p.heb
evaluate "$both" --wrap x=x.heb s=one.heb
expect 0 again alice "$both" x=x.heb s=elsewhere.heb one.heb one.part # the only one that was stored, whatever its name

# --- options of eval: which limbs, plain tables, a job file

evaluate --compact off 'y = x.c1 * x.c1' x=x.heb y=off.heb
expect 0 again alice 'y = x.c1 * x.c1' x=x.heb off.heb off.part
evaluate --compact 100 'y = x.c1 * x.c1 + x.c2' x=x.heb y=some.heb
refuse_again 65 "some.heb has 3 limbs, and --recompute makes 2: .*--compact" 'y = x.c1 * x.c1 + x.c2' x=x.heb some.heb
expect 0 again alice 'y = x.c1 * x.c1 + x.c2' x=x.heb some.heb some.part --compact 100
printf 'k\n1.5\n' >k.csv
evaluate --scale k=10 'y = x.c1 * k' x=x.heb k=k.csv y=k.heb
refuse_again 65 "k.csv" 'y = x.c1 * k' x=x.heb k=k.csv k.heb
cat >k.json <<'JSON'
{"eval": "y = x.c1 * k", "keys": "w/keys", "inputs": {"x": "x.heb", "k": "k.csv"}, "options": {"scale": "k=10"}}
JSON
expect 0 "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --recompute k.json k.heb k.part
cat >job.json <<'JSON'
{"eval": "y = x.c1 + z.c1 * 3", "keys": "w/keys", "inputs": {"x": "x.heb", "z": "z.heb"}, "outputs": {"y": "j.heb"}}
JSON
expect 0 "$HEBATCH" eval job.json
expect 0 "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint --recompute job.json j.heb j.part

# --- sanitized results, and opened ones

evaluate --compact off 'y = x.c1 * x.c2' x=x.heb y=full.heb
expect 0 "$HEBATCH" sanitize --bits 20 --key $key full.heb hidden.heb
refuse_again 65 "hidden.heb is sanitized, .*sanitize --open" 'y = x.c1 * x.c2' x=x.heb hidden.heb
expect 0 "$HEBATCH" sanitize --open --key $key full.heb opened.heb
expect 0 again alice 'y = x.c1 * x.c2' x=x.heb opened.heb opened.part
refuse_again 65 "sum of opened.heb is" 'y = x.c1 * x.c2' x=other.heb opened.heb
refuse_again 65 "opened.heb is not what --recompute makes" 'y = x.c1 * x.c2 + 1' x=x.heb opened.heb
refuse 64 "keys DIR is missing" "$HEBATCH" decrypt --part --key w/alice/party.h5 --session w/joint \
    --recompute 'y = x.c1 * x.c2' x=x.heb opened.heb no.part

# --- killed while it computes: the next run removes what is left

[ -n "${KILL_AT_LIBRARY-}" ] || exit 0
evaluate 'y = x.c1 * x.c1 * 2' x=x.heb y=k2.heb
k=0 left=0
while :; do
    k=$((k + 7))
    rm -rf killed.part killed.part.partial
    code=0
    KILL_AT=$k LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" decrypt --part --key w/bob/party.h5 --session w/joint --keys w/keys \
        --recompute 'y = x.c1 * x.c1 * 2' x=x.heb k2.heb killed.part >out 2>err || code=$?
    [ $code = 0 ] && break
    [ $code = 137 ] || fail "exit code $code when killed at $k"
    for folder in killed.part.recomputed.*; do
        [ ! -e "$folder" ] || { left=1 && [ "$(stat -c %a "$folder")" = 700 ] || fail "$folder is open to others"; }
    done
done
[ $left = 1 ] || fail "never killed while it computed"
for folder in killed.part.recomputed.*; do
    [ ! -e "$folder" ] || fail "$folder was left behind"
done
