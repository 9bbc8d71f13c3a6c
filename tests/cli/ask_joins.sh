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

# Of a table of many columns one is the value: which one is said.
refuse 64 'w has 3 columns, ward, cost, floor: say which one is the value, as in lookup(p.ward, w.cost)' \
    "$HEBATCH" ask 'sum(p.days * lookup(p.ward, w))' p=n.csv w=w.csv --dir none
refuse 64 'say which two are the key and the value, as in lookup(p.days, (w.ward, w.cost))' \
    "$HEBATCH" ask 'sum(lookup(p.days, w, 0))' p=n.csv w=w.csv --dir none
refuse 64 'w needs two columns, a key and a value, and has 3: choose them, as in lookup(x, (w.ward, w.cost))' \
    "$HEBATCH" params suggest 's = sum(p.days * lookup(p.ward, w))' --table p=n.csv --plain-table w=w.csv \
    --category ward --category floor
