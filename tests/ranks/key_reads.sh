#!/bin/sh
# key_reads.sh RANKS: how often a job opens key files, and how many bytes of them it reads and digests, so that none of it
# grows unseen: ranks that share limbs read the rows of their own; that each rank refuses what one has found damaged; and
# that files of older programs, whose rows have no digests, are read whole.
# Given by ctest besides: COUNT_OPENINGS_LIBRARY (count_openings.c), not under sanitizers.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
ranks=$1
text='y = rotate(a, 1) + rotate(a, 2) + rotate(a, 3) + rotate(a, 4) + rotate(a, 5) + a * a'
expect 0 "$HEBATCH" keygen --n 4096 --bits 40,40,40,40,41 --plain-bits 20 --insecure --out keys --for "$text"
table 100 1 50 >t.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.csv a.heb
export COUNT_IN="$PWD/keys" COUNT_TO="$PWD/counts"
launch() {
    # shellcheck disable=SC2086
    $MPIRUN -n "$ranks" "$HEBATCH" eval --keys keys --wrap "$text" a=a.heb y=y.heb --force --quiet "$@"
}
# counted OPTION..: computes, and leaves in `counts` what the ranks have read.
counted() {
    rm -f counts
    LD_PRELOAD=$COUNT_OPENINGS_LIBRARY
    export LD_PRELOAD
    expect 0 launch "$@"
    unset LD_PRELOAD
    expect 0 "$HEBATCH" verify y.heb --same-as plain.heb --quiet
}

expect 0 launch
cp -R y.heb plain.heb
counted
"$PYTHON" - "$ranks" <<'END' || fail "key files are opened, read or digested too often"
import os, sys
ranks = int(sys.argv[1])
head = 32 << 10  # of each file, by each rank, to check its header
openings, given, digested = {}, {}, 0
for line in open("counts"):
    name, times, size = line.split()
    if name == "-":
        digested += int(size)
    else:
        openings[name] = openings.get(name, 0) + int(times)
        given[name] = given.get(name, 0) + int(size)
names = [name for name in os.listdir("keys") if name.startswith(("galois", "relin"))]
sizes = {name: os.path.getsize("keys/" + name) for name in names}
assert len(names) >= 5 and min(sizes.values()) > 4 * head, sizes
assert "secret.h5" not in openings and set(openings) <= set(names) | {"public.h5"}, openings
readers = 1  # ranks of a host read each file once for all
for name in names:
    print(name, sizes[name], openings[name], given[name])
    assert openings[name] == ranks, (name, openings[name])  # for its header
    assert sizes[name] - head < given[name] - ranks * head <= readers * sizes[name], (name, sizes[name], given[name])
total = sum(sizes.values())
print("digested", digested, "of", total)
# Datasets, which are small, and their headers are digested as well.
assert total * 0.98 < digested <= readers * total + ranks * (2 << 20), (digested, total)
END

# Damage, found by any rank, ends all of them with one code and one line.
for name in "$(find keys -name "galois-*.h5" | sort | head -n 1)" keys/relin.h5; do
    cp "$name" kept
    flip "$name" -1000
    expect 65 launch
    grep -q "$name: does not match its checksum: the file is damaged" err || fail "damage of $name is not named"
    cp kept "$name"
    truncate -s -1 "$name"
    expect 65 launch
    grep -q "$name: has .*: it is damaged or cut short" err || fail "$name is too short, and not named"
    mv kept "$name"
done
expect 0 launch
expect 0 "$HEBATCH" verify y.heb --same-as plain.heb --quiet

# reads RANKS MEMBERS: what ranks have read of which MEMBERS share limbs: all rows once for a host, and each rank those of
# its own limbs; and of each file its head, seeds and the digests of rows.
reads() {
    "$PYTHON" - "$@" <<'PYTHON' || fail "$1 ranks, limbs on $2: other rows of keys were read"
import glob, h5py, os, sys
ranks, members = map(int, sys.argv[1:])
PRIMES, ROW, HEAD = 5, 4096 * 40 // 8, 32 << 10
limbs = [len(range(member, PRIMES, members)) for member in range(members)]
files = {os.path.basename(name): name for name in glob.glob("keys/galois*") + glob.glob("keys/relin*")}
parts, beside = 4, 4 * 32 + 4 * PRIMES * 32
for name in files.values():
    with h5py.File(name) as f:
        assert f["b"].shape == (parts, ROW * 4 + 4096 * 41 // 8), name
found, own = [], {}
for line in open("counts"):
    name, _, size = line.split()
    if name == "-":
        found.append(sum(own.values()))
        own = {}
    elif name in files:
        own[name] = int(size)
assert len(found) == ranks, found
rows = sum(os.path.getsize(name) for name in files.values())
print(ranks, members, found, "of", rows)
# A group alone: by which limbs a rank has, which of them has the longest, special one is nothing beside it.
if ranks == members:
    for count, size in zip(sorted(limbs), sorted(found)):
        exact = len(files) * (count * parts * ROW + beside)
        assert exact <= size <= exact + len(files) * (HEAD + parts * 4096 // 8), (count, size, exact)
exact = len(files) * (parts * (4 * ROW + 4096 * 41 // 8) + members * beside)
assert exact <= sum(found) <= exact + ranks * len(files) * HEAD, (found, exact)
PYTHON
}
if [ "$ranks" -gt 1 ]; then
    counted --limb-ranks "$ranks"
    reads "$ranks" "$ranks"
    counted --limb-ranks auto
    all=$ranks
    ranks=$((2 * all))
    counted --limb-ranks "$all" # two groups on this host: each row is read once for both
    reads $ranks "$all"
    ranks=$all
fi

# Older files: the same words, from any number of limbs, and damage of any row is seen.
"$PYTHON" "$forge" older keys/galois-*.h5 keys/relin.h5 || fail "could not make older files"
expect 0 launch
expect 0 "$HEBATCH" verify y.heb --same-as plain.heb --quiet
counted --limb-ranks "$ranks"
for name in "$(find keys -name "galois-*.h5" | sort | head -n 1)" keys/relin.h5; do
    flip "$name" -1000
    expect 65 launch --limb-ranks "$ranks"
    grep -q "$name: does not match its checksum: the file is damaged" err || fail "damage of $name is not named"
    flip "$name" -1000
done
