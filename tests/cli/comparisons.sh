#!/bin/sh
# Comparisons of reals: results say within which distance of a threshold a value may count as a part, as results of these
# do, and no others.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(cd "$OLDPWD" && cd "${0%/*}" && pwd)

expect 0 "$HEBATCH" keygen --n 2048 --levels 16 --scale-bits 45 --special-primes 3 --insecure --out keys --relin \
    --rotations sum
printf 'glucose\n7.00\n9.5\n4.25\n8\n' >x.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range glucose=0..16
expect 0 "$HEBATCH" eval --keys keys "hi = count(x.glucose > 7.005); all = sum(x.glucose); two = 2*hi" x=x.heb hi=hi.heb \
    all=all.heb two=two.heb --noise expected --json
gap=$(sed -n 's/.* except within \([0-9.]*\) of 0: .*/\1/p' err)
[ -n "$gap" ] || fail "the plan does not say the gap"
line="^comparisons  rows whose value is within $gap of a threshold are not decided: each may count as a part$"
expect 0 "$HEBATCH" eval --keys keys "later = hi + 1" hi=hi.heb later=later.heb --noise expected
for name in hi two later; do
    expect 0 "$HEBATCH" info $name.heb
    says "$line"
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 $name.heb $name.csv --json
    "$PYTHON" -c 'import json, sys
assert abs(json.load(open(sys.argv[1]))["threshold_gap"] - float(sys.argv[2])) < 1e-3' $name.csv.report.json "$gap" ||
        fail "the report of $name does not say the gap"
    # Programs that do not know of gaps refuse the file by its version.
    "$PYTHON" -c 'import h5py, sys
assert all(h5py.File(sys.argv[1] + "/" + f).attrs["version"] == 7 for f in ("index.h5", "part-00000.h5"))' $name.heb ||
        fail "$name has a version of files without a gap"
    for file in $name.heb $name.csv; do
        expect 0 "$HEBATCH" status $file
        says "$line"
        expect 0 "$HEBATCH" status $file --html page.html
        "$PYTHON" "$tests/page.py" check page.html "rows whose value is within ${gap%?}" \
            " of a threshold are not decided: each may count as a part." || fail "the page of $file does not say the gap"
    done
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 $name.heb $name.csv --force
    says "$line"
done
for name in x all; do
    expect 0 "$HEBATCH" info $name.heb
    ! grep -q "may count as a part" out || fail "$name is made by no comparison"
    expect 0 "$HEBATCH" status $name.heb --html page.html
    ! grep -q "may count as a part" page.html || fail "the page says that $name is made by a comparison"
done
# relu has its gap in its error.
expect 0 "$HEBATCH" eval --keys keys "y = relu(x.glucose - 5)" x=x.heb y=y.heb --noise expected
expect 0 "$HEBATCH" info y.heb
! grep -q "may count as a part" out || fail "relu counts nothing"
expect 0 "$HEBATCH" eval --keys keys "both = (x.glucose, 0.5*x.glucose); a = abs(x.glucose - 5); s = sign(x.glucose - 5)" \
    x=x.heb both=both.heb a=a.heb s=s.heb --noise expected
info_says() { # FILE..: each says a gap
    for file in "$@"; do
        expect 0 "$HEBATCH" info "$file"
        says "^comparisons  rows whose value is within [0-9.]* of a threshold are not decided: each may count as a part$"
    done
}
info_says_none() {
    for file in "$@"; do
        expect 0 "$HEBATCH" info "$file"
        ! grep -q "may count as a part" out || fail "$file is made by no comparison"
    done
}
info_says s.heb
info_says_none both.heb a.heb

# Sums and rows of several datasets have the gap of any of them; so has a copy that went through files of SEAL.
expect 0 "$HEBATCH" keygen --n 2048 --bits 60,45,45,45,45,45,45,45,45,45,45,45,45,45,45,60 --like-seal --scale-bits 45 \
    --insecure --out like --relin
expect 0 "$HEBATCH" encrypt --key like/public.h5 x.csv like.heb --range glucose=0..16
expect 0 "$HEBATCH" eval --keys like "y = x.glucose > 5" x=like.heb y=part.heb --noise expected
limbs=$("$HEBATCH" info part.heb --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["limbs"])')
expect 0 "$HEBATCH" eval --keys like "y = x.glucose; repeat $((15 - limbs)) { y = modswitch(y) }" x=like.heb y=whole.heb
info_says part.heb
info_says_none whole.heb
for order in "part.heb whole.heb" "whole.heb part.heb"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" add $order added.heb --force
    info_says added.heb
done
expect 0 "$HEBATCH" export part.heb given
expect 0 "$HEBATCH" import given taken.heb --key like
info_says taken.heb

# Values keep it when they are bootstrapped, and others get none.
expect 0 "$HEBATCH" keygen --params boot-test --insecure --out boot --relin --conj --bootstrap
expect 0 "$HEBATCH" encrypt --key boot/public.h5 x.csv boot.heb --range glucose=0..16
expect 0 "$HEBATCH" eval --keys boot "p = x.glucose > 5; y = 0.05*x.glucose; repeat 9 { p = 1.5*p - 0.5*p^3; y = y - 0.1*y^3 }" \
    x=boot.heb p=p.heb y=y.heb --noise expected --force --json
"$PYTHON" -c 'import json; assert json.load(open("p.heb.report.json"))["bootstraps"]' || fail "nothing is bootstrapped"
info_says p.heb
info_says_none y.heb

# A sign is steepest at 0, where the slots without a row are: their errors are no part of a count.
expect 0 "$HEBATCH" keygen --n 8192 --levels 18 --scale-bits 34 --first-bits 38 --special-primes 4 --insecure --out steep \
    --relin --rotations sum
printf 'v\n7.00\n-9.5\n4.25\n' >v.csv
expect 0 "$HEBATCH" encrypt --key steep/public.h5 v.csv v.heb --range v=-16..16
expect 0 "$HEBATCH" eval --keys steep "above = count(v.v > 0)" v=v.heb above=above.heb --noise expected
expect 0 "$HEBATCH" decrypt --key steep/secret.h5 above.heb above.csv
"$PYTHON" -c 'assert abs(float(open("above.csv").read().split()[1]) - 2) < 2.0**-14' || fail "the count is off by far more"
