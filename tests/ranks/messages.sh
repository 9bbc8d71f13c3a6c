#!/bin/sh
# How many calls of MPI a rank makes in a job, and how many bytes it gives to them, on 2, 3 and 5 ranks, so that neither
# grows unseen: calls do not depend on the number of ranks, bytes of a rank grow by a constant for each rank more, and
# nothing goes from each to each.
# Given by ctest besides: COUNT_MESSAGES_LIBRARY (count_messages.c), not under sanitizers.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
table 40960 2 50 >t.csv # 20 row blocks
for name in a b; do
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.csv $name.heb --range 0..60 --quiet
done
# job RANKS NAME COMMAND..: runs it, and leaves its calls in NAME.RANKS.
job() {
    ranks=$1
    to=$2.$1
    shift 2
    rm -f calls
    MESSAGES_TO="$PWD/calls" LD_PRELOAD=$COUNT_MESSAGES_LIBRARY
    export MESSAGES_TO LD_PRELOAD
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$ranks" "$HEBATCH" "$@" --quiet --force
    unset LD_PRELOAD
    mv calls "$to"
}
for ranks in 2 3 5; do
    job "$ranks" encrypt encrypt --key keys/public.h5 t.csv e.heb --range 0..60
    job "$ranks" eval eval 'y = x.c1 + x.c2' x=a.heb y=y.heb
    job "$ranks" add add a.heb b.heb s.heb
    job "$ranks" decrypt decrypt --key keys/secret.h5 a.heb back.csv
    same t.csv back.csv
done
"$PYTHON" - <<'PY' || fail "ranks talk more than there is to say"
import sys

REDUCED = 320  # bytes that a rank more costs each of them in reductions: its line of the report, its shard
TOLD = 2048  # and in broadcasts of encrypt, where each rank tells what it has found in its part of a CSV


def counts(name, ranks):
    """{kind: [(calls, bytes) of each rank]}"""
    all_of = {}
    for line in open(f"{name}.{ranks}"):
        rank, kind, calls, size = line.split()
        all_of.setdefault(kind, {})[int(rank)] = (int(calls), int(size))
    assert all(sorted(of) == list(range(ranks)) for of in all_of.values()), (name, ranks, all_of)
    return {kind: [of[rank] for rank in range(ranks)] for kind, of in all_of.items()}


for name in ("encrypt", "eval", "add", "decrypt"):
    least = counts(name, 2)
    for ranks in (2, 3, 5):
        now, more = counts(name, ranks), ranks - 2
        print(name, ranks, {kind: of[-1] for kind, of in now.items()})
        for kind in ("reductions", "broadcasts", "gathers"):
            assert len(set(now[kind])) == 1, "collective calls are those of all ranks"
        for kind in ("reductions", "gathers"):
            assert now[kind][0][0] == least[kind][0][0], (name, ranks, kind)
            assert now[kind][0][1] <= least[kind][0][1] + more * REDUCED, (name, ranks, kind)
        calls, size = now["broadcasts"][0]
        told = more if name == "encrypt" else 0
        assert calls <= least["broadcasts"][0][0] + 2 * told, (name, ranks)
        assert size <= least["broadcasts"][0][1] + TOLD * told, (name, ranks)
        assert all(of == (0, 0) for of in now["all-to-all"]), "each rank to each other one"
        # Drains follow agreements before which somebody has sent a count of its progress or a notice.
        assert all(calls <= 8 for calls, _ in now["neighbours"]), now["neighbours"]
        assert all(calls <= 8 for calls, _ in now["sends"]), now["sends"]
PY
