#!/bin/sh
# Under a launcher: commands of one rank refuse more; n processes that do not find one another refuse to start; a failure is
# reported once, with the code of the failing rank.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# Open MPI loses memory in components that it has unloaded by then: no name is left to suppress it by.
export ASAN_OPTIONS=detect_leaks=0

refuse 78 "OMPI_COMM_WORLD_SIZE" env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$HEBATCH" params

# launch CODE RANKS COMMAND...: mpirun adds lines of its own to stderr.
launch() {
    wanted_code=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086
    expect "$wanted_code" $MPIRUN -n "$ranks" "$@"
}

launch 64 2 "$HEBATCH" params --params bfv-4096
[ "$(grep -c "runs on one rank" err)" = 1 ] || fail "the reason is not given exactly once"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
printf 'a\n1\nx\n' >bad.csv
launch 65 3 "$HEBATCH" encrypt --key keys/public.h5 bad.csv out.heb
[ "$(grep -c "^hebatch encrypt: .*row 2" err)" = 1 ] || fail "the reason is not given exactly once"
absent out.heb out.heb.partial
printf 'a\n1\n2\n' >good.csv
launch 0 3 "$HEBATCH" encrypt --key keys/public.h5 good.csv out.heb
launch 0 2 "$HEBATCH" decrypt --key keys/secret.h5 out.heb back.csv
same good.csv back.csv

# doctor shows all ranks, and where they do not find one another it says so instead of refusing.
launch 0 2 "$HEBATCH" doctor
says "ranks talk .*on 1 host: agreeing takes .* us, 16 MiB from rank 0 to all .*B/s"
[ "$(grep -c "^\(ok  \|WARN\) rank [01]  *$(hostname), processors [0-9]" out)" = 2 ] || fail "not both ranks"
[ "$(grep -c "^ok   hebatch " out)" = 1 ] || fail "not rank 0 alone speaks of its machine"
! grep -F '\n' out || fail "a line end within a finding"
launch 0 3 "$HEBATCH" doctor --json
"$PYTHON" - <<'PYTHON' || fail "by_rank is not what it should be"
import json, os, socket
report = json.load(open("out"))
assert report["ranks"] == 3 and [r["rank"] for r in report["by_rank"]] == [0, 1, 2], report["by_rank"]
for r in report["by_rank"]:
    assert r["host"] == socket.gethostname() and r["launcher_ranks"] == 3, r
    assert r["launcher"] == {"Open MPI": "OMPI_COMM_WORLD_SIZE", "MPICH": "PMI_SIZE"}[r["mpi"].rsplit(" ", 1)[0]], r
    assert 1 <= r["processor_count"] <= os.cpu_count(), r
PYTHON
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 3 --bind-to none taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" "$HEBATCH" doctor
grep -q "^WARN rank 2 " out || fail "three ranks on one processor are no warning"
grep -q "more ranks than processors" out || fail "the advice is not about processors"
for environment in "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0" SLURM_STEP_NUM_TASKS=2; do
    # shellcheck disable=SC2086
    expect 0 env $environment "$HEBATCH" doctor
    grep -q "^WARN launcher  *${environment%%=*} says 2 ranks, but MPI sees one" out || fail "no warning: $environment"
done

# Ranks of one job that were told different things: all leave, none waits for the others.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out told
table 10 1 100 >told.csv
for option in --dry-run --help --quiet; do
    # shellcheck disable=SC2086
    expect 65 $MPIRUN -n 1 "$HEBATCH" encrypt --key told/public.h5 told.csv told.heb : \
        -n 1 "$HEBATCH" encrypt $option --key told/public.h5 told.csv told.heb
    grep -q "the command or an option is not what rank 0 has" err || fail "the reason is not the command line"
    absent told.heb told.heb.partial
done
