#!/bin/sh
# A row in one ciphertext: encrypt --spread, and what eval makes of it against encrypt --fill, exactly in BFV and within
# the bounds in CKKS; at 1, 2, 3, 7, 128 and 129 columns; its keys, what other commands make of it, refusals.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
INTEGERS="--n 2048 --bits 46,46,46,46 --plain 65537 --insecure"
REALS="--scheme ckks --n 2048 --levels 3 --scale-bits 40 --special-primes 2 --insecure"

# tables COLUMNS: x.csv of 40 rows, q.csv of one; whole numbers from -9 to 9.
tables() {
    awk -v columns="$1" 'BEGIN {
        srand(columns)
        for (r = -1; r < 41; r++) {
            for (c = 1; c <= columns; c++)
                printf "%s%s", (c > 1 ? "," : ""), (r < 0 ? "c" c : int(19*rand()) - 9) >(r < 40 ? "x.csv" : "q.csv")
            print "" >(r < 40 ? "x.csv" : "q.csv")
            if (r < 0) {
                for (c = 1; c <= columns; c++) printf "%sc%d", (c > 1 ? "," : ""), c >"q.csv"
                print "" >"q.csv"
            }
        }
    }'
}

# decrypt NAME: NAME.heb as NAME.csv
decrypt() {
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 "$1.heb" "$1.csv" --force
}

# near A B: two tables with the same header and numbers within 2^-10
near() {
    awk -F, 'NR == FNR { row[FNR] = $0; next }
        { count = split(row[FNR], other); if (count != NF) exit 1
          for (c = 1; c <= NF; c++)
              if (FNR == 1 ? $c != other[c] : ($c - other[c])^2 > 2^-20) exit 1 }
        END { exit FNR < 2 }' "$1" "$2" || fail "$1 and $2 differ"
}

text="s = rowsum(q*x); d = x - q; m = 2*q.c1 - 1"
for scheme in integers reals; do
    # shellcheck disable=SC2086
    [ $scheme = reals ] && set -- $REALS || set -- $INTEGERS
    same=cmp
    [ $scheme = reals ] && same=near
    for columns in 1 2 3 7 128 129; do
        tables $columns
        rm -rf keys
        expect 0 "$HEBATCH" keygen --quiet "$@" --out keys --for "$text" --spread q=$columns
        for key in secret public; do
            expect 0 "$HEBATCH" encrypt --quiet --key keys/$key.h5 x.csv x.heb --range=-9..9 --force
            expect 0 "$HEBATCH" encrypt --key keys/$key.h5 q.csv q.heb --range=-9..9 --spread --force
            says "q.heb: 1 ciphertext,"
            expect 0 "$HEBATCH" encrypt --quiet --key keys/$key.h5 q.csv f.heb --range=-9..9 --fill --force
            expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 q.heb back.csv --force
            $same back.csv q.csv || fail "the row is another"
            expect 0 "$HEBATCH" eval --quiet --keys keys "$text" x=x.heb q=q.heb s=s.heb d=d.heb m=m.heb --force
            expect 0 "$HEBATCH" eval --quiet --keys keys "$text" x=x.heb q=f.heb s=sf.heb d=df.heb m=mf.heb --force
            for name in s d m; do
                decrypt $name
                decrypt ${name}f
                $same $name.csv ${name}f.csv || fail "$name of $columns columns of $scheme"
            done
            [ $columns = 7 ] || break
        done
        tolerance=
        [ $scheme = integers ] || tolerance="--tolerance 1e-3"
        # shellcheck disable=SC2086
        expect 0 "$HEBATCH" verify q.heb --key keys/secret.h5 --against q.csv $tolerance
    done
    # All of it is one row, and of two sums of such rows.
    tables 7
    expect 0 "$HEBATCH" keygen --quiet "$@" --out all --for "$text" --spread q
    expect 0 "$HEBATCH" keygen --quiet "$@" --out sum --for "$text" --one-row q # keys of a sum do as well
    for keys in all sum; do
        expect 0 "$HEBATCH" encrypt --quiet --key $keys/public.h5 q.csv q.heb --range=-9..9 --spread --force
        expect 0 "$HEBATCH" eval --quiet --keys $keys "y = q*q.c2" q=q.heb y=y.heb --force
        rm -rf keys && cp -r $keys keys
        decrypt y
        awk -F, 'FNR == 1 { print; next } { for (c = 1; c <= NF; c++) printf "%s%d", (c > 1 ? "," : ""), $c*$3; print "" }' \
            q.csv >y-clear.csv
        near y.csv y-clear.csv
    done
    expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 q.csv other.heb --range=-9..9 --spread --force
    expect 0 "$HEBATCH" add --quiet q.heb other.heb two.heb
    expect 0 "$HEBATCH" eval --quiet --keys keys "y = 1*q" q=two.heb y=y.heb --force
    decrypt y
    decrypt two
    near y.csv two.csv
    awk -F, 'FNR == 1 { print; next } { for (c = 1; c <= NF; c++) printf "%s%d", (c > 1 ? "," : ""), 2*$c; print "" }' \
        q.csv >y-clear.csv
    near y.csv y-clear.csv
    rm -rf all sum two.heb
done
expect 0 "$HEBATCH" info q.heb
says "^packing      rows, in coefficients to be spread, up to 1024 values a ciphertext; the row stands in the place of all"

# Ranks and ranks that share limbs compute the same bytes.
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 x.csv x.heb --range=-9..9 --force --insecure-test-seed "$(printf '%064d' 1)"
expect 0 "$HEBATCH" eval --quiet --keys keys "$text" x=x.heb q=q.heb s=one.heb d=d.heb m=m.heb --force
for options in "" "--limb-ranks 2"; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n 2 "$HEBATCH" eval --quiet --keys keys "$text" x=x.heb q=q.heb s=two.heb d=d.heb m=m.heb --force $options
    [ "$("$HEBATCH" info one.heb | grep ^sum)" = "$("$HEBATCH" info two.heb | grep ^sum)" ] || fail "ranks $options"
done

# Pairs of columns are complex numbers, of which a ciphertext holds as many: with the query's conjugates the real part of
# a sum of products is the sum over all columns.
printf '%s\n' a,b,c,d 1,2,3,-1 0.5,-1,2,2 -3,0,1,0.25 >x.csv
printf '%s\n' a,b,c,d 0.5,-1,2,-3 >q.csv
rm -rf keys
expect 0 "$HEBATCH" keygen --quiet $REALS --out keys --for "s = 2*re(rowsum(q*x)); z = q + x" --spread q=2
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 x.csv x.heb --range=-4..4 --pair v=a,b --pair w=c,d --force
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 q.csv q.heb --range=-4..4 --pair v=a,b --pair w=c,d --spread --force
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 q.heb back.csv --force
near back.csv q.csv
expect 0 "$HEBATCH" verify q.heb --key keys/secret.h5 --against q.csv --tolerance 1e-3
expect 0 "$HEBATCH" eval --quiet --keys keys "s = 2*re(rowsum(q*x)); z = q + x" x=x.heb q=q.heb s=s.heb z=z.heb --force
decrypt s
decrypt z
printf '%s\n' s 11 18.5 2.5 >s-clear.csv
near s.csv s-clear.csv
printf '%s\n' a,b,c,d 1.5,1,5,-4 1,-2,4,-1 -2.5,-1,3,-2.75 >z-clear.csv
near z.csv z-clear.csv
tables 7
rm -rf keys
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --quiet $REALS --out keys --for "$text" --one-row q
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 q.csv q.heb --range=-9..9 --spread --force
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 x.csv x.heb --range=-9..9 --force

# A missing key is named, with the command that makes it.
expect 0 "$HEBATCH" keygen --quiet $REALS --out few --for "$text" --spread q=3
expect 0 "$HEBATCH" encrypt --quiet --key few/public.h5 x.csv fx.heb --range=-9..9
expect 0 "$HEBATCH" encrypt --quiet --key few/public.h5 q.csv fq.heb --range=-9..9 --spread
refuse 66 "rotation" "$HEBATCH" eval --keys few "$text" x=fx.heb q=fq.heb s=no.heb d=no2.heb m=no3.heb

encrypt="$HEBATCH encrypt --key keys/public.h5"
for other in --fill "--pack rows" "--encoding coefficients"; do
    # shellcheck disable=SC2086
    refuse 64 "leave ${other%% *} out" $encrypt --spread $other q.csv no.heb
done
refuse 65 "has 40 rows, and one alone can stand in the place of all" $encrypt --spread x.csv no.heb
refuse 64 "cannot be given with --append" $encrypt --spread --append q.csv q.heb
refuse 65 "no rows can be added behind it" $encrypt --append q.csv q.heb
refuse 65 "no rows can be added behind it" "$HEBATCH" concat q.heb q.heb no.heb
# Two levels: eval would make a row in slots of it.
expect 0 $encrypt --quiet --range=-9..9 --spread --levels 1 q.csv low.heb
refuse 65 "encrypt both rows with the same --levels" "$HEBATCH" add q.heb low.heb no.heb
expect 0 $encrypt --quiet --range=-9..9 --spread --levels 1 q.csv other.heb --force
expect 0 "$HEBATCH" add low.heb other.heb twice.heb
refuse 65 "is a row that was encrypted to be computed with" "$HEBATCH" decrypt --key keys/secret.h5 --share 1 q.heb no.csv
refuse 65 "to be spread by hebatch" "$HEBATCH" export q.heb no.seal
expect 0 $encrypt --pack rows x.csv rows.heb --range=-9..9
refuse 65 "encrypt the row with --fill instead of --spread" "$HEBATCH" eval --keys keys "y = q*x" x=rows.heb q=q.heb y=no.heb
refuse 64 "spread names datasets that --for" "$HEBATCH" keygen $REALS --spread q --out none
refuse 64 "expected NAME or NAME=NUMBER" "$HEBATCH" keygen $REALS --for "y = q*x" --spread q=0 --out none
printf '%s\n' a,b 1, 2,3 >gap.csv
refuse 65 "only a table of one row can stand in the place of all" $encrypt --spread --missing b=drop gap.csv no.heb

# A cell that may be missing has a mask, which no such row has: refused before anything is there, with each scheme.
printf '%s\n' a,b,c 1,,3 >gap.csv
printf '%s\n' a,b,c 1,2,3 >whole.csv
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --quiet $INTEGERS --out exact
expect 0 "$HEBATCH" keygen --quiet --n 2048 --bits 46,46,46,46 --wide 64 --insecure --out wide
for dir in keys exact wide; do
    for missing in "mask gap.csv" "b=mask gap.csv" "b=mask whole.csv"; do
        # shellcheck disable=SC2086
        refuse 64 "column b may have missing cells (--missing mask), and --spread takes none" \
            "$HEBATCH" encrypt --key $dir/public.h5 --spread --range=-9..9 --missing $missing no.heb
        [ ! -e no.heb.partial ] || fail "a refused job has begun"
    done
    refuse 65 "1 of 1 rows was left out" "$HEBATCH" encrypt --key $dir/public.h5 --spread --range=-9..9 \
        --missing drop gap.csv no.heb
    expect 0 "$HEBATCH" encrypt --quiet --key $dir/public.h5 --spread --range=-9..9 --missing mask whole.csv m.heb --force
    expect 0 "$HEBATCH" encrypt --quiet --key $dir/public.h5 --fill --range=-9..9 --missing mask gap.csv m.heb --force
done

# suggest prints commands with it.
expect 0 "$HEBATCH" params suggest "s = rowsum(q*x)" --table x=x.csv,q=q.csv --spread q
says "hebatch keygen .* --spread q=7"
says "hebatch encrypt .* q.csv q.heb .*--spread"
