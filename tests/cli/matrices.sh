#!/bin/sh
# Matrices within samples, of integers exactly, and of reals, by columns and of rows within slots, within what the plan
# proves; shapes that do not match.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
check=$(CDPATH='' cd -- "${0%/*}" && pwd)/matrices.py
"$PYTHON" "$check" --make || fail "no tables"
names="product turned chain full gram vector outer entries shifted blocks weighed behind"
cat >statements <<'END'
A = matrix(@@a, 3, 4); B = matrix(@@b, 4, 2); S = matrix(@@s, 4, 4); T = matrix(@@t, 4, 4); V = matrix(@@v, 4, 1)
P = matrix(@@p, 5, 6); Q = matrix(@@q, 6, 8)
@@product = A @ B; @@turned = transpose(A); @@chain = transpose(B) @ transpose(A) + 1; @@full = S @ T
@@gram = S @ transpose(S) - T; @@vector = A @ @@v; @@outer = V @ transpose(V); @@entries = S*T + @@v.1
@@shifted = P @ Q; @@blocks = transpose(Q) @ transpose(P)
@@weighed = @@W @ B; @@behind = transpose(@@W @ transpose(A))
END

# compute PREFIX: all results of the tables with this prefix.
compute() {
    files="$1W=$1W.csv"
    for name in a b s t v p q $names; do files="$files $1$name=$1$name.heb"; done
    # shellcheck disable=SC2086
    eval_with_keys "$(sed "s/@@/$1/g" statements)" $files
}

# compare NAME...
compare() {
    for name in "$@"; do
        expect 0 "$HEBATCH" decrypt --key keys/secret.h5 "$name.heb" "$name.csv" --force --quiet
    done
    "$PYTHON" "$check" "$@" || fail "$*"
}

# encrypt TABLE OPTION...
encrypt() {
    table=$1
    shift
    expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 "$table.csv" "$table.heb" --force "$@"
}

expect 0 "$HEBATCH" keygen --n 1024 --levels 6 --scale-bits 46 --special-primes 3 --insecure --out keys --quiet
for packing in columns "rows --block 64"; do
    # shellcheck disable=SC2086
    for t in a b s t v p q; do encrypt $t --range=-1..1 --pack $packing; done
    compute ""
    # shellcheck disable=SC2086
    compare $names
done
refuse 64 "the product is a matrix of 12 x 12; rows of a are in blocks of 64 slots: encrypt it with --block 256 or more" \
    "$HEBATCH" eval --keys keys "V = matrix(a, 12, 1); no = V @ transpose(V)" a=a.heb no=no.heb

# Keys within slots follow from datasets: eval says which are missing.
refuse 64 "make the pair with keygen --relin, and encrypt with --pack rows; then hebatch eval says which keys are" \
    "$HEBATCH" keygen --n 1024 --levels 6 --scale-bits 46 --special-primes 3 --insecure --block 16 --out none \
    --for 'T = matrix(a, 2, 3) @ transpose(matrix(a, 2, 3))'
absent none

mv keys reals
expect 0 "$HEBATCH" keygen --n 1024 --bits 60,60,60,60 --plain-bits 20 --insecure --out keys --quiet \
    --for 'C = matrix(a, 2, 2) @ transpose(matrix(b, 2, 2))'
for t in a b s t v p q; do encrypt i$t --range=-9..9; done
compute i
grep -q . plan && fail "integers have no bits behind the point"
# shellcheck disable=SC2046
compare $(for n in $names; do echo "i$n"; done)
encrypt d --range=-10..10 --scale d1=10,d2=10,d3=10,d4=10
expect 0 "$HEBATCH" eval --quiet --keys keys 'D = matrix(d, 2, 2); decimals = D @ D; tenths = W @ D' d=d.heb W=dW.csv \
    --scale dW1=10,dW2=10 decimals=decimals.heb tenths=tenths.heb
compare decimals tenths

wrong() {
    words=$1
    text=$2
    shift 2
    refuse 64 "$words" "$HEBATCH" eval --keys keys "$text" ia=ia.heb "$@" no=no.heb
}
wrong "a matrix of 3 x 4 times one of 2 x 4: the left one has as many columns as the right one has rows" \
    "no = matrix(ia, 3, 4) @ matrix(ib, 2, 4)" ib=ib.heb
wrong "a matrix of 3 x 5 stands in 15 columns, row by row, and here are 12" "no = matrix(ia, 3, 5)"
wrong "a matrix of 3 x 4 and one of 4 x 3: their entries are matched" \
    "no = matrix(ia, 3, 4) + transpose(matrix(ia, 3, 4))"
wrong "a matrix of 4 x 3 and one of 2 x 4: their entries are matched" "no = matrix(ia, 4, 3)*matrix(ib, 2, 4)" ib=ib.heb
wrong "a matrix of 3 x 4 times a vector of 12 x 1" "no = matrix(ia, 3, 4) @ ia"
wrong "weights of 5 x 4 times a matrix of 3 x 4: the left side has as many columns as the right one has rows" \
    "no = W @ matrix(ia, 3, 4)" W=iW.csv
wrong "on the right of @ is a matrix of 3 x 4, and on the left neither a matrix, as matrix(x, 3, 3) is one" \
    "no = ib @ matrix(ia, 3, 4)" ib=ib.heb
wrong "A W is transpose(V @ transpose(A)), where V is W with rows and columns exchanged" \
    "no = matrix(ia, 3, 4) @ W" W=iW.csv
wrong "transpose takes a matrix" "no = transpose(ia)"
wrong "the rows of matrix(x, rows, columns) are a constant" "no = matrix(ia, 1.5, 8)"
wrong "the columns of matrix(x, rows, columns) are a constant" "no = matrix(ia, 3, ia)"
wrong "a matrix of 72 x 72 times one of 72 x 72 takes 373248 products of ciphertexts" "V = matrix(ia, 12, 1)
O = matrix(V @ transpose(V), 72, 2); P = O @ transpose(O); no = P @ P"
