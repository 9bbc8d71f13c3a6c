#!/bin/sh
# ask: questions that join two tables, and tables that a question does not join.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

printf '%s\n' ward,cost,floor A,410,east B,380,west >w.csv
printf '%s\n' ward,days A,5 B,4 A,3 >n.csv

# answers FILE: the last command's stdout is that text.
answers() {
    printf '%s\n' "$@" >wanted
    cmp -s out wanted || fail "another answer than: $*"
}

# A table that the question does not read takes no part: it is refused, with the lookup that joins it.
refuse 64 'does not read table p: leave it out, or join with lookup(p.ward, w.floor)' \
    "$HEBATCH" ask 'groupby(w.floor, count())' p=n.csv w=w.csv --dir none
refuse 64 'does not read table w: leave it out, or join with lookup(p.ward, w.cost)' \
    "$HEBATCH" ask 'sum(p.days)' p=n.csv w=w.csv --dir none
printf '%s\n' n 1 2 >other.csv
refuse 64 'does not read table o: leave it out$' "$HEBATCH" ask 'sum(p.days)' p=n.csv o=other.csv --dir none
printf '%s\n' '"the ward",days' A,5 A,4 >quoted.csv
printf '%s\n' '"the ward","a cost"' A,7 >quoted2.csv
refuse 64 'or join with lookup(p."the ward", w."a cost")' \
    "$HEBATCH" ask 'sum(p.days)' p=quoted.csv w=quoted2.csv --dir none

# So is the one that the nearest question does not read, and that question can be asked without it.
refuse 64 "this can be asked: 'mean(p.days)' of the table p=n.csv alone; to join the other one, take lookup(p.ward, w.cost)" \
    "$HEBATCH" ask 'avg(days)' p=n.csv w=w.csv --dir none
expect 0 "$HEBATCH" ask 'mean(p.days)' p=n.csv --dir alone
answers answer 4

# Of a table of many columns one is the value: which one is said.
refuse 64 'w has 3 columns, ward, cost, floor: say which one is the value, as in lookup(p.ward, w.cost)' \
    "$HEBATCH" ask 'sum(p.days * lookup(p.ward, w))' p=n.csv w=w.csv --dir none
refuse 64 'say which two are the key and the value, as in lookup(p.days, (w.ward, w.cost))' \
    "$HEBATCH" ask 'sum(lookup(p.days, w, 0))' p=n.csv w=w.csv --dir none
refuse 64 'w needs two columns, a key and a value, and has 3: choose them, as in lookup(x, (w.ward, w.cost))' \
    "$HEBATCH" params suggest 's = sum(p.days * lookup(p.ward, w))' --table p=n.csv --plain-table w=w.csv \
    --category ward --category floor

# Columns of the table that the question does not read are not read: they may have texts, or numbers that are none.
expect 0 "$HEBATCH" ask 'sum(p.days * lookup(p.ward, w.cost))' p=n.csv w=w.csv --dir joined
answers answer 4800
complains 'reads p.ward: texts; p.days: whole numbers; w.ward: texts; w.cost: whole numbers$'
printf '%s\n' ward,cost,odd A,410,1 B,380,2024-01-01 >odd.csv
expect 0 "$HEBATCH" ask 'sum(p.days * lookup(p.ward, w.cost))' p=n.csv w=odd.csv --dir joined
answers answer 4800
expect 0 "$HEBATCH" params suggest 's = sum(p.days * lookup(p.ward, (w.ward, w.cost)))' --table p=n.csv \
    --plain-table w=odd.csv --category ward
# A column that is not there is missed among all; rows that lack a cell of a column that --missing names are left out.
refuse 64 "no column 'cots'" "$HEBATCH" params suggest 's = sum(p.days * lookup(p.ward, (w.ward, w.cots)))' \
    --table p=n.csv --plain-table w=w.csv --category ward --category floor
printf '%s\n' ward,cost,until A,410, A,7,2 B,380,3 >until.csv
expect 0 "$HEBATCH" ask 'sum(lookup(p.ward, w.cost))' p=n.csv w=until.csv --missing until=drop --dir joined
answers answer 394

# Texts of the table are labels, by which groups are made and rows compared.
expect 0 "$HEBATCH" ask 'groupby(lookup(p.ward, w.floor), count(), sum(p.days))' p=n.csv w=w.csv --dir joined
answers 'key,count,sum(p.days)' east,2,8 west,1,4
expect 0 "$HEBATCH" ask "count(lookup(p.ward, w.floor) == 'east'); f = lookup(p.ward, w.floor)" p=n.csv w=w.csv \
    --dir joined
grep -qx 2 out && grep -qx west out || fail "labels that a table gives"
printf '%s\n' ward,days A,5 B,4 C,3 ,2 >more.csv
refuse 65 "('C'): add entries, or the label of all others, as in lookup(p.ward, (w.ward, w.floor), 'east')" \
    "$HEBATCH" ask 'groupby(lookup(p.ward, w.floor), count())' p=more.csv w=w.csv --dir none
expect 0 "$HEBATCH" ask "groupby(lookup(p.ward, w.floor, 'west'), count(), sum(p.days))" p=more.csv w=w.csv --dir joined
answers 'key,count,sum(p.days)' east,1,5 west,2,7
refuse 64 "a category stands beside a number" \
    "$HEBATCH" ask 'groupby(lookup(p.ward, w.floor, 0), count())' p=more.csv w=w.csv --dir none
refuse 64 "'north' is no label of floor, which has 2 labels" \
    "$HEBATCH" ask "groupby(lookup(p.ward, w.floor, 'north'), count())" p=more.csv w=w.csv --dir none
refuse 64 "entries give numbers, as 'ICU':10, and so is the value for all others" \
    "$HEBATCH" ask "sum(lookup(ward, 'A':1, 'B'))" n.csv --dir none
