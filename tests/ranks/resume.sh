#!/bin/sh
# encrypt --resume: what it takes over of an unfinished dataset, makes again, and refuses. The test seed makes the result
# comparable with that of an uninterrupted job.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
shards=${0%/*}/shards.py
case $shards in /*) ;; *) fail "start it by its full path" ;; esac
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys # N = 2048
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out others
table 200000 1 30000 >in.csv # 98 ciphertexts, 49 units, in 17, 16 and 16 on three ranks

launch() {
    count=$1
    shift
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$count" "$HEBATCH" encrypt --quiet --insecure-test-seed $seed --key keys/secret.h5 "$@"
}

# job LEFT RANKS: continues out.heb, with LEFT units to do, and compares.
job() {
    launch "$2" in.csv out.heb --resume
    [ "$(jq_units)" = "True $((49 - $1)) $1" ] || fail "the report says $(jq_units), not $1 units to do"
    expect 0 "$HEBATCH" verify out.heb --same-as whole.heb --key keys/secret.h5 --against in.csv
    absent out.heb.partial out.heb.partial.key out.heb/job.json
    [ "$(find out.heb -name 'values-*')" = "" ] || fail "records of values stay in the dataset"
}
jq_units() {
    "$PYTHON" -c 'import json; u = json.load(open("out.heb.report.json"))["units"]
print(u["resumed"], u["there"], u["todo"])'
}
# part: an unfinished dataset with all units, laid out by three ranks.
part() {
    rm -rf out.heb out.heb.partial
    cp -R whole.heb out.heb
    "$PYTHON" "$shards" partial out.heb in.csv 3 || fail "cannot make a partial dataset"
}

launch 3 in.csv whole.heb --resume # nothing there: it begins
for ranks in 1 2 3 4; do
    part # killed before the final name
    job 0 $ranks
    part
    rm out.heb.partial/index.h5
    "$PYTHON" "$shards" forget out.heb.partial 0 7 17 18 48
    export HEBATCH_QUEUES=$ranks
    job 5 $ranks
    unset HEBATCH_QUEUES
done
part
"$PYTHON" "$shards" damage out.heb.partial 20
job 1 2
part
rm out.heb.partial/part-00001.h5
job 16 2
part
truncate -s -1 out.heb.partial/part-00000.h5
echo "no HDF5" >out.heb.partial/part-00002.h5
job 33 4
part
rm out.heb.partial/part-*.h5
job 49 1
part # a part in another's place
cp out.heb.partial/part-00001.h5 out.heb.partial/part-00002.h5
job 16 3

# Whether stored units are of this table is known by their values. Without the key, or without a record, they are made again.
part
rm out.heb.partial.key
job 49 2
part
rm out.heb.partial/values-0
job 49 3
part
echo x >out.heb.partial.key
job 49 1
part # the record of unit 2, and half of that of unit 1
head -c $((72 + 36)) out.heb.partial/values-0 >half && mv half out.heb.partial/values-0
job 48 1
part
"$PYTHON" "$shards" damage out.heb.partial 20
job 1 2
part # records of units that were made again since
cat out.heb.partial/values-0 >kept
"$PYTHON" "$shards" forget out.heb.partial 7
job 1 1

# refused CODE WORDS OPTIONS...: with $key, and nothing is lost by it.
key=keys/secret.h5
refused() {
    wanted_code=$1 reason=$2
    shift 2
    "$PYTHON" "$shards" save out.heb.partial before
    refuse "$wanted_code" "$reason" "$HEBATCH" encrypt --key "$key" "$@"
    "$PYTHON" "$shards" same out.heb.partial before 49 >number || fail "a refusal changed something"
}
part
refused 73 "--resume continues it" in.csv out.heb
key=others/secret.h5
refused 65 "key, the parameters, the packing" in.csv out.heb --resume
key=keys/public.h5
refused 65 "key, the parameters, the packing" in.csv out.heb --resume
key=keys/secret.h5
refused 65 "distribution of errors" --errors binomial in.csv out.heb --resume
awk 'NR == 150000 { $0 = (/^1/ ? 2 : 1) substr($0, 2) } { print }' in.csv >other.csv # size and time stay
touch -r in.csv other.csv
cmp -s in.csv other.csv && fail "the table is the same"
refused 65 "other.csv has other values in the rows of unit 36 than it was made of; --force without --resume starts again" \
    other.csv out.heb --resume
cp -p in.csv there.csv
cat other.csv >in.csv # the file stays, too
touch -r there.csv in.csv
refused 65 "in.csv has other values in the rows of unit 36" in.csv out.heb --resume
cat there.csv >in.csv
touch -r there.csv in.csv
sed '2s/^/+/' in.csv >copy.csv # another file of another size, with the same values
cp -R out.heb.partial copy.heb.partial
cp -p out.heb.partial.key copy.heb.partial.key
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 copy.csv copy.heb --resume
grep -q "continued    49 of 49 units are there" err || fail "units of a copy of the table were made again"
expect 0 "$HEBATCH" verify copy.heb --key keys/secret.h5 --against in.csv
lock out.heb.partial/job.json
refused 73 "another job is writing it" in.csv out.heb --resume
refused 73 "another job is writing it" in.csv out.heb --force
unlock
cp out.heb.partial/job.json saved
sed 's/hebatch [0-9.]*/hebatch 0.0.1/' saved >out.heb.partial/job.json
refused 65 "was begun by hebatch 0.0.1" in.csv out.heb --resume
sed 's/"errors":/"reading": "00", &/' saved >out.heb.partial/job.json # begun with --missing, which this job does not say
refused 65 "the options about columns" in.csv out.heb --resume
for text in "" "[]" "{" '{"job_version": 1}' "$(sed 's/"ranks": 3/"ranks": 0/' saved)" \
    "$(sed 's/"ranks": 3/"ranks": 9000000000/' saved)" "$(sed 's/"job_version": 4/"job_version": 5/' saved)"; do
    printf '%s' "$text" >out.heb.partial/job.json
    refused 65 "does not describe a job" in.csv out.heb --resume
done
rm out.heb.partial/job.json
refused 73 "has no job.json" in.csv out.heb --resume
launch 2 in.csv out.heb --resume --force
expect 0 "$HEBATCH" verify out.heb --same-as whole.heb

# The finished name is there as well: replaced only if asked for.
part
cp -R whole.heb out.heb
refused 73 "exists already" in.csv out.heb --resume
launch 1 in.csv out.heb --resume --force
[ "$(jq_units)" = "True 49 0" ] || fail "the report says $(jq_units)"
part
"$PYTHON" "$shards" forget out.heb.partial 1
launch 2 in.csv out.heb --force # from the beginning
[ "$(jq_units)" = "False 0 49" ] || fail "the report says $(jq_units)"
expect 0 "$HEBATCH" verify out.heb --same-as whole.heb

# One dataset of an HDF5 file is not the other.
h5table two.h5 a "np.arange(100000) % 30000"
h5table two.h5 b "np.arange(100000) % 30001"
launch 1 two.h5:/a two.heb
"$PYTHON" "$shards" partial two.heb two.h5:/a 1
refuse 65 "two.h5:/b has other values in the rows of unit" "$HEBATCH" encrypt --key keys/secret.h5 two.h5:/b two.heb --resume
launch 2 two.h5:/a two.heb --resume
expect 0 "$HEBATCH" verify two.heb --key keys/secret.h5 --against two.h5:/a

# Killed before it could say what it makes: there is nothing to continue, and nothing to lose.
for left in "" job.json.partial; do
    rm -rf out.heb out.heb.partial
    mkdir out.heb.partial
    [ -z "$left" ] || echo '{' >out.heb.partial/$left
    refuse 73 "--resume continues it" "$HEBATCH" encrypt --key keys/secret.h5 in.csv out.heb
    launch 2 in.csv out.heb --resume
    [ "$(jq_units)" = "False 0 49" ] || fail "the report says $(jq_units)"
    expect 0 "$HEBATCH" verify out.heb --same-as whole.heb
    absent out.heb.partial
done
