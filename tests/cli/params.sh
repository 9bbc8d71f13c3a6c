#!/bin/sh
# Presets, choices of one's own, and each reason to refuse one.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

expect 0 "$HEBATCH" params
for size in 4096 8192 16384 32768; do
    says "^bfv-$size .* 2024 "
    says "^seal-$size .* 2018 "
done
expect 0 "$HEBATCH" params show bfv-8192
says "0x7fffffd8001"
says "^security      128 bits (classical, MATZOV) by the table of 2024 (ePrint 2024/463, table 5.2)$"
says "^chain         214 of 214 bits"
expect 0 "$HEBATCH" params show seal-8192
says "0xfffffebc001"
says "^security      128 bits (classical) by the HE-standard table of 2018; above the table of 2024 (214 bits)$"
says "^chain         218 of 218 bits"
expect 0 "$HEBATCH" params list
for size in 13 14 15 16; do
    says "^ckks-$size .* 2024 "
done
expect 0 "$HEBATCH" params show ckks-14
says "^levels        7"
says "level 6   2^40.000002  0x80000c07fbbc102818cc7ffd6925a0ff . 2^-87$"
says "^key switching 4 digits; primes a digit up to 2, special primes 2$"
says "^secret        uniform ternary"
says "^security      128 bits (classical, MATZOV) by the table of 2024 (ePrint 2024/463, table 5.2)$"
says "^chain         430 of 430 bits"
# The same chain by its levels, and one like SEAL's by its sizes.
expect 0 "$HEBATCH" params check --n 16384 --levels 7 --scale-bits 40
says "^allowed: ckks-14, N 16384, 430 of 430 bits, scale 2^40"
expect 0 "$HEBATCH" params show --n 8192 --bits 60,40,40,60 --scale-bits 40 --like-seal
says "^scale         level 2   2^40.000000  0x80000000000000000000000000000000"
says "^              level 1   2^40.000000  0x80000"
says "^              as Microsoft SEAL has them of squares that are rescaled$"
refuse 64 "give it with --scale-bits" "$HEBATCH" params check --n 8192 --levels 3
refuse 78 "a scale of 32 bits; it has 33 to 48" "$HEBATCH" params check --n 8192 --levels 3 --scale-bits 32
refuse 64 "of CKKS" "$HEBATCH" params check ckks-13 --plain-bits 20
refuse 64 "the schemes are bfv, ckks" "$HEBATCH" params check --n 8192 --bits 40,40 --scheme cggi
refuse 78 "allows 214 bits" "$HEBATCH" params check --n 8192 --levels 9 --scale-bits 40
refuse 78 "between half and twice the scale" "$HEBATCH" params check --n 8192 --bits 50,30,50 --scale-bits 40
# Bootstrapping: what has which levels, and what is not secret.
expect 0 "$HEBATCH" params show boot-16
says "^levels        19"
says "^bootstrapping cubic: from level 3 to level 17, 14 products between two bootstraps; fails with probability 2^-72.7 a"
says "levels 19 .. 4 computed on, the highest 2 by what undoes the sine as well$"
says "leaves [0-9.]* bits proven, [0-9.]* expected, of values within 1$"
says "one of weight 32, under keys of 98 bits, of 121 known to be safe$"
says "^chain         1738 of 1747 bits"
expect 0 "$HEBATCH" params show boot-16-deep
says "^bootstrapping cubic: from level 2 to level 17, 15 products between two bootstraps; fails with probability 2^-72.7 a"
expect 0 "$HEBATCH" params show boot-16-deeper
says "^bootstrapping cubic: from level 2 to level 18, 16 products between two bootstraps; fails with probability 2^-72.7 a"
says "^key switching 4 digits; primes a digit up to 9, special primes 8"
expect 0 "$HEBATCH" params check --n 65536 --levels 19 --scale-bits 40 --eval-mod sure
says "^allowed: boot-16-sure, N 65536, 1738 of 1747 bits"
expect 0 "$HEBATCH" params show boot-test --insecure --json
"$PYTHON" - <<'PYTHON' || fail "bootstrapping in JSON"
import json
show = json.load(open("out"))
bootstraps = show["params"]["bootstrapping"]
assert bootstraps["form"] == "cubic" and bootstraps["sparse_weight"] == 32 and bootstraps["levels"]["join"] == 19
assert show["fresh_limbs"] == 20 and show["data_limbs"] == 31
PYTHON
expect 0 "$HEBATCH" params list
says "^boot-test .* INSECURE$"
# Which presets bootstrap integers, and what a pass gives, as `params show` says of each.
says "^bootstrapping   users' primes   bits  a pass gives drawn  expected  fails, a ciphertext$"
sed "1,/^bootstrapping   users'/d; /^bootstrapping   fresh/,\$d" out >refreshing
[ "$(sed 's/ .*//' refreshing | tr '\n' ' ')" = "int-16 int-16-sure int-16-deep int-15 int-16-table-4 int-16-table-8 int-test int-table-test " ] ||
    fail "other presets of integers bootstrap"
cp out list
while read -r name primes bits drawn likely fails; do
    insecure=$([ "${name%-test}" != "$name" ] && echo --insecure)
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" params show "$name" $insecure
    says "of users: $primes primes, $bits.[0-9] bits; a pass begins and ends at the highest of them$"
    says "gives $drawn bits of budget with all but 2^-64 of probability, $likely expected$"
    case $fails in
    never) says "^bootstrapping .*; a pass cannot fail$" ;;
    *) says "^bootstrapping .*; a pass fails with probability $(echo "$fails" | sed 's/\^/\\^/') a ciphertext$" ;;
    esac
done <refreshing
# Other chains of integers: the presets' rule, for other forms and primes of users; t that does not batch.
expect 0 "$HEBATCH" params check --n 65536 --eval-mod fine-sure
says "^allowed: int-16-sure, N 65536, 1508 of 1747 bits, t 786433, batching"
expect 0 "$HEBATCH" params check --n 65536 --eval-mod fine --user-primes 9
says "^allowed: int-16-deep, N 65536, 1718 of 1747 bits"
expect 0 "$HEBATCH" params check --n 65536 --eval-mod cubic --user-primes 4 --plain-bits 30
says "^allowed: custom, .* t 1073479681, batching"
refuse 78 "of users: a chain that bootstraps has 2 or more" "$HEBATCH" params check --n 65536 --eval-mod fine --user-primes 1
refuse 78 "of users: a chain that bootstraps has 2 or more, and 64 primes at most; it would have 7[0-9]" \
    "$HEBATCH" params check --n 65536 --eval-mod fine --user-primes 40
refuse 78 "allows 1747 bits" "$HEBATCH" params check --n 65536 --eval-mod fine --user-primes 12
refuse 64 "give their form with --eval-mod" "$HEBATCH" params check --n 65536 --user-primes 5
refuse 64 "int-... have theirs" "$HEBATCH" params check int-16 --user-primes 5
refuse 64 "int-... have levels for it" "$HEBATCH" params check int-16 --eval-mod fine
refuse 64 "leave out --special-primes" "$HEBATCH" params check --n 65536 --eval-mod fine --special-primes 3
refuse 64 "leave out --digit-primes" "$HEBATCH" params check --n 65536 --eval-mod fine --digit-primes 3
refuse 64 "one of these was given, and the parameters are of CKKS" \
    "$HEBATCH" params check --scheme ckks --n 65536 --eval-mod fine --user-primes 5
refuse 78 "no t of this size batches at N = 65536, .* the least that does is 786433, of 20 bits" \
    "$HEBATCH" params check int-16 --plain-bits 17
refuse 78 "is a multiple of the chain's prime 1125899883380737" "$HEBATCH" params check int-16 --plain 1125899883380737
refuse 64 "leave it out; suggest finds the chain" "$HEBATCH" params suggest 'y = a*b' --rows 5 --range a=0..3,b=0..3 \
    --user-primes 5
cp list out
# Which presets bootstrap reals, and what that leaves, as `params show` says of each.
says "^bootstrapping   fresh levels levels after bootstrap  bits proven  bits expected  fails, a ciphertext$"
[ "$(sed '1,/^bootstrapping   fresh/d; s/ .*//' out | tr '\n' ' ')" = \
    "boot-16 boot-16-sure boot-16-light boot-16-fine boot-16-deep boot-16-deeper boot-test " ] || fail "other presets bootstrap"
sed '1,/^bootstrapping   fresh/d' out >bootstrapping
says "^boot-16-sure .* never$"
while read -r name fresh levels proven likely _; do
    insecure=$([ "$name" = boot-test ] && echo --insecure)
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" params show "$name" $insecure
    says "^levels        $fresh: "
    says "^bootstrapping .*, $levels products between two bootstraps; "
    says "leaves $proven bits proven, $likely expected, of values within 1$"
done <bootstrapping
expect 0 "$HEBATCH" params list --json
"$PYTHON" -c 'import json
leaves = {preset["name"]: preset["bootstrap_leaves"] for preset in json.load(open("out"))["presets"]}
assert leaves["int-16-sure"]["user_primes"] == 6 and 18 < leaves["int-16-sure"]["drawn"] < leaves["int-16-sure"]["expected"]
assert leaves["ckks-16"] is None and leaves["bfv-4096"] is None, leaves
assert [leaves["boot-16" + name]["levels"] for name in ("", "-deep", "-deeper")] == [14, 15, 16], leaves
assert 12 < leaves["boot-16"]["proven"] < leaves["boot-16"]["expected"] < 24, leaves' || fail "bootstrapping in JSON"
refuse 78 "insecure: the chain has 1738 bits" "$HEBATCH" params check boot-test
# To show a preset for tests makes nothing.
expect 0 "$HEBATCH" params show int-test
shows "INSECURE"
refuse 64 "cubic, sure, light, fine or fine-sure" "$HEBATCH" params check --n 65536 --levels 19 --scale-bits 40 --eval-mod cube
refuse 64 "presets called boot-" "$HEBATCH" params check boot-16 --eval-mod sure
refuse 78 "leaves none of them to compute on" \
    "$HEBATCH" params check --n 65536 --levels 5 --scale-bits 40 --eval-mod cubic --special-primes 12
# A digit has no more primes than there are.
refuse 78 "8 primes of a digit: there are 7 beside the special ones" "$HEBATCH" params check --scheme ckks --n 2048 \
    --bits 50,34,34,34,34,34,34,50,50 --special-primes 2 --digit-primes 8 --scale-bits 34 --insecure
expect 0 "$HEBATCH" params show --n 16384 --levels 3 --scale-bits 40 --special-primes 5
says "^key switching 1 digits; primes a digit up to 4, special primes 5$"
# Digits of BFV.
expect 0 "$HEBATCH" params show --n 16384 --bits 40,40,40,40,41,41 --special-primes 2
says "^key switching 2 digits; primes a digit up to 2, special primes 2$"
expect 0 "$HEBATCH" params show --n 16384 --bits 40,40,40,40,41,41 --special-primes 2 --json
"$PYTHON" - <<'PYTHON' || fail "digits in JSON"
import json
params = json.load(open("out"))["params"]
assert params["special_primes"] == 2 and params["digit_primes"] == 2
PYTHON
refuse 78 "take digits of fewer primes" "$HEBATCH" params check --n 16384 --bits 40,40,40,40,41 --digit-primes 2
# The same chain by its sizes.
expect 0 "$HEBATCH" params check --n 8192 --bits 42,43,43,43,43
says "^allowed: bfv-8192, N 8192, 214 of 214 bits"

# Between the tables, against quantum computers, and where the table of 2018 ends.
refuse 78 "215 bits, and the table of 2024 .* allows 214 bits .*smallest N .*(--security-table 2018 allows it" \
    "$HEBATCH" params check --n 8192 --bits 43,43,43,43,43
expect 0 "$HEBATCH" params check --n 8192 --bits 43,43,43,43,43 --security-table 2018
says "^security: 128 bits (classical) by the HE-standard table of 2018; above the table of 2024 (214 bits)$"
expect 0 "$HEBATCH" params check --n 8192 --bits 43,43,43,43,43 --insecure
says "^security: INSECURE: 215 bits, above the 214 for 128-bit security"
expect 0 "$HEBATCH" params check --n 8192 --bits 43,43,43,43,43 --security-table 2018 --json
"$PYTHON" - <<'PYTHON' || fail "the table in JSON"
import json
show = json.load(open("out"))
assert show["security_limit_bits"] == 218
assert show["params"]["security_table"] == 2018 and show["params"]["security_model"] == "classical"
PYTHON
refuse 78 "allows 214 bits" "$HEBATCH" params check seal-8192 --security-table 2024
expect 0 "$HEBATCH" params check bfv-8192 --security-table 2018
says "^allowed: bfv-8192, N 8192, 214 of 218 bits"
refuse 78 "allows 161 bits .*(quantum, ChaLoy21)" "$HEBATCH" params check bfv-8192 --security 128q
expect 0 "$HEBATCH" params check --n 8192 --bits 40,40,40,41 --security 128q
says "^allowed: custom, N 8192, 161 of 161 bits"
says "^security: 128 bits (quantum, ChaLoy21) by the table of 2024"
refuse 78 "no limits against quantum" "$HEBATCH" params check bfv-8192 --security 128q --security-table 2018
for level in 192 256; do
    expect 0 "$HEBATCH" params check --n 65536 --bits 50,50,50 --security $level
    says "^security: $level bits (classical, MATZOV) by the table of 2024"
    refuse 78 "has no entry at N = 65536" "$HEBATCH" params check --n 65536 --bits 50,50,50 --security $level --security-table 2018
done
refuse 78 "those of 2018 and 2024" "$HEBATCH" params check bfv-8192 --security-table 2020
refuse 78 "128q" "$HEBATCH" params check bfv-8192 --security 128c
# shellcheck disable=SC2086
expect 0 "$HEBATCH" params check $SMALL
says "^allowed: custom, N 2048, 53 of 53 bits"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" params check $CHAIN
says "INSECURE"
# The search is Microsoft SEAL's: CoeffModulus::Create(8192, {60, 40, 40, 60}).
expect 0 "$HEBATCH" params show --n 8192 --bits 60,40,40,60
for prime in 0xffffffffffe8001 0xfffff4c001; do
    says "$prime"
done
expect 0 "$HEBATCH" params show --n 8192 --primes 1152921504606748673,1099510890497,1099511480321,1152921504606830593 --json
cp out given
expect 0 "$HEBATCH" params show --n 8192 --bits 60,40,40,60 --json
for file in given out; do
    grep -A6 '"primes"' "$file" >"$file.primes"
done
same given.primes out.primes

# Noise budgets of fresh ciphertexts, and none: one bit of t is one bit of budget.
expect 0 "$HEBATCH" params show bfv-8192
says "^noise budget  [0-9]* bits proven, [0-9]* expected in fresh ciphertexts of the secret key"
says "^  *[0-9]* bits proven, [0-9]* expected in fresh ciphertexts of the public key"
expect 0 "$HEBATCH" params check --n 2048 --bits 53 --plain-bits 30 --json
"$PYTHON" - <<'PYTHON' || fail "fresh_budget is not what it should be"
import json
fresh = json.load(open("out"))["fresh_budget"]
assert 1 <= fresh["public"]["proven"] <= fresh["public"]["expected"] <= fresh["secret"]["expected"], fresh
PYTHON
expect 0 "$HEBATCH" params show --n 2048 --bits 53 --plain-bits 50
says "^  *no bits proven ([0-9]* too few), .* in fresh ciphertexts of the public key$"
for command in "params check" "keygen --out none"; do
    # shellcheck disable=SC2086
    refuse 78 "no noise budget: [0-9]* bits too few are proven to decrypt.*or a t of 34 bits or fewer" \
        "$HEBATCH" $command --n 2048 --bits 53 --plain-bits 50
    # shellcheck disable=SC2086
    refuse 78 "no t is small enough" "$HEBATCH" $command --n 2048 --bits 17 --plain 3
done
absent none
expect 0 "$HEBATCH" params check --n 2048 --bits 53 --plain-bits 34
# A t that is in the chain: what it advises can batch.
expect 0 "$HEBATCH" params show bfv-8192 --json
prime=$("$PYTHON" -c 'import json; print(int(json.load(open("out"))["params"]["primes"][0], 16))')
refuse 78 "which batches, is [0-9]*" "$HEBATCH" keygen --params bfv-8192 --plain "$prime" --out none
plain=$(sed 's/.*which batches, is //' err)
expect 0 "$HEBATCH" params check --params bfv-8192 --plain "$plain"
says ", batching"

refuse 64 "bfv-9999" "$HEBATCH" params show bfv-9999
refuse 64 "choose parameters" "$HEBATCH" params check --n 1024
refuse 64 "leave out --n" "$HEBATCH" params check --params bfv-4096 --n 1024
refuse 64 "give one of them" "$HEBATCH" params check --params bfv-4096 --plain 65537 --plain-bits 20
refuse 64 "list of numbers" "$HEBATCH" params check --n 1024 --bits 27,,27
refuse 64 "unknown action" "$HEBATCH" params chek
refuse 78 "power of two" "$HEBATCH" params check --n 1000 --bits 27
refuse 78 "26 bits" "$HEBATCH" params check --n 1024 --bits 30
refuse 78 "192" "$HEBATCH" params check --params bfv-4096 --security 192
refuse 78 "100" "$HEBATCH" params check --params bfv-4096 --security 100
refuse 78 "1 mod 2N\|2048" "$HEBATCH" params check --n 1024 --primes 134217689 --insecure
refuse 78 "prime" "$HEBATCH" params check --n 1024 --primes 132122625 --insecure
refuse 78 "bits" "$HEBATCH" params check --n 1024 --bits 61
refuse 78 "bits" "$HEBATCH" params check --n 2048 --bits 54 --plain-bits 61
