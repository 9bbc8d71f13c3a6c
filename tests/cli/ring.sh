#!/bin/sh
# A row in one ciphertext of a smaller ring: keygen --ring, encrypt, and what eval makes of it against encrypt --fill,
# exactly in BFV and within the bounds in CKKS; on ranks and divided limbs; its keys, sizes, refusals.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
INTEGERS="--n 16384 --bits 50,50,50,50,55 --plain 65537"
REALS="--scheme ckks --n 16384 --levels 3 --scale-bits 36 --first-bits 48 --special-primes 2"

awk 'BEGIN {
    srand(5)
    for (r = -1; r < 41; r++) {
        file = r < 40 ? "x.csv" : "q.csv"
        if (r == 40) print "c1,c2,c3,c4,c5,c6,c7" >file
        for (c = 1; c <= 7; c++) printf "%s%s", (c > 1 ? "," : ""), (r < 0 ? "c" c : int(19*rand()) - 9) >file
        print "" >file
    }
}'

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

# bytes FOLDER: of all of its files
bytes() {
    cat "$1"/* | wc -c
}

text="s = rowsum(q*x); d = x - q; m = 2*q.c1 - 1"
for scheme in integers reals; do
    # shellcheck disable=SC2086
    [ $scheme = reals ] && set -- $REALS || set -- $INTEGERS
    same=cmp tolerance=
    [ $scheme = integers ] || same=near tolerance="--tolerance 1e-3"
    rm -rf keys query
    expect 0 "$HEBATCH" keygen --quiet "$@" --out keys --for "$text" --spread q=7 --from-ring q=8192
    expect 0 "$HEBATCH" keygen --key keys/secret.h5 --ring 8192 --out query --dry-run
    says "security *128 bits"
    [ ! -e query ] || fail "a dry run made a pair"
    expect 0 "$HEBATCH" keygen --key keys/secret.h5 --ring 8192 --out query
    complains "brings rows of query into the ring of keys/secret.h5"
    expect 0 "$HEBATCH" info query/secret.h5
    says "parameters .*N 8192"
    says "security *128 bits .*by the table of 2024"
    for file in query/secret.h5 keys/rekey-*.h5; do
        [ "$(stat -c %a "$file")" = 600 ] || fail "$file can be read by others"
    done
    expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 x.csv x.heb --range=-9..9 --force
    expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 q.csv f.heb --range=-9..9 --fill --force
    expect 0 "$HEBATCH" eval --quiet --keys keys "$text" x=x.heb q=f.heb s=sf.heb d=df.heb m=mf.heb --force
    for key in public secret; do
        expect 0 "$HEBATCH" encrypt --key query/$key.h5 q.csv q.heb --range=-9..9 --spread --force
        says "q.heb: 1 ciphertext,"
        expect 0 "$HEBATCH" decrypt --quiet --key query/secret.h5 q.heb back.csv --force
        $same back.csv q.csv || fail "the row is another"
        # shellcheck disable=SC2086
        expect 0 "$HEBATCH" verify q.heb --key query/secret.h5 --against q.csv $tolerance
        expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb q=q.heb s=s.heb d=d.heb m=m.heb --force
        complains "ring *q comes from N = 8192 to N = 16384, in [34] of 4 limbs, by keys/rekey-"
        for name in s d m; do
            decrypt $name
            decrypt ${name}f
            $same $name.csv ${name}f.csv || fail "$name of $scheme"
        done
    done
    expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 q.csv large.heb --range=-9..9 --spread --force
    [ $((3*$(bytes q.heb))) -lt $((2*$(bytes large.heb))) ] || fail "the row is not smaller"
    # Ranks, ranks that share limbs and any batch compute the same bytes.
    for options in "" "--limb-ranks 2"; do
        # shellcheck disable=SC2086
        expect 0 $MPIRUN -n 2 "$HEBATCH" eval --quiet --keys keys "$text" x=x.heb q=q.heb s=two.heb d=d.heb m=m.heb --force $options
        [ "$("$HEBATCH" info s.heb | grep ^sum)" = "$("$HEBATCH" info two.heb | grep ^sum)" ] || fail "ranks $options"
    done
done

# Alone it takes the parameters of the key; a row of fewer levels has fewer limbs.
expect 0 "$HEBATCH" encrypt --quiet --key query/secret.h5 q.csv few.heb --range=-9..9 --spread --levels 1
[ "$(bytes few.heb)" -lt "$(bytes q.heb)" ] || fail "fewer levels take as many bytes"
for row in q few; do
    expect 0 "$HEBATCH" eval --quiet --keys keys "y = q*q.c2" q=$row.heb y=y.heb --force
    decrypt y
    awk -F, 'FNR == 1 { print; next } { for (c = 1; c <= NF; c++) printf "%s%d", (c > 1 ? "," : ""), $c*$2; print "" }' \
        q.csv >y-clear.csv
    near y.csv y-clear.csv
done
expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb q=few.heb s=no.heb d=no2.heb m=no3.heb --dry-run --json
says '"ring": 8192'

# The key of the switch is a rekeying key of a pair that keygen --ring made, and can be made again from both secrets.
cp -r keys others && rm others/rekey-*.h5
refuse 65 "are of different rings, N = 16384 and 8192" "$HEBATCH" eval --keys others "$text" x=x.heb q=q.heb s=no.heb d=no2.heb m=no3.heb
expect 0 "$HEBATCH" keygen --quiet --rekey query/secret.h5 --key keys/secret.h5 --out others
expect 0 "$HEBATCH" eval --quiet --keys others "$text" x=x.heb q=q.heb s=s.heb d=d.heb m=m.heb --force
decrypt s
near s.csv sf.csv
chmod 644 others/rekey-*.h5
refuse 77 "chmod 600" "$HEBATCH" eval --keys others "$text" x=x.heb q=q.heb s=no.heb d=no2.heb m=no3.heb
chmod 600 others/rekey-*.h5
refuse 78 "has other parameters than q.heb" "$HEBATCH" rekey q.heb no.heb --keys others
# That of another row is not taken, and damage is found.
expect 0 "$HEBATCH" keygen --quiet --key keys/secret.h5 --ring 4096 --out tiny
expect 0 "$HEBATCH" encrypt --quiet --key tiny/secret.h5 q.csv tiny.heb --range=-9..9 --spread
refuse 65 "are of different rings, N = 16384 and 4096" "$HEBATCH" eval --keys others "$text" x=x.heb q=tiny.heb s=no.heb d=no2.heb m=no3.heb
refuse 66 "rotation" "$HEBATCH" eval --keys keys "$text" x=x.heb q=tiny.heb s=no.heb d=no2.heb m=no3.heb
expect 0 "$HEBATCH" encrypt --quiet --key query/secret.h5 q.csv columns.heb --range=-9..9
refuse 65 "columns.heb is under the pair of a smaller ring: encrypt it with --spread" "$HEBATCH" eval --keys keys "y = q + x" x=x.heb q=columns.heb y=no.heb
cp -r q.heb hurt.heb
flip hurt.heb/part-00000.h5 -2000
reason 65 "hurt.heb/part-00000.h5: .*checksum" "$HEBATCH" eval --quiet --keys keys "$text" x=x.heb q=hurt.heb s=no.heb d=no2.heb m=no3.heb

# Parameters of the smaller ring are held to the table, and follow from the larger one's.
keygen="$HEBATCH keygen --key keys/secret.h5 --out none"
refuse 78 "allows 26 bits for 128-bit security" $keygen --ring 1024
refuse 78 "N is a power of two from 1024 to 8192" $keygen --ring 3000
refuse 78 "N is a power of two from 1024 to 8192" $keygen --ring 16384
refuse 64 "leave out the options of parameters" $keygen --ring 8192 --n 8192
refuse 64 "leave out the options of parameters" $keygen --ring 8192 --relin
refuse 64 "give --key with secret.h5" "$HEBATCH" keygen --ring 8192 --out none
refuse 65 "is a public key" "$HEBATCH" keygen --key keys/public.h5 --ring 8192 --out none
refuse 73 "exists" "$HEBATCH" keygen --key keys/secret.h5 --ring 8192 --out query
refuse 64 "nothing else" "$HEBATCH" keygen --rekey query/secret.h5 --key keys/secret.h5 --out none --ring 8192
expect 0 "$HEBATCH" keygen --quiet --scheme ckks --n 8192 --levels 2 --scale-bits 40 --special-primes 1 --out stranger
refuse 78 "other parameters" "$HEBATCH" keygen --rekey stranger/secret.h5 --key keys/secret.h5 --out none
expect 0 "$HEBATCH" keygen --quiet --params seal-ckks-8192 --out like-seal
refuse 78 "Microsoft SEAL" "$HEBATCH" keygen --key like-seal/secret.h5 --ring 4096 --out none
for rings in q=3000 q=16384 q; do
    refuse 64 "a power of two from 1024 to 8192" "$HEBATCH" keygen $REALS --for "y = q*x" --spread q=3 --from-ring $rings --out none
done
refuse 64 "datasets that --spread names" "$HEBATCH" keygen $REALS --for "y = q*x" --from-ring q=4096 --out none
refuse 64 "from-ring names datasets that --for" "$HEBATCH" keygen $REALS --from-ring q=4096 --out none
[ ! -e none ] || fail "a refusal left keys"

# A ring that is too small is named, and not the inputs.
rm -rf keys query x.heb q.heb
expect 0 "$HEBATCH" keygen --quiet --n 8192 --bits 40,40,40,40,45 --plain 65537 --out keys --for "y = rowsum(q*x*x)" \
    --spread q=7 --from-ring q=4096
expect 0 "$HEBATCH" keygen --quiet --key keys/secret.h5 --ring 4096 --out query
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 x.csv x.heb --range=-9..9
expect 0 "$HEBATCH" encrypt --quiet --key query/secret.h5 q.csv q.heb --range=-9..9 --spread
refuse 65 "no noise budget is left .*; q comes from a ring of N = 4096 in 2 limbs: take the ring of the other datasets" \
    "$HEBATCH" eval --keys keys "y = rowsum(q*x*x)" x=x.heb q=q.heb y=no.heb
# A ring of one prime does where nothing but sums is computed, and a larger one is advised where it does not.
rm -rf q.heb
expect 0 "$HEBATCH" keygen --quiet --key keys/secret.h5 --ring 2048 --out single
expect 0 "$HEBATCH" encrypt --quiet --key single/secret.h5 q.csv q.heb --range=-9..9 --spread
expect 0 "$HEBATCH" keygen --quiet --key keys/secret.h5 --for "d = x - q" --spread q=7 --from-ring q=2048
expect 0 "$HEBATCH" eval --quiet --keys keys "d = x - q" x=x.heb q=q.heb d=d.heb --force
decrypt d
awk -F, 'NR == 1 { getline row <"q.csv"; getline row <"q.csv"; split(row, q); print; next }
    { for (c = 1; c <= NF; c++) printf "%s%d", (c > 1 ? "," : ""), $c - q[c]; print "" }' x.csv | cmp - d.csv ||
    fail "a row of one prime"
refuse 65 "q comes from a ring of N = 2048 in 1 limb: take a larger ring (keygen --ring), or a chain whose levels" \
    "$HEBATCH" eval --keys keys "y = rowsum(q*x*x)" x=x.heb q=q.heb y=no.heb

# Under a chain that bootstraps a row of a smaller ring has the level of one product, and bootstraps begin at the lowest.
rm -rf keys x.heb q.heb
text="s = rowsum(q*x); y = 1.5*s - 0.5*s^3"
printf '%s\n' a,b 0.75,-0.5 0.25,1 -1,0.5 0,0.125 >x.csv
printf '%s\n' a,b 1,-0.5 >q.csv
expect 0 "$HEBATCH" keygen --quiet --scheme ckks --n 8192 --levels 9 --scale-bits 40 --eval-mod cubic --insecure --out keys \
    --for "$text" --spread q=2 --from-ring q=4096
expect 0 "$HEBATCH" keygen --quiet --key keys/secret.h5 --ring 4096 --out boots
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 x.csv x.heb --range=-1..1 --levels 1
expect 0 "$HEBATCH" encrypt --quiet --key boots/secret.h5 q.csv q.heb --range=-1..1 --spread
expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb q=q.heb y=y.heb --noise expected --range s=-1.5..1.5 --force
complains "ring *q comes from N = 4096 to N = 8192, in 2 of 10 limbs"
complains "bootstrap *values up to 2, from level 0 to level 4"
decrypt y
awk -F, 'FNR == 1 { print "y"; next } { s = $1 - $2/2; print 1.5*s - 0.5*s^3 }' x.csv >y-clear.csv
near y.csv y-clear.csv
