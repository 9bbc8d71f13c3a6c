#!/bin/sh
# kill -9 at several points of a job; --resume with another number of ranks, which may be killed as well. Finished units
# keep their bytes, and the dataset is whole.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"

# A job of 46 units. Its jobs are held where they are struck, however little a unit takes.
expect 0 "$HEBATCH" keygen --params bfv-8192 --out keys
table 375000 1 500009 >in.csv

# interrupt SIGNAL UNITS RANKS CODE: when each rank has stored UNITS.
interrupt() {
    strike "$1" "$2" "$4" out.heb "$3" 1 encrypt --resume --key keys/public.h5 in.csv out.heb
}

# whole RANKS LEAST: continues to the end; at least LEAST units are those that were there.
whole() {
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$1" "$HEBATCH" encrypt --quiet --resume --key keys/public.h5 in.csv out.heb
    absent out.heb.partial out.heb/job.json
    "$PYTHON" "$shards" same out.heb finished "$2" || fail "units that were finished have changed"
    expect 0 "$HEBATCH" verify out.heb --key keys/secret.h5 --against in.csv
    rm -rf out.heb
}

# told: a rank that is left says that another is gone, and how to go on; the report is there.
told() {
    # shellcheck disable=SC2086
    $MPIRUN --version 2>&1 | grep -q "Open MPI\|OpenRTE" || return 0 # MPICH's launcher ends them before they can
    [ "$(grep -c "^hebatch encrypt: rank [0-9]* of this host is gone" err)" = 1 ] || fail "nobody says that a rank is gone"
    grep -q "gone: .*out.heb.partial keeps the finished part: the same command with --resume continues it" err ||
        fail "nobody says how to go on"
}

interrupt KILL 0 2 137
told
whole 3 0
interrupt KILL 3 3 137
told
cp finished first
interrupt KILL 4 2 137
"$PYTHON" "$shards" same out.heb.partial first 9 || fail "units of the first run have changed"
whole 1 17
interrupt TERM 5 1 75
grep -q "stopped by signal" err || fail "the reason is not the signal"
whole 2 5

# A rank is gone before it has started, and the launcher leaves the other one alone, which waits inside MPI: it notices.
# shellcheck disable=SC2086
if $MPIRUN --version 2>&1 | grep -q "Open MPI\|OpenRTE"; then
    # shellcheck disable=SC2016 # the launched shell expands it
    timeout 100 $MPIRUN --enable-recovery -n 2 sh -c '[ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$0" "$@"' "$HEBATCH" \
        encrypt --key keys/public.h5 in.csv out.heb >out 2>err
    grep -q "a rank of this host ended while ranks start" err || fail "nobody says that a rank is gone at the start"
    absent out.heb out.heb.partial
fi
