#!/bin/sh
# ask --leave: what a question leaves behind, however it ends, and what it must not take away.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

printf 'ward,age\nA,3\nB,4\nA,5\n' >t.csv
# asks OPTIONS: a question with its answer on stdout.
asks() {
    expect 0 "$HEBATCH" ask 's = sum(age)' t.csv "$@"
    printf 's\n12\n' | cmp - out || fail "another answer with $*"
}

# None: not even the folder stays where it was not there; the answer of --out does.
asks --leave none
absent hebatch-ask
complains "this question leaves no keys, tables or answers$"
grep -q "keys that were there" err && fail "keys are said to stay where none were there"
grep -q "rm -r" err && fail "a folder that is not there is to be removed"
expect 0 "$HEBATCH" ask 's = sum(age)' t.csv --leave none --out s.csv --json
absent hebatch-ask
printf 's\n12\n' | cmp - s.csv || fail "no answer in --out"

# Tables: keys and tables stay, and are used by the next question; answers do not pile up.
asks --leave tables
ls hebatch-ask | sort >before
printf '%s\n' keys t.heb t.heb.from.json t.heb.report.json | cmp - before || fail "other files stay: $(cat before)"
asks --leave tables
complains "it is there, hebatch-ask/t.heb"
complains "PUBLIC, readable by everyone who gets the encrypted t.csv: .*: age (3..5); the cells are secret"
ls hebatch-ask | sort | cmp - before || fail "the folder grows"

# Earlier files stay, whatever a question keeps: keys, tables, and answers of earlier questions.
asks
[ -e hebatch-ask/s.heb ] && [ -e hebatch-ask/s.csv ] || fail "no answer stays by itself"
complains "(--leave tables leaves no answer there); to remove it, .*: rm -r hebatch-ask$"
find hebatch-ask -type f -exec cksum {} + | sort >before
asks --leave none
complains "keys that were there stay$"
asks --leave tables
find hebatch-ask -type f -exec cksum {} + | sort | cmp - before || fail "an earlier question lost files"
# A question of other parameters makes keys of its own, and takes those alone away.
expect 0 "$HEBATCH" ask 'g = groupby(ward, mean(age))' t.csv --leave none
find hebatch-ask -type f -exec cksum {} + | sort | cmp - before || fail "an earlier question lost files to one of other keys"
# Keys that the user names are nobody's but the user's.
expect 0 cp -r hebatch-ask/keys mine
asks --dir other --keys mine --leave none
[ -e mine/secret.h5 ] && [ -e mine/public.h5 ] || fail "keys of the user are gone"
absent other
grep -q "keys that were there" err && fail "named keys are said to stay"

# A question that is stopped or fails leaves no more than one that is answered, and says it.
"$PYTHON" -c 'import random
r = random.Random(1)
print("ward,age,holds")
for i in range(3000): print(f"w{r.randrange(6)},{r.randrange(100)},{r.randrange(10**6) / 100}")' >many.csv
# stop PHASE OPTIONS: a question that needs large keys gets SIGTERM in this phase.
stop() {
    phase=$1
    shift
    : >err
    "$HEBATCH" ask 'groupby(ward, count(), count(age >= 65), mean(holds))' many.csv "$@" >out 2>err &
    asked=$!
    while ! grep -q "\[$phase/5\]" err && kill -0 $asked; do
        sleep 0.1
    done
    kill -TERM $asked
    code=0
    wait $asked || code=$?
    [ "$code" = 75 ] || fail "exit code $code of a question that was stopped"
}
for leave in none tables all; do
    stop 2 --dir stopped --leave $leave
    complains "stopped by signal 15 (Terminated); this question has left nothing$"
    absent stopped
done
find hebatch-ask -type f -exec cksum {} + | sort >before
ls hebatch-ask >names
stop 2
complains "stopped by signal 15 (Terminated); this question has left nothing$"
ls hebatch-ask | cmp - names || fail "an empty folder stays beside those of earlier questions"
find hebatch-ask -type f -exec cksum {} + | sort | cmp - before || fail "a question that was stopped took files of others"
# While it computes.
stop 4 --dir stopped
complains "stopped by signal 15 (Terminated); its keys and encrypted table stay$"
ls stopped | tr '\n' ' ' | grep -qx 'keys many.heb many.heb.from.json many.heb.report.json ' || fail "other files stay"
ls stopped stopped/keys | grep -v many >names
rm -r stopped/many.*
stop 4 --dir stopped --leave none
complains "stopped by signal 15 (Terminated); this question has left nothing$"
ls stopped stopped/keys | cmp - names || fail "a question that was stopped left files, or took keys that were there"
rm -r stopped

# A file that cannot be removed is no reason to fail: the answer is out.
mkdir -p locked/keys && chmod 700 locked
echo mine >locked/keys/notes
asks --dir locked --leave none
complains "locked/keys stays: files without a public.h5 were in it before"
[ -e locked/keys/notes ] || fail "a file of the user is gone"

# HEBATCH_KEEP is about eval --keep alone.
HEBATCH_KEEP=5m asks --leave none

refuse 64 "--leave some: it is all, tables or none" "$HEBATCH" ask 's = sum(age)' t.csv --leave some
refuse 64 "--leave says what stays of a question: --dry-run makes nothing" "$HEBATCH" ask 's = sum(age)' t.csv --leave none --dry-run
