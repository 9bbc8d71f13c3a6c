#!/bin/sh
# shard_opens.sh RANKS: how often jobs open the files of a dataset, so that it cannot grow unseen: each shard is looked at
# by one rank, not by each, and opened by those that read its rows; an append opens no shard whose rows stay.
# Given by ctest besides: COUNT_OPENINGS_LIBRARY (count_openings.c), not under sanitizers.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
ranks=$1
shards=9
launch() {
    # shellcheck disable=SC2086
    $MPIRUN -n "$ranks" "$HEBATCH" "$@" --quiet
}

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out keys
table 1024 2 50 >t.csv # a row block
table $((1024 * shards)) 2 50 >all.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.csv a.heb --range 0..60 --quiet
shard=1
while [ "$shard" -lt "$shards" ]; do
    expect 0 "$HEBATCH" encrypt --append --key keys/public.h5 t.csv a.heb --quiet
    shard=$((shard + 1))
done
expect 0 "$HEBATCH" encrypt --key keys/public.h5 all.csv b.heb --range 0..60 --quiet

# counted COMMAND..: runs it on all ranks, and leaves in `counts` how often each file of a.heb was opened.
counted() {
    rm -f counts
    COUNT_IN="$PWD/a.heb" COUNT_TO="$PWD/counts" LD_PRELOAD=$COUNT_OPENINGS_LIBRARY
    export COUNT_IN COUNT_TO LD_PRELOAD
    expect 0 launch "$@"
    unset LD_PRELOAD
}

# opens NAME INDEX LOOKED LEAST MOST: openings of the index, at most; of all shards by those that look at them (two for
# each that is looked at), and at least and at most by those that read.
opens() {
    "$PYTHON" - "$@" <<'PY' || fail "$1: files are opened too often"
import sys
name, index, looked, least, most = sys.argv[1], *map(int, sys.argv[2:])
times = {}
for line in open("counts"):
    file, openings, _ = line.split()
    if file != "-":
        times[file] = times.get(file, 0) + int(openings)
shards = sum(count for file, count in times.items() if file.startswith("part-"))
print(name, "index", times.get("index.h5", 0), "shards", shards)
assert 0 < times["index.h5"] <= index, (times["index.h5"], index)
assert looked + least <= shards <= looked + most, (shards, looked, least, most)
PY
}

# One rank more than there are may read rows of a shard, where shares of units end within it.
counted decrypt --key keys/secret.h5 a.heb back.csv
opens decrypt $((2 * ranks)) $((2 * shards)) "$shards" $((shards + ranks - 1))
counted verify a.heb
opens verify $((2 * ranks)) $((2 * shards)) "$shards" $((shards + ranks - 1))
counted eval 'y = a + a' a=a.heb y=y.heb
opens eval $((2 * ranks)) $((2 * shards)) "$shards" $((shards + ranks - 1))
# A dataset of a sum is opened again by who reads it, which looks at the shards that it reads.
counted add a.heb b.heb s.heb
opens add $((4 * ranks)) $((2 * shards)) $((3 * shards)) $((3 * (shards + ranks - 1)))

# The last row block is full: no shard is opened; rank 0 reads the index before and after, and when it has the name.
counted encrypt --append --key keys/public.h5 t.csv a.heb
opens append $((2 * ranks + 6)) 0 0 0
table 100 2 50 >part.csv
counted encrypt --append --key keys/public.h5 part.csv a.heb
opens append $((2 * ranks + 6)) 0 0 0
# Now it is not, and its two units, which may be in a shard each, are looked at once, and read.
counted encrypt --append --key keys/public.h5 part.csv a.heb
opens append $((2 * ranks + 6)) 2 1 4
grown=$shards
head -n 1 t.csv >expected.csv
while [ "$grown" -ge 0 ]; do
    tail -n +2 t.csv >>expected.csv
    grown=$((grown - 1))
done
tail -n +2 part.csv >>expected.csv
tail -n +2 part.csv >>expected.csv
expect 0 launch decrypt --key keys/secret.h5 a.heb back.csv --force
same expected.csv back.csv

# What a job makes: how often a shard is opened does not depend on the number of ranks, one of which reads it back.
rm -f counts
COUNT_IN="$PWD/new.heb.partial" COUNT_TO="$PWD/counts" LD_PRELOAD=$COUNT_OPENINGS_LIBRARY
export COUNT_IN COUNT_TO LD_PRELOAD
expect 0 launch encrypt --key keys/public.h5 all.csv new.heb
unset LD_PRELOAD
"$PYTHON" - <<'PY' || fail "the files of a new dataset are opened too often"
times = {}
for line in open("counts"):
    file, openings, _ = line.split()
    times[file] = times.get(file, 0) + int(openings)
print("made", times)
shards = [count for file, count in times.items() if file.startswith("part-")]
assert shards and max(shards) <= 7 and times["index.h5"] <= 2, times
PY

# A shard that one rank finds damaged, or missing, ends all of them, whichever it is.
for shard in 00000 00004 00009; do
    cp "a.heb/part-$shard.h5" kept
    cp b.heb/part-00000.h5 "a.heb/part-$shard.h5"
    expect 65 launch decrypt --key keys/secret.h5 a.heb bad.csv
    complains "a.heb/part-$shard.h5: belongs to another dataset than a.heb/index.h5"
    rm "a.heb/part-$shard.h5"
    expect 66 launch verify a.heb
    complains "a.heb/part-$shard.h5: is missing or unreadable: a part of dataset a.heb"
    expect 66 launch encrypt --append --key keys/public.h5 part.csv a.heb
    complains "a.heb/part-$shard.h5: is missing or unreadable: a part of dataset a.heb"
    [ ! -e a.heb.partial ] || fail "an append to a dataset without all shards has left something"
    mv kept "a.heb/part-$shard.h5"
done
expect 0 launch verify a.heb

# Copies whose sums are equal, but which other numbers of ranks have cut into shards: ranks that see both refuse them.
[ "$ranks" -ge 2 ] || exit 0
mkdir one many
expect 0 "$HEBATCH" eval 'y = a + a' a=a.heb y=one/y.heb --quiet
expect 0 launch eval 'y = a + a' a=a.heb y=many/y.heb
[ "$(ls one/y.heb | wc -l)" != "$(ls many/y.heb | wc -l)" ] || fail "both copies are cut alike"
for first in one many; do
    second=$([ $first = one ] && echo many || echo one)
    # shellcheck disable=SC2086
    expect 65 $MPIRUN -n 1 -wdir "$PWD/$first" "$HEBATCH" verify y.heb : -n 1 -wdir "$PWD/$second" "$HEBATCH" verify y.heb
    complains "y.heb: ranks see copies that are cut into other shards"
done
