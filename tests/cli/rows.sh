#!/bin/sh
# Rows within slots: encrypt --pack rows and auto, what eval makes of such datasets against numpy, within what the plan
# proves; keys, names, refusals.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
check=$(CDPATH='' cd -- "${0%/*}" && pwd)/rows.py
REALS="--n 2048 --levels 8 --scale-bits 40 --special-primes 2 --insecure"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $REALS --out keys --relin
encrypt() {
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 "$@"
}

# compare EXPRESSION NAME...: results are what numpy says, to the bits that the plan proves.
compare() {
    text=$1
    shift
    for name in "$@"; do
        case $name in *=*) continue ;; esac
        expect 0 "$HEBATCH" decrypt --key keys/secret.h5 "$name.heb" "$name.csv" --force
    done
    "$PYTHON" "$check" "$text" "$@" || fail "$text"
}

"$PYTHON" "$check" --make || fail "no tables"

# Five columns in blocks of 8: 128 rows a ciphertext, and 300 rows end inside the third.
encrypt --pack rows x.csv x.heb
says "3 ciphertexts"
expect 0 "$HEBATCH" info x.heb
says "^packing      rows in blocks of 8 slots"
expect 0 "$HEBATCH" verify x.heb --key keys/secret.h5 --against x.csv --tolerance 1e-6
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 x.heb back.csv
text="a = 2*x - t + 0.5; b = x*t - r; c = x^3; d = rowsum(r*x); e = mean(x); f = dot(x, x); g = x.c2*x; h = x - mean(x)"
eval_with_keys "$text" x=x.heb t=x.csv r=row.csv a=a.heb b=b.heb c=c.heb d=d.heb e=e.heb f=f.heb g=g.heb h=h.heb
compare "$text" a b c d e f g h
expect 0 "$HEBATCH" info d.heb
says "rows in blocks of 8 slots"
text="a = W @ x; b = 2*(W @ (0.25*x)) + 1; c = sigmoid(W @ x); d = V @ x; e = sum(W @ x); f = x.c4 - rowsum(x); g = rowsum(c)"
eval_with_keys "$text" x=x.heb W=W.csv V=V.csv a=a.heb b=b.heb c=c.heb d=d.heb e=e.heb f=f.heb g=g.heb
compare "$text" a b c d e f g
# Two products that are added share giant steps, also where one of the vectors is lower.
"$PYTHON" - <<'PYTHON'
import numpy as np
uniform = lambda rows, columns: np.random.default_rng(rows).uniform(-1, 1, (rows, columns))
for name, table in (("k", uniform(300, 5)), ("U", uniform(5, 5)), ("Y", uniform(5, 5) / 2)):
    np.savetxt(name + ".csv", table, delimiter=",", header="c1,c2,c3,c4,c5", comments="", fmt="%.9f")
PYTHON
encrypt --pack rows --block 8 k.csv k.heb
text="a = U @ k + r + (Y @ x - 0.5); b = U @ (k*k) - Y @ x; c = (U @ (x*k) + Y @ k)*x"
eval_with_keys "$text" x=x.heb k=k.heb r=row.csv U=U.csv Y=Y.csv a=a.heb b=b.heb c=c.heb
compare "$text" a b c
expect 0 "$HEBATCH" eval --keys keys "a = U @ k + Y @ x" x=x.heb k=k.heb U=U.csv Y=Y.csv a=planned.heb --dry-run
says "^matrix       5 x 5 and 5 x 5 in blocks of 8 slots: 18 diagonals, 6 rotations, 4 of them for both"
# A row that stands in the place of every row needs no keys and no level for that: the products of an unfilled one.
encrypt --pack rows --fill row.csv q.heb
expect 0 "$HEBATCH" info q.heb
says "^packing .*the row stands in the place of all"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 q.heb q.csv
[ "$(wc -l <q.csv)" = 2 ] || fail "a filled row is not one row"
text="a = q*x; b = rowsum(q*x) + x.c1; c = sum(q*x)"
eval_with_keys "$text" x=x.heb q=q.heb a=a.heb b=b.heb c=c.heb
cp row.csv q.csv
compare "$text" a b c
refuse 65 "has 300 rows" "$HEBATCH" encrypt --key keys/secret.h5 --fill x.csv y.heb
encrypt --pack rows --block 1024 --fill row.csv y.heb # a row block that is full
refuse 65 "its row stands in the place of every row" "$HEBATCH" encrypt --key keys/secret.h5 --append row.csv y.heb
rm -r y.heb
refuse 64 "rows are appended as" "$HEBATCH" encrypt --key keys/secret.h5 --fill --append row.csv q.heb
# Results are computed with again; slots behind their columns are not 0.
eval_with_keys "y = square(d) + f" d=d.heb f=f.heb y=y.heb
compare "y = square(d) + f" y
eval_with_keys "y = x + sum(x.c1)" x=x.heb y=y.heb
compare "y = x + sum(x.c1)" y
# An encrypted row, in the first block of its ciphertext, stands in all.
encrypt --pack rows --block 8 row.csv r.heb
text="a = x - r; b = rowsum(r*x); c = dot(x, r) + r"
eval_with_keys "$text" x=x.heb r=r.heb a=a.heb b=b.heb c=c.heb
compare "$text" a b c

# One column, as many columns as slots in a block, and 784 columns: one row a ciphertext.
for name in one four long; do
    encrypt --pack rows $name.csv $name.heb
    text="y = W @ x; z = rowsum(x); m = mean(x)"
    eval_with_keys "$text" x=$name.heb W=$name-W.csv y=y.heb z=z.heb m=m.heb
    compare "$text" x=$name W=$name-W y z m
done
# By columns the words are others, and values the same.
encrypt --pack columns four.csv columns.heb
eval_with_keys "y = W @ x" x=columns.heb W=four-W.csv y=y.heb
compare "y = W @ x" x=four W=four-W y

# The choice: few rows of many columns within slots, many rows of few columns not.
encrypt --pack auto long.csv auto.heb
grep -q "packing      rows in blocks of 1024 slots, 1 row a ciphertext, which takes less time" err || fail "no choice"
encrypt --pack auto many.csv auto2.heb
grep -q "packing      columns: a ciphertext holds values of one, which takes less time" err || fail "no choice"

encrypt --pack rows --block 16 x.csv wide.heb
refuse 65 "in blocks of 8 slots and of 16" "$HEBATCH" eval --keys keys "y = x + z" x=x.heb z=wide.heb y=no.heb
refuse 64 "encrypt it with --block 16 or more" "$HEBATCH" eval --keys keys "y = L @ x" x=x.heb L=L.csv y=no.heb
refuse 64 "it is columns, rows or auto" "$HEBATCH" encrypt --key keys/secret.h5 --pack blocks x.csv no.heb
refuse 64 "--block is for --pack rows" "$HEBATCH" encrypt --key keys/secret.h5 --block 8 x.csv no.heb
for block in 4 12 2048; do
    refuse 64 "a power of two, from 8 to 1024 slots" "$HEBATCH" encrypt --key keys/secret.h5 --pack rows --block $block \
        x.csv no.heb
done
awk 'BEGIN { for (c = 1; c <= 1025; c++) printf "%sc%d", (c > 1 ? "," : ""), c
    print ""
    for (c = 1; c <= 1025; c++) printf "%s0.5", (c > 1 ? "," : "")
    print "" }' >broad.csv
refuse 64 "a row of 1025 columns does not fit into the 1024 slots" "$HEBATCH" encrypt --key keys/secret.h5 --pack rows \
    --block 1024 broad.csv no.heb
refuse 64 "--bootstrap twice: parameters .* have no bootstrapping" "$HEBATCH" eval --keys keys "y = x" x=x.heb y=no.heb \
    --bootstrap twice
refuse 64 "hebatch eval says which keys" "$HEBATCH" keygen --key keys/secret.h5 --for "y = W @ x" --block 8
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --for "y = mean(rowsum(x)*x.1)" --dry-run
expect 0 "$HEBATCH" keygen $REALS --out fresh --for "y = rowsum(w*x); z = mean(x*x)" --block 8
[ "$(find fresh -name 'galois-*' | wc -l)" = 14 ] || fail "sums of 8 columns take 3 rotations, of 128 rows 7, and 4 are spare"
# Without the spare keys, of three steps, 24, 96 and 384, sums are the same in other words.
expect 0 "$HEBATCH" encrypt --key fresh/secret.h5 --pack rows x.csv fresh.heb
cp -R fresh few
rm few/galois-125.h5 few/galois-3489.h5 few/galois-3713.h5 few/galois-2561.h5
for keys in fresh few; do
    expect 0 "$HEBATCH" eval --keys $keys "a = rowsum(x*x); b = mean(x*x)" x=fresh.heb a=$keys-a.heb b=$keys-b.heb
    grep ' bits at least' err >plan
    for name in a b; do
        expect 0 "$HEBATCH" decrypt --key fresh/secret.h5 $keys-$name.heb $name.csv --force
    done
    "$PYTHON" "$check" "a = rowsum(x*x); b = mean(x*x)" a b || fail "sums by the keys in $keys"
done
for name in a b; do
    refuse 1 "differ first in unit 0" "$HEBATCH" verify fresh-$name.heb --same-as few-$name.heb
done
expect 0 "$HEBATCH" params suggest --scheme ckks "y = square(W @ x)" --rows 300 --columns x=5 --range x=-1..1 \
    --table W=W.csv --precision 8 --block 8
says "^hebatch keygen .* --relin --rotations "
refuse 64 "no smaller than their 5 columns" "$HEBATCH" params suggest --scheme ckks "y = x*x" --rows 300 --columns x=5 \
    --range x=-1..1 --block 4
absent no.heb
