#!/bin/sh
# The plan of the transforms: measured, kept, read by the next run, ignored when damaged. Given: HEBATCH (the program).
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export XDG_CACHE_HOME="$work/caches" HEBATCH_DEVICE=gpu

code=0
"$HEBATCH" bench ntt --plan >out 2>err || code=$?
if [ "$code" = 69 ] && [ -z "${HEBATCH_GPU_REQUIRED-}" ]; then
    exit 77
fi
[ "$code" = 0 ] || fail "measuring ends with $code"
cat out
plan=$(ls caches/hebatch/ntt-*.json) || fail "no plan was kept"
says "$plan"
[ "$(stat -c %a "$plan")" = 600 ] || fail "others can write the plan"
expect 0 "$HEBATCH" doctor
says "transforms *by the plan measured here, .*$plan"

# job WORDS: words of the report of a job; its ciphertexts are those of the CPU.
expect 0 "$HEBATCH" keygen --params bfv-16384 --device cpu --out keys
table 100 3 1000 >in.csv
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
expect 0 "$HEBATCH" encrypt --device cpu --insecure-test-seed $seed --key keys/public.h5 in.csv cpu.heb
job() {
    words=$1
    shift
    rm -rf gpu.heb
    expect 0 "$HEBATCH" encrypt --insecure-test-seed $seed --key keys/public.h5 in.csv gpu.heb "$@"
    diff -r cpu.heb gpu.heb || fail "$*: other ciphertexts"
    grep -q "\"ntt_plan\": \".*$words" gpu.heb.report.json || fail "$*: the report does not say '$words'"
}
job "$plan"
job rules --ntt-plan off
HEBATCH_NTT_PLAN=off job rules
grep -q "plan of the transforms is not used" err && fail "a warning of a plan that is as it should be"
echo '{' >"$plan"
job rules
[ "$(grep -c "plan of the transforms is not used" err)" = 1 ] || fail "a damaged plan is worth one warning"
expect 0 "$HEBATCH" doctor
says "makes the plan anew"
