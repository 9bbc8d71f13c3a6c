#!/bin/sh
# Reals on several ranks: encrypted to the same bytes on any number of them, whether they share ciphertexts by columns of
# the table or by limbs; decrypted on others to the same doubles, bit for bit, with the same precision in the report; and
# continued on others where ranks were killed.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
# Five data primes of which two are a digit.
expect 0 "$HEBATCH" keygen --n 2048 --levels 4 --scale-bits 40 --special-primes 2 --insecure --out keys

reals() { # ROWS COLUMNS
    awk -v rows="$1" -v columns="$2" 'BEGIN {
        srand(3)
        for (c = 1; c <= columns; c++) printf "%sc%d", (c > 1 ? "," : ""), c
        print ""
        for (r = 0; r < rows; r++) for (c = 1; c <= columns; c++)
            printf "%.7g%s", 20 * rand() - 10, (c < columns ? "," : "\n")
    }'
}

reals 40000 2 >a.csv # 80 ciphertexts of 1024 slots
for which in secret public; do
    # Each division with one of the keys, the last with both.
    layouts="2-1 3-3 4-2"
    [ $which = secret ] || layouts="3-1 2-2 4-2"
    rm -rf alone.heb alone.csv
    expect 0 "$HEBATCH" encrypt --quiet --key keys/$which.h5 --insecure-test-seed $seed a.csv alone.heb
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 alone.heb alone.csv
    bits=$(field alone.csv.report.json '["%.3f" % x for x in r["precision_bits"].values()]')
    for layout in $layouts; do
        layout="${layout%-*} ${layout#*-}"
        rm -rf many.heb back.csv
        # shellcheck disable=SC2086
        launch 0 $layout encrypt --key keys/$which.h5 --insecure-test-seed $seed a.csv many.heb
        # shellcheck disable=SC2086
        launch 0 $layout verify many.heb --same-as alone.heb --key keys/secret.h5 --against a.csv
        # shellcheck disable=SC2086
        launch 0 $layout decrypt --key keys/secret.h5 alone.heb back.csv
        same alone.csv back.csv
        [ "$(field back.csv.report.json '["%.3f" % x for x in r["precision_bits"].values()]')" = "$bits" ] ||
            fail "$layout: another precision"
    done
done

# Encrypted on 2 ranks, decrypted on 3; the first difference of all.
rm -rf many.heb back.csv
launch 0 2 1 encrypt --key keys/secret.h5 a.csv many.heb
launch 0 3 1 decrypt --key keys/secret.h5 many.heb back.csv
awk -F, 'BEGIN { OFS = "," } NR == 30002 || NR == 20002 { $2 += 0.01 } { print }' a.csv >changed.csv
launch 1 3 1 verify many.heb --key keys/secret.h5 --against changed.csv --tolerance 1e-5
grep -q "differ first in row 20001, column 'c2', by more than 1e-05" err || fail "not the first difference"

# Killed with 2 ranks, continued and killed with 3, finished with 1; with and without shared limbs.
expect 0 "$HEBATCH" keygen --params ckks-13 --out large
reals 500000 1 >in.csv # 123 ciphertexts, 62 units
strike KILL 3 137 out.heb 2 1 encrypt --resume --key large/public.h5 in.csv out.heb
cp finished first
strike KILL 2 137 out.heb 3 1 encrypt --resume --key large/public.h5 in.csv out.heb
"$PYTHON" "$shards" same out.heb.partial first 6 || fail "units of the first run have changed"
launch 0 2 2 encrypt --resume --key large/public.h5 in.csv out.heb
"$PYTHON" "$shards" same out.heb finished 10 || fail "units that were finished have changed"
expect 0 "$HEBATCH" verify out.heb --key large/secret.h5 --against in.csv
