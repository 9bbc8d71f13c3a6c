#!/bin/sh
# Keys for bootstrapping integers, and hebatch refresh: datasets whose budget is spent are refreshed, computed with and
# decrypted exactly, of every packing and level; and what is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# field FILE EXPRESSION: of the report that is in it, as r.
field() {
    "$PYTHON" -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# --- keys

# One key for products, of users and of passes, at the highest level where it is used; keys of the sparse secret.
expect 0 "$HEBATCH" keygen --params int-test --insecure --out keys --relin --rotations 3,sum --bootstrap --json
[ "$(field out 'sorted({k["kind"] for k in r["keys"]})')" = \
    "['Galois key', 'key from the sparse secret', 'key to the sparse secret', 'relinearization key']" ] || fail "keys"
[ "$(field out '[k["limbs"] for k in r["keys"] if k["kind"] == "relinearization key"]')" = "[20]" ] || fail "relin"
[ "$(field out '{k["limbs"] for k in r["keys"] if k["kind"] == "key to the sparse secret"}')" = "{1}" ] || fail "sparse"
for file in keys/*.h5; do
    [ "$file" = keys/secret.h5 ] || expect 0 "$HEBATCH" info "$file"
done
expect 0 "$HEBATCH" info keys/to-sparse.h5
says 'key to the sparse secret'
# Added to a pair, the same keys as all at once; those of --for too.
SEED=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --params int-test --insecure --out once --relin --bootstrap --insecure-test-seed $SEED
expect 0 "$HEBATCH" keygen --params int-test --insecure --out later --insecure-test-seed $SEED
expect 0 "$HEBATCH" keygen --key later/secret.h5 --bootstrap --insecure-test-seed $SEED
expect 0 "$HEBATCH" keygen --key later/secret.h5 --relin --insecure-test-seed $SEED
diff -r once later >/dev/null || fail "keys that were added are others"
expect 0 "$HEBATCH" keygen --params int-test --insecure --out for --for 'y = a*a' --insecure-test-seed $SEED
diff -r once for >/dev/null || fail "keys of --for are others"
for owner in ada bob; do
    expect 0 "$HEBATCH" keygen --party $owner --out $owner
done
refuse 78 "joint keys of a chain that bootstraps" "$HEBATCH" keygen --params int-test --insecure --session folder \
    --cards "*/card.h5" --results 5 --relin
absent folder
refuse 78 "levels of this one are for bootstrapping" "$HEBATCH" export keys sealed
refuse 78 'have no levels for bootstrapping integers' "$HEBATCH" keygen --params bfv-4096 --out none --bootstrap

# --- datasets

"$PYTHON" - <<'PYTHON'
import random
random.seed(7)
with open("x.csv", "w") as f:
    f.write("a,b\n")
    f.writelines(f"{random.randint(0, 9)},{random.randint(-20, 20)}\n" for _ in range(1100))
PYTHON
expect 0 "$HEBATCH" encrypt x.csv x.heb --key keys/public.h5 --range a=0..9,b=-20..20
expect 0 "$HEBATCH" encrypt x.csv plain.heb --key keys/secret.h5 --range a=0..9,b=-20..20 --encoding coefficients
# bits_of DATASET: the bits that info says of it.
bits_of() {
    "$HEBATCH" info "$1" 2>/dev/null | sed -n 's/^noise budget \([0-9]*\) bits .*/\1/p'
}
refuse 65 "x.heb: has $(bits_of x.heb) bits of noise budget (proven), to which a pass adds nothing" \
    "$HEBATCH" refresh x.heb no.heb --keys keys
# model NAME EXPRESSION: NAME.heb decrypts to it modulo t, of columns a and b, balanced.
model() {
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 "$1.heb" "$1.csv" --force
    ! grep -q WARNING err || fail "$1: $(cat err)"
    "$PYTHON" - "$1.csv" "$2" <<'PYTHON' || fail "$1: not what integers give"
import sys
t = 786433
rows = [tuple(map(int, line.split(","))) for line in open("x.csv").readlines()[1:]]
want = [eval(sys.argv[2], {"a": a, "b": b}) % t for a, b in rows]
got = [int(line) % t for line in open(sys.argv[1]).readlines()[1:]]
assert got == want, [(g, w) for g, w in zip(got, want) if g != w][:5]
PYTHON
}
# Spent: eight products at all limbs; then refreshed, spent again, and refreshed.
deep='u = a.a * a.b; u = u * u + a.b; u = u * u - a.a; u = u * u + 1'
python_deep='(lambda u: (lambda v: (lambda w: w * w + 1)(v * v - a))(u * u + b))(a * b)'
expect 0 "$HEBATCH" eval --keys keys --compact off --wrap --noise expected --bootstrap never \
    "$deep; u = u * u; u = u * u + a.a; y = u" a=x.heb y=y.heb
model y "(lambda x: (x * x) ** 2 + a)($python_deep)"
expect 0 "$HEBATCH" refresh y.heb z.heb --keys keys
says "^z.heb: 2 ciphertexts, $(bits_of z.heb) bits of noise budget, sum [0-9a-f]*$"
complains '^hebatch: passes  *[0-9]* over 2 ciphertexts: [0-9]* bits of noise budget, then 2[0-9]*; they cannot lose a'
complains '^hebatch: bounds  *hold with all but 2^-64 of probability'
model z "(lambda x: (x * x) ** 2 + a)($python_deep)"
complains 'with all but 2^-64 of probability, unless somebody made ciphertexts'
[ "$(field z.heb.report.json 'len(r["passes"]) >= 5, r["limbs_before"], r["limbs_after"], r["failure_bits"]')" = \
    "(True, 6, 6, None)" ] || fail "the report does not say how"
[ "$(field z.heb.report.json 'all(p["noise_budget_bits"] > p["noise_budget_bits_before"] for p in r["passes"])')" = True ] ||
    fail "a pass gives nothing"
expect 0 "$HEBATCH" info z.heb
says "^noise budget 2[0-9]* bits drawn, 2[0-9]* expected, at 6 of 6 limbs"
says "^history *refresh, of key [0-9a-f]*, sum $(sum_of y.heb)$"
# Sanitizing makes no drawn bound proven, nor does opening, and another person's copy says it as well.
expect 0 "$HEBATCH" keygen --params int-test --insecure --out another
expect 0 "$HEBATCH" keygen --rekey keys/secret.h5 --to another/public.h5 --out moves
expect 0 "$HEBATCH" sanitize z.heb hidden.heb --key keys/public.h5
expect 0 "$HEBATCH" sanitize z.heb opened.heb --key keys/public.h5 --open
expect 0 "$HEBATCH" rekey z.heb moved.heb --keys moves --key another/public.h5
for name in hidden opened moved; do
    expect 0 "$HEBATCH" info $name.heb
    says '^noise budget [0-9]* bits drawn, '
done
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 hidden.heb hidden.csv
complains 'with all but 2^-64 of probability, unless somebody made ciphertexts'
expect 0 "$HEBATCH" verify z.heb --key keys/secret.h5 --against y.csv
expect 0 "$HEBATCH" eval --keys keys --compact off --wrap --noise expected --bootstrap never \
    'u = z * z; u = u * u + x.b; u = u * z; y = u * u' z=z.heb x=x.heb y=again.heb
want="(lambda z: (z * (z ** 4 + b)) ** 2)((lambda x: (x * x) ** 2 + a)($python_deep))"
model again "$want"
# So many passes as are wanted, and by other bounds.
for noise in drawn expected; do
    expect 0 "$HEBATCH" refresh again.heb "$noise.heb" --keys keys --passes 2 --noise $noise
    says "^$noise.heb: 2 ciphertexts, $(bits_of $noise.heb) bits of noise budget, sum"
    model $noise "$want"
    [ "$(field $noise.heb.report.json 'len(r["passes"]), r["noise"]')" = "(2, '$noise')" ] || fail "two passes"
done
expect 0 "$HEBATCH" info expected.heb
says "^noise budget [0-9]* bits likely"
expect 0 "$HEBATCH" refresh again.heb none.heb --keys keys --dry-run
says '^pass  *k [0-9]*: [0-9.]* bits, then [0-9.]*$'
absent none.heb none.heb.partial none.heb.report.json
# Again from the result of fewer passes; another form of the noise does not matter.
expect 0 "$HEBATCH" refresh drawn.heb more.heb --keys keys
model more "$want"
[ "$("$HEBATCH" info more.heb | grep -c '^history')" = 2 ] || fail "two steps"
# A job that was stopped goes on, as status says, to the same words; other jobs do not go on with it.
expect 75 "$HEBATCH" refresh y.heb stopped.heb --keys keys --max-time 0.001
expect 0 "$HEBATCH" status stopped.heb
says '^command  *refresh$'
says '^to go on  *the same command with --resume$'
refuse 65 "cannot be continued: it is of hebatch refresh" "$HEBATCH" sanitize z.heb stopped.heb --key keys/public.h5 --resume
for other in "--passes 2" "--noise expected"; do
    # shellcheck disable=SC2086
    refuse 65 "cannot be continued: the dataset, a key, --passes or --noise has changed" \
        "$HEBATCH" refresh y.heb stopped.heb --keys keys --resume $other
done
expect 0 "$HEBATCH" refresh y.heb stopped.heb --keys keys --resume
expect 0 "$HEBATCH" verify stopped.heb --same-as z.heb
# By proven bounds a drawn one does not become proven, and the plan says so.
expect 0 "$HEBATCH" refresh drawn.heb worst.heb --keys keys --noise worst --dry-run
says "^bounds  *hold with all but 2^-64 of probability, .*; the input's are no surer$"
expect 0 "$HEBATCH" refresh y.heb none.heb --keys keys --noise worst --dry-run
says '^bounds  *are proven$'
# At lower levels, and in coefficients.
expect 0 "$HEBATCH" eval --keys keys --wrap --noise expected --bootstrap never 'y = a.a * a.b' a=x.heb y=low.heb --compact 70
[ "$(field low.heb.report.json 'r["outputs"][0]["limbs"] < 6')" = True ] || fail "low.heb is at the highest level"
expect 0 "$HEBATCH" refresh low.heb high.heb --keys keys
model high 'a * b'
[ "$(field high.heb.report.json 'r["limbs_before"] < r["limbs_after"], r["limbs_after"]')" = "(True, 6)" ] || fail "not raised"
expect 0 "$HEBATCH" eval --keys keys --compact 60 'y = a + a' a=plain.heb y=plain-2.heb
expect 0 "$HEBATCH" refresh plain-2.heb plain-3.heb --keys keys --passes 1
for number in 2 3; do
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 plain-$number.heb plain-$number.csv
done
same plain-2.csv plain-3.csv

# A range that is declared of an assigned name holds at each of its assignments.
expect 65 "$HEBATCH" eval --keys keys --noise expected --bootstrap never --dry-run 'y = x.b; repeat 3 { y = y*y + x.b }' \
    x=x.heb y=no.heb
expect 0 "$HEBATCH" eval --keys keys --noise expected --bootstrap never --dry-run --range y=-9..99 \
    'y = x.b; repeat 3 { y = y*y + x.b }' x=x.heb y=no.heb
says "^column  *'y': values -9..99$"
refuse 64 "the range that was given for these values is 30 .. 99, and they lie in -20 .. 20" \
    "$HEBATCH" eval --keys keys --range y=30..99 'y = x.b; repeat 3 { y = y*y + x.b }' x=x.heb y=no.heb

# The plan of a long loop takes no longer than a second of computing, and says one certainty of a statement everywhere.
loop='y = x.b; repeat 40 { y = y*y + x.b }'
expect 0 "$HEBATCH" eval --keys keys --wrap --noise expected --dry-run "$loop" x=x.heb y=no.heb --json
[ "$(field out 'r["plan"]["sampled"]')" = False ] || fail "a long loop was computed for its plan"
expect 0 "$HEBATCH" eval --keys keys --wrap --noise expected --dry-run "$loop" x=x.heb y=no.heb
says "^noise budget [0-9]* bits likely at least, .* in each of 40 iterations: y = y\*y + x.b$"
! grep '^noise budget no bits' out || fail "none is proven, and some is likely"
expect 0 "$HEBATCH" eval --keys keys --wrap --dry-run 'y = x.b*x.b' x=x.heb y=no.heb --json
[ "$(field out 'r["plan"]["sampled"]')" = True ] || fail "a short computation was not timed"

# One set of parameters is judged: that of keys, which has its name, or a preset before keys are made.
for judged in "--keys keys" "--params int-test --insecure"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" params suggest $judged --rows 9 --range x.b=-20..20,y=-9..99 --noise expected "$loop"
    says '^parameters  *int-test, '
    says '^bootstrapping [0-9]* passes over the ciphertexts of a row block; a pass cannot fail$'
done
says '^hebatch keygen --params int-test --insecure --out KEYS '
expect 0 "$HEBATCH" params suggest --params int-16-sure --rows 9 --range x.b=-20..20,y=-9..99 "$loop"
says '^parameters  *int-16-sure, '
refuse 65 "bfv-8192: is too small for these results" \
    "$HEBATCH" params suggest --params bfv-8192 --rows 9 --range x.b=-20..20,y=-9..99 "$loop"
refuse 78 "int-test: is for tests; add --insecure" "$HEBATCH" params suggest --params int-test --rows 9 "$loop"
refuse 64 "the keys of --keys say theirs" "$HEBATCH" params suggest --params int-16 --keys keys --rows 9 "$loop"

# --- what is refused

# Where bootstrapping was forbidden, that is what keeps these keys from doing it.
refuse 65 "these parameters would do with --bootstrap auto, by bootstrapping" "$HEBATCH" eval --keys keys --wrap \
    --noise expected --bootstrap never 'y = x.b; repeat 20 { y = y*y + x.b }' x=x.heb y=no.heb

# expected NAME: the bits that are expected to be left, whole.
expected() {
    "$HEBATCH" info "$1.heb" 2>/dev/null | sed -n 's/^noise budget .*, \([0-9]*\) expected.*/\1/p'
}
expect 0 "$HEBATCH" eval --keys keys --wrap --noise expected --bootstrap never 'u = l * l; y = u * u' l=low.heb y=lower.heb --compact off
factor=$("$PYTHON" -c "print(2 ** ($(expected lower) - 6))")
for compact in off 1; do
    expect 0 "$HEBATCH" eval --keys keys --wrap --noise expected --bootstrap never "y = l * $factor" l=lower.heb \
        y=spent.heb --compact $compact --force
    [ $compact = off ] && advice='refresh earlier, before the last product' || advice='eval made it compact'
    refuse 65 "spent.heb: too little noise budget is left for bootstrapping, .*: $advice" \
        "$HEBATCH" refresh spent.heb no.heb --keys keys
done
expect 0 "$HEBATCH" eval --keys keys --noise expected 't = (sum(a.a), sum(a.b))' a=x.heb t=total.heb
refuse 65 "total.heb: of its packed totals some coefficients alone are stored" \
    "$HEBATCH" refresh total.heb no.heb --keys keys
refuse 64 "keys is missing" "$HEBATCH" refresh again.heb no.heb
refuse 64 "noise sometimes: worst, drawn or expected" "$HEBATCH" refresh again.heb no.heb --keys keys --noise sometimes
refuse 64 "passes" "$HEBATCH" refresh again.heb no.heb --keys keys --passes 0
refuse 66 "none.heb" "$HEBATCH" refresh none.heb no.heb --keys keys
refuse 64 "y.heb" "$HEBATCH" refresh y.heb y.heb --keys keys --force
refuse 73 "force" "$HEBATCH" refresh y.heb z.heb --keys keys
# Keys that are missing, and those of another pair, chain or form.
expect 0 "$HEBATCH" keygen --params int-test --insecure --out other --relin --bootstrap
refuse 65 "other/relin-20.h5 belongs to key .*, but the data was encrypted with key" "$HEBATCH" refresh again.heb no.heb --keys other
mkdir few
cp keys/public.h5 keys/secret.h5 keys/relin-20.h5 few
refuse 66 "few has no key for bootstrapping; make it: hebatch keygen --key few/secret.h5 --bootstrap" \
    "$HEBATCH" refresh again.heb no.heb --keys few
for chain in "--eval-mod fine" "--eval-mod fine-sure --user-primes 5"; do
    rm -rf forms
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen --n 1024 $chain --insecure --plain 786433 --out forms --bootstrap
    refuse 65 "forms" "$HEBATCH" refresh again.heb no.heb --keys forms
    refuse 65 "forms" "$HEBATCH" refresh again.heb no.heb --keys forms --dry-run
done
# A chain of another form refreshes its own; its passes may fail, which the plan says.
expect 0 "$HEBATCH" keygen --n 1024 --eval-mod light --user-primes 4 --insecure --plain 65537 --out light --relin --bootstrap
expect 0 "$HEBATCH" encrypt x.csv l.heb --key light/public.h5 --range a=0..9,b=-20..20
expect 0 "$HEBATCH" eval --keys light --compact off --wrap --noise expected --bootstrap never \
    'u = a.a * a.b; u = u * u; y = u * u' a=l.heb y=ly.heb
expect 0 "$HEBATCH" refresh ly.heb lz.heb --keys light
complains '|I| > 14 loses a ciphertext with 2^-7[0-9.]*$'
for name in ly lz; do
    expect 0 "$HEBATCH" decrypt --key light/secret.h5 $name.heb $name.csv
done
same ly.csv lz.csv
# Reals bootstrap in eval; chains without levels for it do not.
expect 0 "$HEBATCH" keygen --params boot-test --insecure --out reals
expect 0 "$HEBATCH" encrypt x.csv reals.heb --key reals/public.h5 --range a=0..9,b=-20..20
refuse 65 "reals.heb: encrypts reals" "$HEBATCH" refresh reals.heb no.heb --keys reals
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,51 --plain-bits 21 --insecure --out leveled
expect 0 "$HEBATCH" encrypt x.csv leveled.heb --key leveled/public.h5 --range a=0..9,b=-20..20
refuse 65 "leveled.heb: its parameters, custom, have no levels for bootstrapping" \
    "$HEBATCH" refresh leveled.heb no.heb --keys leveled
# Schemes and chains do not mix.
refuse 65 "." "$HEBATCH" eval --keys keys 'y = a.a + b.a' a=x.heb b=reals.heb y=no.heb
refuse 65 "." "$HEBATCH" eval --keys keys 'y = a.a + b.a' a=x.heb b=leveled.heb y=no.heb
# Several plain moduli: each residue is refreshed, with one set of keys.
expect 0 "$HEBATCH" keygen --params int-test --insecure --wide 46 --plain-bits 24 --out wide --relin --bootstrap
expect 0 "$HEBATCH" encrypt x.csv w.heb --key wide/public.h5 --range a=0..9,b=-20..20
expect 0 "$HEBATCH" eval --keys wide --compact off --noise expected --bootstrap never 'u = a.a * a.b; u = u * u; y = u * u * u' \
    a=w.heb y=wy.heb
expect 0 "$HEBATCH" refresh wy.heb wz.heb --keys wide --passes 2
expect 0 "$HEBATCH" decrypt --key wide/secret.h5 wz.heb wz.csv
"$PYTHON" - <<'PYTHON' || fail "wide integers"
rows = [tuple(map(int, line.split(","))) for line in open("x.csv").readlines()[1:]]
assert [int(line) for line in open("wz.csv").readlines()[1:]] == [(a * b) ** 6 for a, b in rows]
PYTHON
# Damage is found where it is, and nothing is left.
cp -R y.heb damaged.heb
flip damaged.heb/part-00000.h5 -20000
expect 65 "$HEBATCH" refresh damaged.heb no.heb --keys keys --quiet
complains "damaged.heb/part-00000.h5: .*do not match their checksum"
absent no.heb no.heb.partial
