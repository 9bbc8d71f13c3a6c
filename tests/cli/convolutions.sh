#!/bin/sh
# Convolutions of images within rows, also of strides one behind the other, against loops over pixels, within what the
# plan proves; refusals.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
check=$(CDPATH='' cd -- "${0%/*}" && pwd)/convolutions.py
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 2048 --levels 8 --scale-bits 46 --special-primes 3 --insecure --out keys --relin --quiet
"$PYTHON" "$check" --make || fail "no tables"

encrypt() {
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --pack rows --quiet "$@"
}

# compare NAME...
compare() {
    for name in "$@"; do
        expect 0 "$HEBATCH" decrypt --key keys/secret.h5 "$name.heb" "$name.csv" --force --quiet
    done
    "$PYTHON" "$check" "$@" || fail "$*"
}

# Two of five images of 3 x 8 x 8 in a ciphertext; strides of 2 and 2, channels that do not fill the gaps.
encrypt --block 512 x.csv x.heb
eval_with_keys "a = conv(A, x, 8, 8)
b = conv(B, a, 8, 8, 2) + conv(S, a, 8, 8, 2)
c = conv(C, square(b) + 0.5, 4, 4, 2); d = W @ c; e = rowsum(c)
f = 2*(conv(Z, a, 8, 8, 2) - b)*(0.01*e); m = mean(b)" x=x.heb A=A.csv B=B.csv C=C.csv S=S.csv W=W.csv Z=Z.csv \
    a=a.heb b=b.heb c=c.heb d=d.heb e=e.heb f=f.heb m=m.heb --compact off
compare a b c d e f m
expect 0 "$HEBATCH" eval --keys keys "o = conv(A, x, 8, 8)" x=x.heb A=A.csv o=o.heb --dry-run
says "320 x 192 in blocks of 512 slots: 63 diagonals, 15 rotations"
# relu takes an argument of its sign that is a little smaller. Its matrix stands once all the same.
expect 0 "$HEBATCH" eval --keys keys "o = conv(A, x, 8, 8); r = relu(o, -1, 1)" x=x.heb A=A.csv r=r.heb --gap 0.3 \
    --range o=-1..1 --noise expected --dry-run
[ "$(grep -c '^matrix ' out)" = 1 ] || fail "relu of a convolution takes $(grep -c '^matrix ' out) matrices"
# Names of stored columns say where they stand.
eval_with_keys "d = W @ k; g = conv(C, h, 4, 4, 2)" k=c.heb h=b.heb W=W.csv C=C.csv d=d.heb g=g.heb
compare d g
# An image that fills all slots, where rotations go around; a stride of 4.
encrypt full.csv full.heb
eval_with_keys "p = conv(D, y, 16, 16); q = conv(F, conv(E, p, 16, 16, 4), 4, 4)" y=full.heb D=D.csv E=E.csv F=F.csv p=p.heb \
    q=q.heb
compare p q
# One channel, of another height than width, smaller than kernels of 3 x 3.
encrypt --block 32 flat.csv flat.heb
eval_with_keys "s = conv(G, z, 2, 6); t = conv(H, s, 2, 6, 2); u = U @ t; v = V @ s" z=flat.heb G=G.csv H=H.csv U=U.csv \
    V=V.csv s=s.heb t=t.heb u=u.heb v=v.heb
compare s t u v

# Weights of a smaller image have its columns channel after channel, and so they are called; those that have the names
# may not have them in another order.
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 c.heb slots.csv --quiet
"$PYTHON" - <<'PYTHON'
slots = open("slots.csv").readline().strip().split(",")
channels = sorted((name for name in slots if name[0] == "c"), key=lambda name: [int(i) for i in name[1:].split(".")])
assert channels != [name for name in slots if name[0] == "c"]
rows = open("W.csv").read().split("\n", 1)[1]
for path, names in ("right.csv", channels), ("other.csv", ["w%d" % i for i in range(len(channels))]), \
        ("turned.csv", channels[::-1]):
    open(path, "w").write(",".join(names) + "\n" + rows)
PYTHON
expect 0 "$HEBATCH" eval --keys keys "d = V @ k" k=c.heb V=right.csv d=d.heb --force
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 d.heb right-d.csv --quiet
grep -q "matched by position" out err && fail "columns of the same names are no other ones"
expect 0 "$HEBATCH" eval --keys keys "d = V @ k" k=c.heb V=other.csv d=d.heb --force
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 d.heb other-d.csv --quiet
cmp right-d.csv other-d.csv || fail "names change the product"
expect 0 "$HEBATCH" eval --keys keys "d = V @ k" k=c.heb V=other.csv d=no.heb --dry-run
cat err >>out
says "matched by position (character [0-9]*): 'w0' with 'c1.1.1', 'w1' with 'c1.1.2', 'w2' with 'c1.2.1'"
refuse 64 "channel after channel" "$HEBATCH" eval --keys keys "d = V @ k" k=c.heb V=turned.csv d=no.heb

wrong() {
    words=$1
    text=$2
    shift 2
    refuse 64 "$words" "$HEBATCH" eval --keys keys "$text" "$@" no=no.heb
}
wrong "192 columns are no channels of 8 x 7" "no = conv(A, x, 8, 7)" x=x.heb A=A.csv
wrong "even.csv\|even has 12 columns for images of 3 channels" "no = conv(even, x, 8, 8)" x=x.heb even=even.csv
wrong "a stride of 3 of images of 8 x 8: it must divide both" "no = conv(A, x, 8, 8, 3)" x=x.heb A=A.csv
wrong "the images are 4 x 4 here, and not 8 x 8" "y = conv(A, x, 8, 8, 2); no = conv(B, y, 8, 8)" x=x.heb A=A.csv B=B.csv
wrong "is 2 .. 9, and in the gaps .* stands 1: the range must have it too" "no = conv(A, x, 8, 8, 2) + 1" x=x.heb \
    A=A.csv --range no=2..9
wrong "only zeros" "no = conv(none, x, 8, 8)" x=x.heb none=none.csv
printf 'day\n2024-01-01\n' >days.csv
wrong "dates and times can be compared" "no = conv(days, z, 2, 6)" z=flat.heb days=days.csv
wrong "the stride of conv" "no = conv(A, x, 8, 8, 1.5)" x=x.heb A=A.csv
wrong "plain table" "no = conv(x, x, 8, 8)" x=x.heb
wrong "an encrypted value" "no = x + conv(A, A, 8, 8)" x=x.heb A=A.csv
wrong "stand in different slots" "no = conv(A, x, 8, 8, 2) + conv(T, x, 8, 8)" x=x.heb A=A.csv T=T.csv
wrong "softmax takes columns in their order" "no = softmax(conv(A, x, 8, 8, 2))" x=x.heb A=A.csv
wrong "take 1088 slots" "no = conv(C, conv(B, conv(A, x, 8, 8), 8, 8), 8, 8)" x=x.heb A=A.csv B=B.csv C=C.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --quiet --force x.csv columns.heb
wrong "within slots: encrypt images with --pack rows$" "no = conv(A, x, 8, 8)" x=columns.heb A=A.csv
printf 'pixel\n0.5\n' >dot.csv
encrypt dot.csv dot.heb
wrong "--pack rows, those of one pixel with --block 2 or more" "no = conv(K, dot, 1, 1)" dot=dot.heb K=dot.csv
expect 0 "$HEBATCH" params suggest --scheme ckks "y = conv(A, x, 8, 8)" --rows 5 --columns x=192 --range x=-1..1 \
    --table A=A.csv --precision 8 --block 512
says "^hebatch keygen .* --rotations "
refuse 64 "hebatch eval says which keys" "$HEBATCH" keygen --key keys/secret.h5 --for "no = conv(A, x, 8, 8)" --block 512
absent no.heb
# A row of more slots than the ciphertexts of small presets have: these are no hint where a level is missing.
expect 0 "$HEBATCH" keygen --n 16384 --levels 2 --scale-bits 40 --insecure --out wide --relin --quiet
expect 0 "$HEBATCH" encrypt --key wide/secret.h5 --pack rows --block 8192 --quiet flat.csv broad.heb
refuse 65 "no level is left" "$HEBATCH" eval --keys wide "no = z^16" z=broad.heb no=no.heb
refuse 65 "a row takes 65536 slots, and ciphertexts of these parameters have 32768" "$HEBATCH" params suggest \
    --scheme ckks "no = z^16" --rows 5 --columns z=4 --range z=-1..1 --block 65536
