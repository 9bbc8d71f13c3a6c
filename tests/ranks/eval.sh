#!/bin/sh
# eval.sh RANKS: expressions on RANKS ranks give the bytes that one rank gives, at the sizes where steps and shares end,
# which three ranks have all; errors of one rank end all.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks=$1
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,51 --plain 65537 --insecure --out keys
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --relin --swap --rotations sum,3
# z in a second pass; q has one row.
text="m = a * b + w; y = rotate(m, 3) - 1; s = dot(a, b) + 2; z = square(a - sum(a)) + q * b"

launch() {
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$ranks" "$HEBATCH" "$@" --quiet
}

printf 'c1,c2\n3,5\n' >q.csv
# 1 to 9 row blocks; on some ranks the last of these alone.
sizes="1 1024 1025 3000 9000"
[ "$ranks" = 3 ] || sizes=9000
for rows in $sizes; do
    table $rows 2 100 >a.csv
    table $rows 2 77 >b.csv
    table $rows 2 9 | awk -F, 'NR == 1 { print; next } { print $1 + 1 "," $2 + 1 }' >w.csv
    rm -rf ./*.heb
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 a.csv a.heb
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 b.csv b.heb
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 q.csv q.heb
    expect 0 "$HEBATCH" eval --keys keys "$text" a=a.heb b=b.heb w=w.csv q=q.heb y=y1.heb s=s1.heb z=z1.heb --queues 1
    launch eval --keys keys "$text" a=a.heb b=b.heb w=w.csv q=q.heb y=y.heb s=s.heb z=z.heb --queues 2
    for name in y s z; do
        expect 0 "$HEBATCH" verify $name.heb --same-as ${name}1.heb --quiet
        absent $name.heb.partial
    done
done

# A value out of range in the last row, and damage that one rank sees.
sed '9001s/,[0-9]*$/,70000/' w.csv >large.csv
# shellcheck disable=SC2086
expect 65 $MPIRUN -n "$ranks" "$HEBATCH" eval --quiet --keys keys "$text" a=a.heb b=b.heb w=large.csv q=q.heb \
    y=bad.heb s=bad2.heb
grep -q "^hebatch eval: .*large.csv: row 9000 (line 9001), column 'c2'" err || fail "the cell is not named"
absent bad.heb bad.heb.partial bad2.heb bad2.heb.partial
last=$(find a.heb -name 'part-*.h5' | sort | tail -n 1)
flip "$last" -100000
# shellcheck disable=SC2086
expect 65 $MPIRUN -n "$ranks" "$HEBATCH" eval --quiet --keys keys "$text" a=a.heb b=b.heb w=w.csv q=q.heb \
    y=bad.heb s=bad2.heb
grep -q "do not match their checksum" err || fail "damage is not named"
absent bad.heb bad.heb.partial bad2.heb bad2.heb.partial
