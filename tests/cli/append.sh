#!/bin/sh
# Rows that come later: encrypt --append, row by row what one table of all would be; killed before every call that changes
# files it leaves the dataset that was there or the one with all rows, and the same command with --resume ends it.
# Given by ctest besides: KILL_AT_LIBRARY (kill_at.c), not under sanitizers.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out keys
append() {
    "$HEBATCH" encrypt --append --key keys/public.h5 "$@"
}
# reject CODE WORDS COMMAND...: like refuse, of a command that warns of its parameters besides.
reject() {
    code_of_refusal=$1
    words=$2
    shift 2
    expect "$code_of_refusal" "$@"
    complains "$words"
}
decrypt() {
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 "$1" -
    cp out "$2"
}

# A table as people have it: the dataset says what its columns are, and a row block has 1024 rows.
cat >jan.csv <<'END'
sex,born,kg,note
f,1980-01-02,70.5,1
m,1990-02-03,80.25,2
END
printf 'sex,born,kg,note\nm,1981-03-04,60,3\n' >feb.csv
printf 'kg,born,sex\n60,1981-03-04,m\n' >order.csv
printf 'sex,born,kg,note\nx,2001-01-01,55.5,4\n' >label.csv
printf 'sex,born,kg,note\nf,2001-01-01,301,5\n' >heavy.csv
printf 'sex,born,kg,note\ner,2001-01-01,5,5\n' >er.csv
printf 'sex,born,kg,note\nf,2001-01-01,5.125,5\n' >fine.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --columns sex,born,kg --category sex --scale kg=100 \
    --range born=1970-01-01..2024-10-04,kg=0..300 jan.csv p.heb
expect 0 append feb.csv p.heb
says "p.heb: 3 rows, 1 row of them new, 3 ciphertexts"
reject 65 "column 'kg': the value is outside 0..300, which the dataset says" append heavy.csv p.heb
reject 65 "sex.*label" append label.csv p.heb
reject 65 "column 'sex' means something else" append --category sex=m,f feb.csv p.heb
expect 0 append --category sex=f,m,x label.csv p.heb
expect 0 append --range kg=0..400 heavy.csv p.heb
decrypt p.heb p.csv
[ "$(tr '\n' ' ' <p.csv)" = "sex,born,kg f,1980-01-02,70.5 m,1990-02-03,80.25 m,1981-03-04,60 x,2001-01-01,55.5 f,2001-01-01,301 " ] ||
    fail "rows that were appended are others"
expect 0 "$HEBATCH" info p.heb
says "'sex': .*3 labels: f, m, x"
says "'kg': values 0..400"
says "'born': values 1970-01-01..2024-10-04, dates"
reject 64 "column 3 of the table holds no dates" "$HEBATCH" encrypt --key keys/public.h5 --columns sex,born,kg \
    --category sex --scale kg=100 --range kg=1970-01-01..1970-01-02 jan.csv bad.heb
reject 64 "1970-01-01..1969-01-01" "$HEBATCH" encrypt --key keys/public.h5 --columns born \
    --range born=1970-01-01..1969-01-01 jan.csv bad.heb
reject 64 "expected" "$HEBATCH" encrypt --key keys/public.h5 --columns born --range 1970-01-01..1971-01-01 jan.csv bad.heb
printf 'sex,born,kg\n' >none.csv
reject 65 "no rows to append\|no rows" append none.csv p.heb
reject 65 "is not that of p.heb: columns stand in the same order" append order.csv p.heb
printf 'sex,born\nf,2001-01-01\n' >short.csv
reject 65 "a table of 2 columns, where p.heb has 3" append short.csv p.heb
reject 64 "there is no column 'kgs'" append --category kgs=a,b feb.csv p.heb
reject 64 "rows are appended as those of the dataset are" append --pack rows feb.csv p.heb
reject 64 "^hebatch encrypt: --columns cannot be given with --append: the dataset's columns are read" \
    append --columns sex,born,kg feb.csv p.heb
reject 65 "no label of sex, whose labels are f, m, x; .* --category sex=f,m,x,NEW (PUBLIC)" append er.csv p.heb
reject 65 "the dataset keeps 2 digits behind the point: --round, or encrypt the tables anew with a larger scale$" \
    append fine.csv p.heb
reject 66 "none.heb" append feb.csv none.heb
reject 65 "was made with the public key" "$HEBATCH" encrypt --append --key keys/secret.h5 feb.csv p.heb
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out others
reject 65 "is of another key pair" "$HEBATCH" encrypt --append --key others/public.h5 feb.csv p.heb
decrypt p.heb again.csv
same p.csv again.csv

# Sizes around a row block, ranks, shared limbs; what is computed is that of one table.
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --for 's = sum(x.a)'
echo "a,b" >all.csv
rows() { # rows FIRST LAST FILE: more of them
    echo "a,b" >"$3"
    seq "$1" "$2" | awk '{ print $1 % 5 - 2 "," $1 % 7 }' | tee -a "$3" >>all.csv
}
rows 1 1000 more.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --range a=-2..2,b=0..6 more.csv x.heb
rows 1001 1024 more.csv
expect 0 append more.csv x.heb
rows 1025 2100 more.csv
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" encrypt --append --key keys/public.h5 more.csv x.heb
rows 2101 2102 more.csv
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" encrypt --append --limb-ranks 2 --key keys/public.h5 more.csv x.heb
rows 2103 6000 more.csv
expect 0 append more.csv x.heb
expect 0 "$HEBATCH" verify --key keys/secret.h5 x.heb --against all.csv
expect 0 "$HEBATCH" eval --keys keys 's = sum(x.a)' x=x.heb s=s.heb
decrypt s.heb s.csv
[ "$(tail -n 1 s.csv)" = "$(tail -n +2 all.csv | awk -F, '{ s += $1 } END { print s }')" ] || fail "a sum is not that of all rows"
# HDF5: a group of columns, and whole datasets without names.
"$PYTHON" - <<'END'
import h5py, numpy as np
with h5py.File("t.h5", "w") as f:
    f["one/a"], f["one/b"], f["plain"] = np.array([1, -2], "i4"), np.array([3, 4], "u1"), np.array([[5, 6], [7, 8]], "i2")
END
expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.h5:/one h.heb
expect 0 append t.h5:/one h.heb
expect 0 append --range a=-5..5,b=0..9 t.h5:/one h.heb
decrypt h.heb h.csv
[ "$(tr '\n' ' ' <h.csv)" = "a,b 1,3 -2,4 1,3 -2,4 1,3 -2,4 " ] || fail "rows of HDF5 are others"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.h5:/plain n.heb
expect 0 append t.h5:/plain n.heb
decrypt n.heb n.csv
[ "$(tail -n +2 n.csv | tr '\n' ' ')" = "5,6 7,8 5,6 7,8 " ] || fail "rows without names are others"
# One dataset of all its parts.
expect 0 "$HEBATCH" concat x.heb one.heb
expect 0 "$HEBATCH" verify --key keys/secret.h5 one.heb --against all.csv
[ "$(find one.heb -name 'part-*' | wc -l)" = 1 ] || fail "concat left several shards"
"$PYTHON" - <<'END' || fail "plain HDF5 reads other rows in x.heb than in one.heb"
import h5py
a, b = (h5py.File(name + ".heb/index.h5")["ct"] for name in ("x", "one"))
assert all((a[c][q][:] == b[c][q][:]).all() for c in ("c0", "c1") for q in a[c])
END

# Who opens the dataset while its index is replaced sees one or the other.
cp x.heb/index.h5 large.h5
cp -r one.heb both.heb
cp x.heb/part-* both.heb/
cp one.heb/index.h5 small.h5
"$PYTHON" - "$HEBATCH" <<'END' || fail "an index that is replaced is not opened"
import os, subprocess, sys, threading

ended = threading.Event()
index = [open(name, "rb").read() for name in ("small.h5", "large.h5")]


def replace():
    turn = 0
    while not ended.is_set():
        with open("next.h5", "wb") as f:
            f.write(index[turn % 2])
        os.rename("next.h5", "both.heb/index.h5")
        turn += 1


thread = threading.Thread(target=replace)
thread.start()
codes = [subprocess.run([sys.argv[1], "info", "both.heb"], stdout=subprocess.DEVNULL).returncode for _ in range(60)]
ended.set()
thread.join()
sys.exit(any(codes))
END

# With the secret key, whose ciphertexts are half seeds: behind whole row blocks.
rows 1 1024 more.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 more.csv half.heb
rows 1 10 more.csv
expect 0 "$HEBATCH" encrypt --append --key keys/secret.h5 more.csv half.heb
reject 65 "Datasets that are to grow are made with the public key" \
    "$HEBATCH" encrypt --append --key keys/secret.h5 more.csv half.heb
expect 0 "$HEBATCH" verify half.heb

# Reals, in pairs and by rows: sums of both, with the errors of both.
expect 0 "$HEBATCH" keygen --n 1024 --levels 1 --scale-bits 40 --insecure --out reals
printf 'a,b,c\n1.5,-2,3\n' >r1.csv
printf 'a,b,c\n0.25,4,-5.5\n6,7,9\n' >r2.csv
{ cat r1.csv && tail -n +2 r2.csv; } >r.csv
for how in "--pair z=a,b" "--pack rows"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt --force --key reals/public.h5 --range -10..10 $how r1.csv r.heb
    expect 0 "$HEBATCH" encrypt --append --key reals/public.h5 r2.csv r.heb
    expect 0 "$HEBATCH" verify --key reals/secret.h5 r.heb --against r.csv --tolerance 1e-4
done
printf 'a,b,c\n1,1,10.5\n' >r3.csv
reject 65 "column 'c': the value is outside -10..10" "$HEBATCH" encrypt --append --key reals/public.h5 r3.csv r.heb
expect 0 "$HEBATCH" encrypt --append --key reals/public.h5 --range measured r3.csv r.heb
expect 0 "$HEBATCH" info r.heb
says "'c': values -10..16"

# Labels and truth values are not measured: they get all values of their meaning.
printf 'l,o\nb,true\n' >labels.csv
printf 'l,o\na,false\nc,true\n' >labels2.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 labels.csv labels.heb --category l=a,b,c --range l=1..1,o=1..1
expect 0 append --range measured labels2.csv labels.heb
expect 0 "$HEBATCH" info labels.heb
says "'l': values 0..2, 3 labels"
says "'o': values 0..1, true or false"

# Several plain moduli.
expect 0 "$HEBATCH" keygen --n 1024 --bits 30,30,31 --wide 30 --insecure --out wide
expect 0 "$HEBATCH" encrypt --key wide/public.h5 r2.csv w.heb --scale a=100,c=10 --force
reject 78 "such datasets do not grow" "$HEBATCH" encrypt --append --key wide/public.h5 r2.csv w.heb

cp one.heb/part-00000.h5 shard.heb
reject 65 "is one shard: give the folder" append more.csv shard.heb

# Done is done, however often a scheduler starts the job again, also after rows of another table. Without --resume they are asked for once more.
printf 'a,b\n1,2\n' >old.csv
printf 'a,b\n3,4\n' >new.csv
printf 'a,b\n7,8\n' >next.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 old.csv done.heb
expect 0 append --resume new.csv done.heb
done_already='done.heb: this table (1 row) was appended already on 20.* UTC: nothing is left to do'
reject 73 "$done_already" append --resume new.csv done.heb
reject 73 "$done_already" append --resume --force new.csv done.heb
expect 0 append --resume next.csv done.heb
reject 73 "$done_already" append --resume next.csv done.heb
reject 73 "$done_already" $MPIRUN -n 2 "$HEBATCH" encrypt --append --resume --key keys/public.h5 new.csv done.heb
expect 0 append --resume --dry-run new.csv done.heb
grep -q "$done_already" out || fail "a dry run does not say that nothing is left to do"
decrypt done.heb there.csv
[ "$(tr '\n' ' ' <there.csv)" = "a,b 1,2 3,4 7,8 " ] || fail "rows were appended twice"
expect 0 append new.csv done.heb
grep -q "this table (1 row) was appended already on 20.* UTC; its rows are appended once more" err || fail "a repetition is not said"
printf 'a,b\n9,9\n' >new.csv
expect 0 append --resume new.csv done.heb
decrypt done.heb there.csv
[ "$(tr '\n' ' ' <there.csv)" = "a,b 1,2 3,4 7,8 3,4 9,9 " ] || fail "rows of a table that changed were not appended"

# Rows are known by their values, whatever file they come from: a copy, with another time, spelled otherwise, in HDF5, in several
# tables or one.
cp new.csv copy.csv
touch -d 2001-01-01 copy.csv
printf 'a;b\n+9; "9"\n' >spelled.csv
h5table new.h5 t 'np.array([[9, 9]], dtype=np.int16)'
for file in copy.csv spelled.csv new.h5:/t; do
    reject 73 "$done_already" append --resume $file done.heb
done
printf 'a,b\n11,1\n12,2\n' >two.csv
printf 'a,b\n11,1\n' >first.csv
printf 'a,b\n12,2\n' >second.csv
expect 0 append --resume two.csv done.heb
reject 73 "(2 rows) was appended already" append --resume first.csv second.csv done.heb
# Another table is none that was there, though its file has the same size, inode and time; nor is one with other rows left out.
touch -r new.csv times
printf 'a,b\n8,9\n' | dd of=new.csv conv=notrunc 2>dd
touch -r times new.csv
expect 0 append --resume new.csv done.heb
printf 'a,b\n,5\n9,9\n' >left.csv
expect 0 append --resume --missing drop left.csv done.heb
reject 73 "$done_already" append --resume --missing drop left.csv done.heb
decrypt done.heb there.csv
[ "$(tr '\n' ' ' <there.csv)" = "a,b 1,2 3,4 7,8 3,4 9,9 11,1 12,2 8,9 9,9 " ] || fail "not the rows of other tables"

# The index goes to the server and has digests of the rows: guesses cannot be tried out without the key, which stays.
[ "$(stat -c '%a %s' done.heb.appends)" = "600 32" ] || fail "the key of appended rows can be read by others"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 old.csv twin.heb
expect 0 append --resume --dry-run two.csv twin.heb
absent twin.heb.appends
expect 0 append --resume two.csv twin.heb
"$PYTHON" -c 'import h5py
entries = [bytes(e) for name in ("done", "twin") for e in h5py.File(name + ".heb/index.h5")["appended/table"][:]]
assert len(set(entries)) == len(entries) - 1 == 7, entries # new.csv was appended twice' ||
    fail "digests of the same rows are the same, or there are others"
# Without it, as of entries of older programs, nobody can tell of a table of as many rows, and nothing is guessed.
mv done.heb.appends kept
for file in two.csv new.csv; do
    reject 73 "done.heb: a table of as many rows (.*) was appended on 20.* UTC, and nobody can tell whether it was this one" \
        append --resume $file done.heb
done
expect 0 append --resume --dry-run two.csv done.heb
grep -q "nobody can tell" out || fail "a dry run does not say that nobody can tell"
printf 'a,b\n1,1\n1,1\n1,1\n' >three.csv
expect 0 append --resume three.csv done.heb
reject 73 "(3 rows) was appended already" append --resume three.csv done.heb
expect 0 append two.csv done.heb
reject 73 "(2 rows) was appended already" append --resume two.csv done.heb
printf x >done.heb.appends
reject 65 "done.heb.appends: is no key" append --resume two.csv done.heb
# A job that appends nothing makes no key: one that is refused for what the list says, or for a value of the table.
rm done.heb.appends
reject 73 "nobody can tell" append --resume two.csv done.heb
absent done.heb.appends
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --range 0..9 old.csv small.heb
printf 'a,b\n3,10\n' >large.csv
reject 65 "the value is outside 0..9" append large.csv small.heb
reject 65 "the value is outside 0..9" append --resume large.csv small.heb
absent small.heb.appends small.heb.partial

[ -n "${KILL_AT_LIBRARY-}" ] || exit 0
printf 'a,b\n1,2\n' >old.csv
printf 'a,b\n3,4\n' >new.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 old.csv start.heb
# The dataset is the old one, to which --resume appends, or the new one, to which it does not append again.
k=0 old=0 new=0
while :; do
    rm -rf k.heb k.heb.* && cp -r start.heb k.heb
    code=0
    k=$((k < 32 ? k + 3 : k + 1)) # before the first shard is made there is little to see
    KILL_AT=$k LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" encrypt --append --key keys/public.h5 new.csv k.heb >out 2>err ||
        code=$?
    [ $code = 137 ] || break
    [ -e k.heb.partial ] && left=yes || left=no
    again=0 # decrypt has a code of its own
    append --resume new.csv k.heb >out 2>err || again=$?
    decrypt k.heb there.csv
    case "$again $left $(tr '\n' ' ' <there.csv)" in
    "0 yes a,b 1,2 3,4 ") old=$((old + 1)) ;;
    "0 no a,b 1,2 3,4 ") [ $k -le 32 ] || fail "killed at $k: nothing was left of the job" ;;
    "73 yes a,b 1,2 3,4 ") new=$((new + 1)) done_at=$k ;;
    "73 no a,b 1,2 3,4 ") new=$((new + 1)) ;;
    *) fail "killed at $k: $again, $left, and the dataset is neither" ;;
    esac
    absent k.heb.partial
done
[ $code = 0 ] || fail "exit code $code when killed at $k"
[ $old -gt 10 ] && [ $new -gt 1 ] || fail "killed $old times before the new index and $new times behind it"

# Another job appends between the opening of the dataset and the hold on it: what was planned for its old end is not begun.
rm -rf k.heb && cp -r start.heb k.heb
KILL_AT_STOPS=1 KILL_AT_NAME=k.heb.partial LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" encrypt --append --key keys/public.h5 \
    new.csv k.heb >late.out 2>late.err &
late=$!
until [ "$(ps -o state= -p $late | cut -c1)" = T ]; do
    kill -0 $late || fail "the job ended before it held the dataset"
    sleep 0.02
done
expect 0 append old.csv k.heb
kill -CONT $late
code=0
wait $late || code=$?
[ $code = 73 ] || fail "exit code $code of the job that came too late"
grep -q "another job has replaced the dataset meanwhile; start again" late.err || fail "the reason is not said"
absent k.heb.partial
expect 0 append new.csv k.heb
decrypt k.heb there.csv
[ "$(tr '\n' ' ' <there.csv)" = "a,b 1,2 1,2 3,4 " ] || fail "rows of two jobs are others"
# Two first appends at once, one of them stopped as it stores the key: the key that stays is that of the rows that are there.
rm -rf k.heb k.heb.* && cp -r start.heb k.heb
KILL_AT_STOPS=1 KILL_AT_NAME=k.heb.appends LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" encrypt --append --key keys/public.h5 \
    new.csv k.heb >late.out 2>late.err &
late=$!
until [ "$(ps -o state= -p $late | cut -c1)" = T ]; do
    kill -0 $late || fail "the job ended before it stored the key"
    sleep 0.02
done
code=0
append old.csv k.heb >out 2>err || code=$?
kill -CONT $late
other=0
wait $late || other=$?
case "$code $other" in
"0 73") there=old.csv ;;
"73 0") there=new.csv ;;
*) fail "two appends at once end with $code and $other" ;;
esac
reject 73 "$(echo "$done_already" | sed s/done.heb/k.heb/)" append --resume $there k.heb
expect 0 append --resume "$([ $there = old.csv ] && echo new.csv || echo old.csv)" k.heb
# A job was killed behind the new index. Its remains are of its own rows alone: rows of another table are appended.
printf 'a,b\n5,6\n' >other.csv
rm -rf k.heb k.heb.* && cp -r start.heb k.heb
KILL_AT=$done_at LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" encrypt --append --key keys/public.h5 new.csv k.heb >out 2>err ||
    [ -e k.heb.partial/job.json ] || fail "killed at $done_at: nothing was left of the job"
expect 0 append other.csv k.heb
decrypt k.heb there.csv
[ "$(tr '\n' ' ' <there.csv)" = "a,b 1,2 3,4 5,6 " ] || fail "rows of another table were not appended"
absent k.heb.partial
