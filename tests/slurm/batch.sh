#!/bin/sh
# jobs/slurm/hebatch.sbatch under a real Slurm: two ranks find one another, a job that nears its time limit is put into the
# queue again as it was submitted and continues, one that was cancelled is not, nor one that stores nothing. Given besides:
# SBATCH (the folder of the scripts).
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/../ranks/launch.sh"
# shellcheck source=tests/slurm/cluster.sh
. "${0%/*}/cluster.sh"
shards=${0%/*}/../ranks/shards.py
unset SLURM_MPI_TYPE
begin_cluster

# 31 units, which take no time: N = 8192 with 5 primes, public key.
expect 0 "$HEBATCH" keygen --n 8192 --bits 50,50,50,50,51 --plain-bits 20 --insecure --out keys
table 250000 1 500009 >in.csv
mkdir bin
ln -s "$HEBATCH" bin/hebatch
export PATH="$work/bin:$PATH"

# The scripts differ in what they ask for alone.
for script in hebatch hebatch-gpu; do
    sed -n '/^# srun must speak/,$p' "$SBATCH/$script.sbatch" >$script.body
done
[ -s hebatch.body ] && cmp hebatch.body hebatch-gpu.body || fail "the scripts do other things"
expect 64 sh "$SBATCH/hebatch.sbatch" keygen
complains "usage: sbatch \[OPTIONS of sbatch\] hebatch.sbatch COMMAND ARGUMENTS of encrypt, eval, add, rekey, sanitize, decrypt, verify"

# submit OUT OPTIONS...: a table is encrypted on one node with two ranks; sets job.
submit() {
    OUT=$1
    shift
    export OUT
    job=$(sbatch --parsable --output="$OUT.log" --nodes=1 --ntasks-per-node=2 --mem-per-cpu=300M "$@" \
        "$SBATCH/hebatch.sbatch" encrypt --key keys/public.h5 in.csv "$OUT") || fail "sbatch"
}

# done_by COMMAND ARGUMENTS...: the script runs another command to its end.
done_by() {
    job=$(sbatch --parsable --output=done.log --nodes=1 --ntasks-per-node=2 --mem-per-cpu=300M --time=5 \
        "$SBATCH/hebatch.sbatch" "$@") || fail "sbatch"
    until_state "$job" COMPLETED
}

# while_it_is STATE: as a pattern of grep -E
while_it_is() {
    state=$(job_field "$job" JobState)
    if ! echo "$state" | grep -Eqx "$1"; then # the controller may not have answered, or the job begins again
        sleep 2
        state=$(job_field "$job" JobState)
        echo "$state" | grep -Eqx "$1" || fail "job $job is no more $1 but $state: $(cat "$OUT.log")"
    fi
    sleep 0.2
}

# held OUT OPTIONS...: the job is held (hold.c) once each of its ranks has stored four units.
held() {
    rm -f go
    export LD_PRELOAD="$HOLD" HOLD_AFTER=4 HOLD_IN="$1.partial" HOLD_UNTIL="$work/go"
    submit "$@"
    unset LD_PRELOAD
    until_state "$job" RUNNING
    until "$PYTHON" "$shards" wait "$OUT.partial" 8 nobody 2>/dev/null; do while_it_is RUNNING; done
}

# signalled NUMBER STATE [TIMES]: slurmd has sent this signal to the ranks of the job, which are held.
signalled() {
    until [ "$(grep -c "Sent signal $1 to StepId=$job.0" "$cluster/slurmd.log")" -ge "${3:-1}" ]; do while_it_is "$2"; done
}

# doctor sees both ranks over PMIx, and that without it they do not find one another.
expect 0 srun --mpi=pmix -n 2 "$HEBATCH" doctor --json
"$PYTHON" -c 'import json; r = json.load(open("out")); assert [x["launcher_ranks"] for x in r["by_rank"]] == [2, 2], r' ||
    fail "doctor does not see both ranks"
expect 0 srun --mpi=none -n 2 "$HEBATCH" doctor
[ "$(grep -c "^WARN launcher  *SLURM_STEP_NUM_TASKS says 2 ranks, but MPI sees one" out)" = 2 ] || fail "no warning"

# The limit comes near twice: Slurm's own signal, 15 to 45 seconds after each start (time for four units also where the
# machine has much else to do), an end with 75, the same job again; at the third start it comes to the end.
held out.heb --time=2 --signal=USR2@75 --partition=other
signalled 12 RUNNING
: >go
until_state "$job" PENDING
rm go
until_state "$job" RUNNING
until "$PYTHON" "$shards" wait out.heb.partial 16 nobody 2>/dev/null; do while_it_is RUNNING; done
signalled 12 RUNNING 2
: >go
until_state "$job" COMPLETED
[ "$(job_field "$job" Restarts)" = 2 ] || fail "it was not put into the queue again twice"
[ "$(job_field "$job" Partition) $(job_field "$job" TimeLimit) $(job_field "$job" NumTasks)" = "other 00:02:00 2" ] ||
    fail "it is not what was submitted: $(scontrol show job -o "$job")"
grep -q "^hebatch: ranks  *2," out.heb.log || fail "these are not two ranks: $(cat out.heb.log)"
"$PYTHON" -c 'import json; u = json.load(open("out.heb.report.json"))["units"]; assert u["resumed"] and u["there"] >= 16, u' ||
    fail "it did not continue"
"$PYTHON" -c 'import json, sys
r = json.load(open("out.heb.report.json"))
assert r["slurm"] == {"job_id": sys.argv[1], "restarts": 2}, r["slurm"]
runs = [(x["exit_code"], x["slurm"]["job_id"], x["slurm"]["restarts"]) for x in r["runs_before"]]
assert runs == [(75, sys.argv[1], 0), (75, sys.argv[1], 1)], runs' "$job" || fail "the report does not have the runs before"
expect 0 "$HEBATCH" verify out.heb --key keys/secret.h5 --against in.csv

# A question to it, and the answer: options are the command's, and expressions stay one word.
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --for 's = sum(a.1)'
done_by eval --keys keys --compact 4 's = sum(a.1)' a=out.heb s=s.heb --range a=0..500009 --wrap
done_by decrypt --key keys/secret.h5 out.heb part.csv --rows 7..9 --columns c1
{ head -n 1 in.csv && sed -n 8,10p in.csv; } | cmp - part.csv || fail "other rows"
[ -e s.heb ] || fail "no answer"

# Cancelled: it ends in good order and does not come back.
held gone.heb --time=5
scancel "$job"
signalled 15 "CANCELLED|COMPLETING"
: >go
no_jobs
[ "$(job_field "$job" JobState) $(job_field "$job" Restarts)" = "CANCELLED 0" ] || fail "$(scontrol show job -o "$job")"
grep "cancel\|CANCEL" gone.heb.log >/dev/null || fail "$(cat gone.heb.log)"
[ -e gone.heb.partial/job.json ] && absent gone.heb

# No time for anything: it says so, and does not try for ever.
rm bin/hebatch
# shellcheck disable=SC2016 # for the script that is written
printf '#!/bin/sh\necho "{\n  \\"units\\": {\n    \\"done\\": 0\n" >"$OUT.report.json"\nexit 75\n' >bin/hebatch
chmod 755 bin/hebatch
submit never.heb --time=5
until_state "$job" FAILED
[ "$(job_field "$job" ExitCode) $(job_field "$job" Restarts)" = "75:0 0" ] || fail "$(scontrol show job -o "$job")"
grep -q "nothing was stored in the time of this job" never.heb.log || fail "$(cat never.heb.log)"
