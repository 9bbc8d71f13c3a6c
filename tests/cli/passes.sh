#!/bin/sh
# How often a job reads its table: bytes that are read, counted, not timed.
# Given by ctest besides: COUNT_READS_LIBRARY (count_reads.c), not under sanitizers.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# passes HUNDREDTHS COMMAND...: reads so many hundredths of t.csv at most, by all its processes.
passes() {
    most=$1
    shift
    rm -f reads
    expect 0 env "READS_NAME=/t.csv" "READS_TO=$PWD/reads" "LD_PRELOAD=$COUNT_READS_LIBRARY" "$@" --quiet
    [ -s reads ] || fail "nothing of the table was read: $*"
    read=$(awk '{ all += $1 } END { printf "%d", all }' reads)
    bytes=$(wc -c <t.csv)
    [ "$((read * 100))" -le "$((bytes * most))" ] || fail "$read bytes of a table of $bytes were read: $*"
}

"$PYTHON" - <<'END' || fail "no table"
import random

random.seed(1)
with open("t.csv", "w") as f:
    f.write("key,quantity,price,day\n")
    for i in range(60000):
        f.write(f"{4 * i + 1},{random.randint(1, 50)},{random.randint(90000, 10000000)},{random.randint(0, 2500)}\n")
END
expect 0 "$HEBATCH" keygen $CHAIN --out keys --quiet
expect 0 "$HEBATCH" keygen --n 1024 --bits 55,55,55,56 --plain-bits 40 --insecure --wide 100 --out wide --quiet

# Once for its rows and the meanings of its columns, once for its values.
passes 105 "$HEBATCH" encrypt --key keys/public.h5 --columns quantity,day --dry-run t.csv t.heb
passes 205 "$HEBATCH" encrypt --key keys/public.h5 --columns quantity,day t.csv t.heb
passes 205 "$HEBATCH" verify --key keys/secret.h5 t.heb --against t.csv
# Of several plain moduli no more than of one, also where ranges are measured.
passes 205 "$HEBATCH" encrypt --key wide/public.h5 t.csv w.heb
passes 205 "$HEBATCH" encrypt --key wide/public.h5 --range measured --force t.csv w.heb
passes 205 "$HEBATCH" verify --key wide/secret.h5 w.heb --against t.csv
says "equal to t.csv"
# Each rank looks at its part of the table, and reads its share of the values: all ranks together read it twice.
passes 215 $MPIRUN -n 3 "$HEBATCH" encrypt --key wide/public.h5 --force t.csv w.heb
passes 215 $MPIRUN -n 3 "$HEBATCH" verify --key wide/secret.h5 w.heb --against t.csv
expect 0 "$HEBATCH" verify --key wide/secret.h5 w.heb --against t.csv --quiet
# A fault is told in the words of one rank, and a rank that fails before the others look at the table ends all.
{ head -n 40000 t.csv && echo '1,2,3' && tail -n 1000 t.csv; } >cut.csv
expect 65 $MPIRUN -n 3 "$HEBATCH" encrypt --key wide/public.h5 --quiet cut.csv c.heb
complains "cut.csv: row 40000 (line 40001) has 3 fields"
cat >other <<'END'
#!/bin/sh
case ${OMPI_COMM_WORLD_RANK-}${PMI_RANK-} in 1) set -- "$@" none.csv no.heb ;; *) set -- "$@" t.csv no.heb ;; esac
exec "$@"
END
chmod +x other
expect 66 $MPIRUN -n 3 ./other "$HEBATCH" encrypt --key wide/public.h5 --quiet
complains "none.csv: cannot open"
# All residues have one line of progress.
for job in "encrypt t.csv w.heb --force" "decrypt w.heb w.csv" "verify w.heb --against t.csv"; do
    expect 0 "$HEBATCH" $job --key wide/secret.h5
    [ "$(grep -c " ciphertexts (100%) in " err)" = 1 ] || fail "no one line of progress: $job"
done
# A column that only an option names is looked for in one look at the table, however many columns there are.
passes 305 "$HEBATCH" params suggest 'n = sum(p.quantity)' --table p=t.csv --missing key=drop,price=drop,day=drop
