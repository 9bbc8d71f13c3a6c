#!/bin/sh
# Encryption at lower levels: encrypt --levels and --fewest in both schemes, and what eval makes of such datasets: as of
# others where levels suffice, by bootstrapping, or refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
printf '%s\n' a,b 3,-2 1,5 -4,2 0,7 >x.csv
printf '%s\n' y -6 5 -8 0 >product.csv

# encrypted KEYS ARGUMENTS...: x.heb, by either key, and that it is x.csv
encrypted() {
    keys=$1
    shift
    for key in secret public; do
        expect 0 "$HEBATCH" encrypt --key "$keys/$key.h5" x.csv x.heb --range=-8..8 --force "$@"
        cp err plan
        expect 0 "$HEBATCH" decrypt --quiet --key "$keys/secret.h5" x.heb back.csv --force
        near back.csv x.csv
    done
}

# near A B: two tables with the same header and numbers within 2^-10
near() {
    awk -F, 'NR == FNR { row[FNR] = $0; next }
        { count = split(row[FNR], other); if (count != NF) exit 1
          for (c = 1; c <= NF; c++)
              if (FNR == 1 ? $c != other[c] : ($c - other[c])^2 > 2^-20) exit 1 }
        END { exit FNR < 2 }' "$1" "$2" || fail "$1 and $2 differ"
}

# evaluated KEYS ARGUMENTS...: y = x.a*x.b of x.heb
evaluated() {
    keys=$1
    shift
    expect 0 "$HEBATCH" eval --quiet --keys "$keys" "y = x.a*x.b" x=x.heb y=y.heb --force "$@"
    expect 0 "$HEBATCH" decrypt --quiet --key "$keys/secret.h5" y.heb y.csv --force
    near y.csv product.csv
}

# Reals at every level of a chain; bytes go by limbs.
expect 0 "$HEBATCH" keygen --quiet --scheme ckks --n 2048 --levels 3 --scale-bits 40 --first-bits 50 --special-primes 2 \
    --insecure --out reals --relin
for levels in 3 2 1 0; do
    encrypted reals --levels $levels
    [ $levels = 3 ] || grep -q "level        $levels of 3: $((levels + 1)) of 4 limbs" plan || fail "no level in the plan"
    expect 0 "$HEBATCH" info x.heb
    says "bits proven, .* expected, at $((levels + 1)) of 4 limbs"
    [ $levels = 0 ] || evaluated reals
done
refuse 65 "no level is left for this product" "$HEBATCH" eval --keys reals "y = x.a*x.b" x=x.heb y=no.heb
# Rows of such datasets are appended at their level, and it is met with that of others.
printf '%s\n' a,b 2,3 >more.csv
encrypted reals --levels 1
expect 0 "$HEBATCH" encrypt --quiet --key reals/public.h5 --append more.csv x.heb
expect 0 "$HEBATCH" decrypt --quiet --key reals/secret.h5 x.heb back.csv --force
{ cat x.csv && tail -n 1 more.csv; } >grown.csv
near back.csv grown.csv
encrypted reals --levels 2
mv x.heb high.heb
encrypted reals --levels 1
expect 0 "$HEBATCH" eval --quiet --keys reals "y = x - z" x=x.heb z=high.heb y=y.heb --force
expect 0 "$HEBATCH" decrypt --quiet --key reals/secret.h5 y.heb y.csv --force
printf '%s\n' a,b 0,0 0,0 0,0 0,0 >zeros.csv
near y.csv zeros.csv
refuse 64 "these parameters have 3" "$HEBATCH" encrypt --key reals/public.h5 x.csv no.heb --levels 4
refuse 64 "exclude each other" "$HEBATCH" encrypt --key reals/public.h5 x.csv no.heb --levels 1 --fewest
refuse 64 "these parameters have no bootstrapping" "$HEBATCH" encrypt --key reals/public.h5 x.csv no.heb --fewest
refuse 65 "more levels (--levels) hold more" "$HEBATCH" encrypt --key reals/public.h5 x.csv no.heb --levels 0 \
    --range=-1000..1000
refuse 64 "cannot be given with --append" "$HEBATCH" encrypt --key reals/public.h5 --append more.csv x.heb --levels 1

# Reals that are bootstrapped begin at the level that bootstrapping takes; so does a row in one ciphertext.
expect 0 "$HEBATCH" keygen --quiet --params boot-test --insecure --out boots --for "y = rowsum(q*x)" --spread q=2
encrypted boots --fewest
expect 0 "$HEBATCH" info x.heb
says "at 4 of 20 limbs"
evaluated boots
printf '%s\n' a,b 0.5,-0.25 >q.csv
expect 0 "$HEBATCH" encrypt --quiet --key boots/public.h5 q.csv q.heb --range=-1..1 --spread --fewest
expect 0 "$HEBATCH" encrypt --quiet --key boots/public.h5 x.csv x.heb --range=-8..8 --fewest --force
expect 0 "$HEBATCH" eval --quiet --keys boots "y = rowsum(q*x)*x.a*x.b*x.a" x=x.heb q=q.heb y=y.heb --noise expected --force
expect 0 "$HEBATCH" decrypt --quiet --key boots/secret.h5 y.heb y.csv --force
printf '%s\n' y -36 -3.75 -80 0 >wanted.csv
near y.csv wanted.csv

# With one level a product is at the lowest level: it is bootstrapped from there, complex and real values, on ranks and
# divided limbs. Where a level suffices, nothing is; and larger values than that takes are refused.
printf '%s\n' a,b 0.75,-0.5 0.25,1 -1,0.5 0,0.125 >small.csv
printf '%s\n' a,b 1,-0.5 >q.csv
for file in "small.csv x.heb" "q.csv q.heb --spread"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt --quiet --key boots/secret.h5 $file --range=-1..1 --levels 1 --force
done
low="s = rowsum(q*x); y = s^4*x.a; z = re(x.a*x.b)"
files="x=x.heb q=q.heb --noise expected --range s=-2..2"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" eval --keys boots "$low" $files y=y.heb z=z.heb --force
complains "^hebatch: bootstrap  .*values up to 2, from level 0 to level 14, .*expected after: rowsum"
complains "warning: values are bootstrapped from the lowest level and so have fewer bits, as x has 2 of 20 limbs: inputs"
for name in y z; do
    expect 0 "$HEBATCH" decrypt --quiet --key boots/secret.h5 $name.heb $name.csv --force
done
awk -F, 'FNR == 1 { print "y"; next } { print ($1 - $2/2)^4*$1 }' small.csv >wanted.csv
near y.csv wanted.csv
awk -F, 'FNR == 1 { print "z"; next } { print $1*$2 }' small.csv >wanted.csv
near z.csv wanted.csv
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
for options in "" "--limb-ranks 2"; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n 2 "$HEBATCH" eval --quiet --keys boots "$low" $files y=two.heb z=z.heb --force $options
    expect 0 "$HEBATCH" verify two.heb --same-as y.heb
done
# A refusal says what the other ways of bootstrapping would do, and which values this way takes.
cannot="bootstrapping twice cannot help: it leaves values 17 levels and takes those that have 3 left"
would="these parameters would do with --bootstrap auto, by bootstrapping"
refuse 65 "$cannot; $would from the lowest level" "$HEBATCH" eval --keys boots "y = x.a*x.b*x.a" x=x.heb y=no.heb \
    --noise expected --bootstrap twice
expect 0 "$HEBATCH" encrypt --quiet --key boots/secret.h5 small.csv big.heb --range=-8..8 --levels 1
refuse 65 "x.a can be up to 8: bootstrapping from the lowest level, which gives values levels again, takes those up to 2^2" \
    "$HEBATCH" eval --keys boots "y = x.a*x.b*x.a" x=big.heb y=no.heb --noise expected
expect 0 "$HEBATCH" eval --quiet --keys boots "p = x.a*x.b; y = p*x.a" x=big.heb y=y.heb --noise expected --force \
    --range p=-1..1

# Integers at the fewest limbs that decrypt; where noise is bootstrapped they are computed with all the same.
expect 0 "$HEBATCH" keygen --quiet --params bfv-8192 --out integers --relin
encrypted integers --fewest
expect 0 "$HEBATCH" info x.heb
says "at 1 of 4 limbs"
refuse 65 "no noise budget is left" "$HEBATCH" eval --keys integers "y = x.a*x.b*x.a" x=x.heb y=no.heb
encrypted integers --levels 2
evaluated integers
expect 0 "$HEBATCH" keygen --quiet --params int-test --insecure --out refreshed --for "y = x*x"
encrypted refreshed --fewest
expect 0 "$HEBATCH" info x.heb
says "at 1 of 6 limbs"
evaluated refreshed
