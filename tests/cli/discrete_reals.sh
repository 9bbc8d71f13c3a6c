#!/bin/sh
# Labels, dates and truth values as reals: what may lie between two of them is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
printf 'p,l,d,out,t,a\n0.5,blue,2024-01-05,2024-01-08,true,0.5\n1,blue,2024-01-06,2024-01-06,false,2\n' >x.csv
printf 'days,half,on\n1,0.5,1\n2,1,0\n' >w.csv
expect 0 "$HEBATCH" keygen --n 2048 --levels 24 --scale-bits 45 --special-primes 5 --insecure --out keys --relin \
    --rotations sum
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 x.csv x.heb --category l=red,green,blue \
    --range p=0..1,a=0..4,d=2024-01-01..2024-12-31,out=2024-01-01..2024-12-31

# judge CODE WORDS TEXT...: plans each expression; WORDS (0: none) are the reason.
judge() {
    code_of_text=$1
    words=$2
    shift 2
    for text in "$@"; do
        plain=
        case $text in *w.*) plain=w=w.csv ;; esac
        # shellcheck disable=SC2086
        expect "$code_of_text" "$HEBATCH" eval --keys keys --dry-run "$text" x=x.heb $plain y=y.heb
        [ "$words" = 0 ] || complains "$words"
    done
}

# A date takes whole numbers of days, which errors cannot bring to another one.
judge 64 'days are whole numbers' 'y = x.d + 0.5' 'y = 0.5 + x.d' 'y = x.d - 0.5' 'y = x.d + x.p' 'y = x.p + x.d' \
    'y = x.d + x.t/2' 'y = x.d + x.t*0.5' 'y = x.d + (x.out - x.d)/2' 'y = x.d + 0.5*(x.out - x.d)' \
    'y = x.d - mean(x.t)' 'h = x.p; y = x.d + h' 'y = (x.d, x.out) + (x.out - x.d, x.p)' \
    'd = x.d; repeat 3 { d = d + x.p }; y = d' 'y = x.d + w.half' 'y = x.d - w.half' 'y = x.d + 0.5*w.days' \
    'y = x.d + w.half*w.on' 'y = (x.d, x.out) + (w.days, w.half)' 'y = max(x.d + w.half, x.out)'
judge 0 0 'y = x.d + 3' 'y = x.d - 3' 'y = x.d + w.days' 'y = x.d - 2*w.half' 'y = x.d + (x.out - x.d)' \
    'y = x.d + 2*(x.out - x.d)' 'y = x.d + (w.half == 1)' 'y = (x.d, x.out) + 1' 'y = x.d + x.t' \
    'y = -(x.d - x.out) + x.d'

# A condition is true or false: a comparison, or what was encrypted so. Any other real may lie between.
judge 64 'compare them, as x.p > 0.5' "y = where(x.p, 'red', x.l)" "y = where(x.p, '2024-12-31', x.d)" \
    "y = where(x.t*0.5, '2024-12-31', x.d)" 'y = count(x.p)' 'y = sum(x.p where x.p)' 'y = not x.p' 'y = x.t and x.p' \
    'y = x.p or x.a > 1' 'y = where(mean(x.t), x.a, 3)' 'y = where((x.t, x.p), x.a, 3)' 'y = mean(x.a where x.p)' \
    'y = groupby(x.l where x.p, count())' 'h = (x.t, x.p); y = where(h.2, x.a, 3)' \
    'y = where(where(x.t, x.p, x.t), x.a, 3)' \
    'y = where(max(x.a > 1, x.p), x.a, 3)' 'y = where(x.t - x.t*0.25, x.a, 3)' 'y = where(x.t*w.half, x.a, 3)'
judge 64 'the values of the plain table are others' 'y = sum(x.a where w.half)'
judge 0 0 "y = where(x.t, 'red', x.l)" "y = where(x.t, '2024-12-31', x.d)" 'y = count(x.t)' 'y = sum(x.a where x.t)' \
    'y = not x.t' 'c = x.a > 1; y = where(c and x.t, x.a, 3)' 'h = (x.t, x.a > 1); y = where(h.2, x.a, 3)' \
    'y = where(step(x.a - 1), x.a, 3)' 'y = where((x.a > 1)*x.t, x.a, 3)' 'y = where(rotate(x.a > 1, 1), x.a, 3)' \
    'y = where(x.t and w.on, x.a, 3)' 'y = sum(x.a where w.on)' 'y = where(where(x.p > 0.5, x.t, x.a > 1), x.a, 3)'

# What could be shown as another date is no result; and a value in the gap of a comparison is no label.
printf 'l,d,a\nblue,1999-12-31,0.5\nblue,2024-01-06,2\ngreen,2000-01-01,1\n' >z.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 z.csv z.heb --category l=red,green,blue \
    --range a=0..4,d=1900-01-01..2100-12-31
for noise in worst expected; do
    refuse 65 "bits of precision in the $noise case, and 1 are wanted of labels" "$HEBATCH" eval --keys keys "y = max(x.d, '2000-01-01')" x=z.heb y=m.heb \
        --noise $noise
done
expect 0 "$HEBATCH" eval --keys keys "y = where(x.a > 0.503, 'red', x.l)" x=z.heb y=c.heb
refuse 65 "row 1, column 'y': the value is between two labels" "$HEBATCH" decrypt --key keys/secret.h5 c.heb c.csv
[ ! -e c.csv ] || fail "a table with a label that is none"
expect 0 "$HEBATCH" eval --keys keys "y = where(x.a > 0.75, 'red', x.l)" x=z.heb y=c.heb --force
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 c.heb c.csv
printf 'y\nblue\nred\nred\n' | cmp - c.csv || fail "not what was chosen"
