#!/bin/sh
# ask --keep: what a question leaves behind, and what it must not take away.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

printf 'ward,age\nA,3\nB,4\nA,5\n' >t.csv
# asks OPTIONS: a question with its answer on stdout.
asks() {
    expect 0 "$HEBATCH" ask 's = sum(age)' t.csv "$@"
    printf 's\n12\n' | cmp - out || fail "another answer with $*"
}

# None: not even the folder stays where it was not there; the answer of --out does.
asks --keep none
absent hebatch-ask
complains "nothing that this question made stays"
grep -q "rm -r" err && fail "a folder that is not there is to be removed"
expect 0 "$HEBATCH" ask 's = sum(age)' t.csv --keep none --out s.csv --json
absent hebatch-ask
printf 's\n12\n' | cmp - s.csv || fail "no answer in --out"

# Tables: keys and tables stay, and are used by the next question; answers do not pile up.
asks --keep tables
ls hebatch-ask | sort >before
printf '%s\n' keys t.heb t.heb.from.json t.heb.report.json | cmp - before || fail "other files stay: $(cat before)"
asks --keep tables
complains "it is there, hebatch-ask/t.heb"
ls hebatch-ask | sort | cmp - before || fail "the folder grows"

# What was there before stays, whatever a question keeps: keys, tables, and answers of earlier questions.
asks
[ -e hebatch-ask/s.heb ] && [ -e hebatch-ask/s.csv ] || fail "no answer stays by itself"
complains "(--keep tables leaves no answer there); to remove it, .*: rm -r hebatch-ask$"
find hebatch-ask -type f -exec cksum {} + | sort >before
asks --keep none
asks --keep tables
find hebatch-ask -type f -exec cksum {} + | sort | cmp - before || fail "an earlier question lost files"
# A question of other parameters makes keys of its own, and takes those alone away.
expect 0 "$HEBATCH" ask 'g = groupby(ward, mean(age))' t.csv --keep none
find hebatch-ask -type f -exec cksum {} + | sort | cmp - before || fail "an earlier question lost files to one of other keys"
# Keys that the user names are nobody's but the user's.
expect 0 cp -r hebatch-ask/keys mine
asks --dir other --keys mine --keep none
[ -e mine/secret.h5 ] && [ -e mine/public.h5 ] || fail "keys of the user are gone"
absent other

refuse 64 "--keep some: it is all, tables or none" "$HEBATCH" ask 's = sum(age)' t.csv --keep some
refuse 64 "--keep says what stays of a question: --dry-run makes nothing" "$HEBATCH" ask 's = sum(age)' t.csv --keep none --dry-run
