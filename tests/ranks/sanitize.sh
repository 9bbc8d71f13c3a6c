#!/bin/sh
# hebatch sanitize: the same tables behind it, alike on any number of ranks and after a kill; what files say of it, what
# keeps that and what loses it; and what is refused.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
chain="--n 1024 --bits 50,50,50,51 --plain-bits 21 --insecure"

# sanitized IN OUT OPTIONS...: with the public key, quietly.
sanitized() {
    in=$1 out_of=$2
    shift 2
    expect 0 "$HEBATCH" sanitize "$in" "$out_of" --key keys/public.h5 --quiet "$@"
}

# same_table A B: the two datasets decrypt to the same bytes.
same_table() {
    for of_two in "$1" "$2"; do
        expect 0 "$HEBATCH" decrypt --key keys/secret.h5 "$of_two" "$of_two.csv" --quiet --force
    done
    same "$1.csv" "$2.csv"
}

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $chain --out keys --relin --rotations sum --swap --quiet
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $chain --out others --quiet
"$PYTHON" - <<'PYTHON'
import random
random.seed(3)
with open("in.csv", "w") as f:
    f.write("a,b\n")
    f.writelines(f"{random.randint(0, 99)},{random.randint(-99, 99)}\n" for _ in range(6500))
PYTHON
expect 0 "$HEBATCH" encrypt in.csv in.heb --key keys/public.h5 --range a=0..99,b=-99..99 --quiet
expect 0 "$HEBATCH" encrypt in.csv seeded.heb --key keys/secret.h5 --range a=0..99,b=-99..99 --quiet
expect 0 "$HEBATCH" encrypt in.csv rows.heb --key keys/secret.h5 --range a=0..99,b=-99..99 --pack rows --quiet
expect 0 "$HEBATCH" encrypt in.csv coefficients.heb --key keys/public.h5 --encoding coefficients --range a=0..99,b=-99..99 --quiet
export HEBATCH_COMPACT=off
expect 0 "$HEBATCH" eval --keys keys 'y = a.a * a.b' a=in.heb y=y.heb --quiet
expect 0 "$HEBATCH" eval --keys keys 'x = a.a + a.b' a=in.heb x=x.heb --quiet
expect 0 "$HEBATCH" eval --keys keys 's = sum(a)' a=in.heb s=s.heb --quiet
unset HEBATCH_COMPACT

# The same table, of every packing and origin.
for name in in seeded rows coefficients x y s; do
    sanitized $name.heb $name-z.heb
    same_table $name.heb $name-z.heb
    expect 0 "$HEBATCH" info $name-z.heb
    says "^sanitized *within 2^-4[0-9.]* of any other computation"
    expect 0 "$HEBATCH" verify $name-z.heb --quiet
done
# A header says nothing of the computation but its limbs.
for name in x y; do
    expect 0 "$HEBATCH" info $name-z.heb
    grep "^noise budget\|^ciphertexts\|^sanitized" out | sed 's/^ciphertexts *[0-9]*//' >$name.said
    says "^noise budget 2 bits proven, 2 expected, at 1 of 3 limbs"
done
same x.said y.said
expect 0 "$HEBATCH" sanitize y.heb again.heb --key keys/public.h5 --dry-run
says "^noise budget [0-9]* bits before, 2 behind; 3 limbs before, 1 behind"
absent again.heb again.heb.partial again.heb.partial.key again.heb.report.json
# Other draws each time.
sanitized y.heb again.heb
expect 1 "$HEBATCH" verify again.heb --same-as y-z.heb --quiet
[ "$(field again.heb.report.json 'r["limbs_after"], r["opened"], r["sanitized"] >= 40')" = "(1, False, True)" ] ||
    fail "the report does not say how"

# Any number of ranks, and of those who share limbs.
sanitized y.heb one.heb --insecure-test-seed $seed
for ranks in 2 3; do
    launch 0 $ranks 1 sanitize y.heb ranks$ranks.heb --key keys/public.h5 --insecure-test-seed $seed
    launch 0 $ranks $ranks sanitize y.heb limbs$ranks.heb --key keys/public.h5 --insecure-test-seed $seed
    for other in ranks limbs; do
        expect 0 "$HEBATCH" verify $other$ranks.heb --same-as one.heb
    done
done
sanitized y.heb batch.heb --insecure-test-seed $seed --queues 2
expect 0 "$HEBATCH" verify batch.heb --same-as one.heb

# A job that was killed goes on with the root that it drew, on any number of ranks; then the root is gone.
strike KILL 1 137 killed.heb 2 1 sanitize in.heb killed.heb --key keys/public.h5 --resume
[ "$(stat -c %a killed.heb.partial.key)" = 600 ] || fail "the root can be read by others"
refuse 73 "resume continues it" "$HEBATCH" sanitize in.heb killed.heb --key keys/public.h5
refuse 65 "the dataset, --bits or --open has changed" "$HEBATCH" sanitize in.heb killed.heb --key keys/public.h5 --resume --bits 30
refuse 65 "the dataset, --bits or --open has changed" "$HEBATCH" sanitize seeded.heb killed.heb --key keys/public.h5 --resume
cp -R killed.heb.partial kept.partial
cp killed.heb.partial.key kept.key
for ranks in 1 3; do
    rm -rf killed.heb killed.heb.partial
    cp -R kept.partial killed.heb.partial
    cp kept.key killed.heb.partial.key
    launch 0 $ranks 1 sanitize in.heb killed.heb --key keys/public.h5 --resume
    "$PYTHON" "$shards" same killed.heb finished 2 || fail "units that were finished have changed"
    absent killed.heb.partial killed.heb.partial.key killed.heb/job.json
    cp -R killed.heb killed$ranks.heb
done
expect 0 "$HEBATCH" verify killed1.heb --same-as killed3.heb
same_table killed.heb in.heb
rm -rf killed.heb
cp -R kept.partial killed.heb.partial
refuse 65 "killed.heb.partial.key: is gone, so killed.heb.partial cannot be continued" \
    "$HEBATCH" sanitize in.heb killed.heb --key keys/public.h5 --resume
sanitized in.heb killed.heb --force
absent killed.heb.partial killed.heb.partial.key

# Opened: anyone who has the input and the seed can make it again.
expect 0 "$HEBATCH" sanitize y.heb opened.heb --key keys/public.h5 --open
complains "an encryption of zero, whose seed is public: nothing is hidden"
says "^opened.heb: 14 ciphertexts, opened\|^opened.heb: 7 ciphertexts, opened"
same_table y.heb opened.heb
expect 0 "$HEBATCH" info opened.heb
says "^opened *an encryption of zero by seed [0-9a-f]*$"
says "at 3 of 3 limbs"
expect 0 "$HEBATCH" info opened.heb --json
[ "$(field out 'len(r["zero_seed"]), r["sanitized"]')" = "(64, None)" ] || fail "info says other than the header"

# Kept by concat; lost by computing, and by sums.
for name in 1 2; do
    head -n 1025 in.csv >part.csv # of 1024 rows: a row block
    expect 0 "$HEBATCH" encrypt part.csv part$name.heb --key keys/public.h5 --range a=0..99,b=-99..99 --quiet
    sanitized part$name.heb clean$name.heb
done
expect 0 "$HEBATCH" concat clean1.heb clean2.heb both.heb --quiet
expect 0 "$HEBATCH" info both.heb --json
[ "$(field out '39 < r["sanitized"] < 45')" = True ] || fail "concat forgets"
expect 0 "$HEBATCH" info clean1.heb --json
[ "$(field out 'r["sanitized"] > 40')" = True ] || fail "sanitized is not said"
expect 0 "$HEBATCH" export clean1.heb exported --quiet
[ "$(field exported/index.json 'r["noise"]["sanitized"] > 40')" = True ] || fail "export forgets"
expect 0 "$HEBATCH" import exported imported.heb --key keys --quiet
expect 0 "$HEBATCH" info imported.heb
! grep -q "^sanitized" out || fail "what came from elsewhere says that it is sanitized"
refuse 65 "clean1.heb: sanitizing needs [0-9]* bits of budget, 2 are left" \
    "$HEBATCH" sanitize clean1.heb twice.heb --key keys/public.h5 --bits 20
expect 0 "$HEBATCH" info both.heb
says "^sanitized"
for name in added mixed; do
    case $name in
    added) expect 0 "$HEBATCH" eval 'y = a + a' a=part1.heb y=added.heb --quiet ;;
    mixed) expect 0 "$HEBATCH" eval 'y = a.a' a=clean1.heb y=mixed.heb --quiet ;;
    esac
    expect 0 "$HEBATCH" info $name.heb
    ! grep -q "^sanitized" out || fail "$name.heb: says that it is sanitized"
done

# Bits: their limits, what they take, and where they end.
for bits in 0 19 61 1000; do
    refuse 64 "bits $bits: 20 to 60" "$HEBATCH" sanitize y.heb no.heb --key keys/public.h5 --bits $bits
done
sanitized in.heb least.heb --bits 20
same_table least.heb in.heb
expect 0 "$HEBATCH" info least.heb
says "^sanitized *within 2^-2[0-9.]* of"
refuse 64 "needs noise of more than 62 bits" "$HEBATCH" sanitize in.heb no.heb --key keys/public.h5 --bits 60
refuse 64 "with --open nothing is hidden" "$HEBATCH" sanitize y.heb no.heb --key keys/public.h5 --open --bits 40
expect 0 "$HEBATCH" eval --keys keys 'y = a.a * a.b' a=in.heb y=compact.heb --quiet
refuse 65 "compact.heb: sanitizing needs [5-9][0-9] bits of budget, [0-9]* are left; eval made it compact" \
    "$HEBATCH" sanitize compact.heb no.heb --key keys/public.h5
expect 0 "$HEBATCH" eval --keys keys --compact off 'y = (a.a * a.b) * a.b' a=in.heb y=deep.heb --quiet --wrap
refuse 65 "deep.heb: sanitizing needs [5-9][0-9] bits of budget, [0-9]* are left$" \
    "$HEBATCH" sanitize deep.heb no.heb --key keys/public.h5

# Keys and schemes.
refuse 64 "keys/secret.h5 is a secret key: sanitizing takes the public one" "$HEBATCH" sanitize y.heb no.heb --key keys/secret.h5
refuse 64 "key is missing" "$HEBATCH" sanitize y.heb no.heb
refuse 65 "y.heb" "$HEBATCH" sanitize y.heb no.heb --key others/public.h5
refuse 66 "none.heb" "$HEBATCH" sanitize none.heb no.heb --key keys/public.h5
expect 0 "$HEBATCH" keygen --params ckks-13 --out reals --quiet
expect 0 "$HEBATCH" encrypt in.csv reals.heb --key reals/public.h5 --range a=0..99,b=-99..99 --quiet
refuse 65 "reals.heb: sanitizing hides how integers were computed: results of CKKS carry their errors.*decrypt --share" \
    "$HEBATCH" sanitize reals.heb no.heb --key reals/public.h5
# Damage is found where it is, and nothing is left.
cp -R y.heb damaged.heb
flip damaged.heb/part-00000.h5 -20000
expect 65 "$HEBATCH" sanitize damaged.heb no.heb --key keys/public.h5 --quiet
complains "damaged.heb/part-00000.h5: .*do not match their checksum"
absent no.heb no.heb.partial no.heb.partial.key

# Several plain moduli: each residue is sanitized, all by one root.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,51 --wide 30 --plain-bits 16 --insecure --out wide --quiet
expect 0 "$HEBATCH" encrypt in.csv wide.heb --key wide/public.h5 --range a=0..99,b=-99..99 --quiet
expect 0 "$HEBATCH" sanitize wide.heb wide-z.heb --key wide/public.h5 --quiet
expect 0 "$HEBATCH" verify wide-z.heb --key wide/secret.h5 --against in.csv --quiet
absent wide-z.heb.partial wide-z.heb.partial.key
launch 0 2 1 sanitize wide.heb wide2.heb --key wide/public.h5 --insecure-test-seed $seed
expect 0 "$HEBATCH" sanitize wide.heb wide1.heb --key wide/public.h5 --insecure-test-seed $seed --quiet
expect 0 "$HEBATCH" verify wide2.heb --same-as wide1.heb

# Keys of several owners: so much budget is left that parts of decryptions can be made.
joint_keys both 'y = a.a * a.b' --n 1024 --bits 50,50,50,50,51 --plain-bits 21 --insecure
expect 0 "$HEBATCH" encrypt in.csv joint.heb --key both/public.h5 --range a=0..99,b=-99..99 --quiet
expect 0 "$HEBATCH" sanitize joint.heb joint-z.heb --key both/public.h5 --quiet
expect 0 "$HEBATCH" eval --keys both 'y = a.a * a.b' a=joint.heb y=joint-y.heb --sanitize 20 --quiet
for name in joint-z joint-y; do
    expect 0 "$HEBATCH" info $name.heb
    says "^sanitized"
    says "^noise budget [5-6][0-9] bits proven, [5-6][0-9] expected"
    combined $name
done
same in.csv joint-z.csv
awk -F, -v OFS=, 'NR == 1 { print "y" } NR > 1 { print $1 * $2 }' in.csv >product.csv
same product.csv joint-y.csv
