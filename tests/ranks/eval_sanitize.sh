#!/bin/sh
# eval --sanitize: the same tables as without, rows and totals, alike on any number of ranks that go on from one root;
# bounds, limits, and what is refused.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
chain="--n 1024 --bits 50,50,50,51 --plain-bits 21 --insecure"

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $chain --out keys --relin --rotations sum --swap --quiet
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $chain --out others --quiet
"$PYTHON" - <<'PYTHON'
import random
random.seed(4)
with open("in.csv", "w") as f:
    f.write("a,b\n")
    f.writelines(f"{random.randint(0, 99)},{random.randint(0, 9)}\n" for _ in range(6500))
PYTHON
expect 0 "$HEBATCH" encrypt in.csv in.heb --key keys/public.h5 --range a=0..99,b=0..9 --quiet
expect 0 "$HEBATCH" encrypt in.csv seeded.heb --key keys/secret.h5 --range a=0..99,b=0..9 --quiet
text='x = a.a * a.b; y = a; s = sum(a); u = x + a.b'
outputs="x=x.heb y=y.heb s=s.heb u=u.heb"

# decrypted FOLDER: x, y, s and u there, as tables beside one another.
decrypted() {
    for output in x y s u; do
        expect 0 "$HEBATCH" decrypt --key keys/secret.h5 "$1/$output.heb" "$1/$output.csv" --quiet --force
    done
}

mkdir plain
# shellcheck disable=SC2086
(cd plain && "$HEBATCH" eval --keys ../keys "$text" a=../in.heb $outputs --quiet >out 2>err) || fail "is not computed"
decrypted plain
for input in in seeded; do
    mkdir of-$input
    # shellcheck disable=SC2086
    (cd of-$input && "$HEBATCH" eval --keys ../keys "$text" a=../$input.heb $outputs --sanitize 40 >out 2>err) || fail "is not sanitized"
    decrypted of-$input
    for output in x y s u; do
        same of-$input/$output.csv plain/$output.csv
        expect 0 "$HEBATCH" info of-$input/$output.heb
        says "^sanitized *within 2^-4[0-9.]* of any other computation"
        says "^noise budget 2 bits proven, 2 expected, at 1 of 3 limbs"
        grep -q "$output  *sanitized: within 2^-4" of-$input/err || fail "the plan does not say that $output is sanitized"
        expect 0 "$HEBATCH" verify of-$input/$output.heb --quiet
    done
    absent of-$input/x.heb.partial.key
done
[ "$(field of-in/x.heb.report.json '[o["sanitized"] > 40 for o in r["outputs"]]')" = "[True, True, True, True]" ] ||
    fail "the report does not say that results are sanitized"
# Each run draws anew.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" eval --keys keys "$text" a=in.heb $outputs --sanitize 40 --quiet
expect 1 "$HEBATCH" verify x.heb --same-as of-in/x.heb --quiet
rm -rf [xysu].heb

# A job that is stopped keeps its root; from there any number of ranks, or of those who share limbs, makes the same.
# shellcheck disable=SC2086
expect 75 "$HEBATCH" eval --keys keys "$text" a=in.heb $outputs --sanitize 40 --max-time 0.001s --quiet
[ "$(stat -c %a x.heb.partial.key)" = 600 ] || fail "the root can be read by others"
mkdir stopped
mv [xysu].heb.partial x.heb.partial.key stopped
for run in "1 1" "2 1" "3 1" "2 2" "3 3"; do
    cp -R stopped/* .
    # shellcheck disable=SC2086
    launch 0 $run eval --keys keys "$text" a=in.heb $outputs --sanitize 40 --resume
    absent x.heb.partial.key x.heb.partial
    folder=$(echo "$run" | tr ' ' -)
    mkdir "$folder"
    mv [xysu].heb "$folder"
    for output in x y s u; do
        expect 0 "$HEBATCH" verify "$folder/$output.heb" --same-as 1-1/$output.heb
    done
done
decrypted 3-3
for output in x y s u; do
    same 3-3/$output.csv plain/$output.csv
done
# Killed with some units there, on other ranks.
strike KILL 1 137 x.heb 2 1 eval --keys keys 'x = a.a * a.b' a=in.heb x=x.heb --sanitize 40
mkdir killed
cp -R x.heb.partial x.heb.partial.key killed
launch 0 1 1 eval --keys keys 'x = a.a * a.b' a=in.heb x=x.heb --sanitize 40 --resume
"$PYTHON" "$shards" same x.heb finished 2 || fail "units that were finished have changed"
mv x.heb one.heb
cp -R killed/* .
refuse 65 "has changed" "$HEBATCH" eval --keys keys 'x = a.a * a.b' a=in.heb x=x.heb --sanitize 30 --resume
refuse 65 "has changed" "$HEBATCH" eval --keys keys 'x = a.a * a.b' a=in.heb x=x.heb --resume
launch 0 3 1 eval --keys keys 'x = a.a * a.b' a=in.heb x=x.heb --sanitize 40 --resume
expect 0 "$HEBATCH" verify x.heb --same-as one.heb
rm -rf x.heb
cp -R killed/* .
rm x.heb.partial.key
refuse 65 "x.heb.partial.key: is gone" "$HEBATCH" eval --keys keys 'x = a.a * a.b' a=in.heb x=x.heb --sanitize 40 --resume
# A root that lies there is none of a job that begins.
cp killed/x.heb.partial.key .
rm -rf x.heb.partial
expect 0 "$HEBATCH" eval --keys keys 'x = a.a * a.b' a=in.heb x=x.heb --sanitize 40 --resume --quiet
expect 1 "$HEBATCH" verify x.heb --same-as one.heb --quiet
absent x.heb.partial.key

# Refused before anything is computed.
refuse 65 "y: sanitizing needs [5-9][0-9] bits of budget, [0-9]* are left" \
    "$HEBATCH" eval --keys keys 'y = (a.a * a.b) * a.b' a=in.heb y=no.heb --sanitize 40
expect 0 "$HEBATCH" eval --keys keys 'y = (a.a * a.b) * a.b' a=in.heb y=deep.heb --quiet
for bits in 19 61; do
    refuse 64 "sanitize $bits: 20 to 60 bits" "$HEBATCH" eval 'y = a + a' a=in.heb y=no.heb --keys keys --sanitize $bits
done
refuse 64 "y: sanitizing .* needs noise of more than 62 bits" "$HEBATCH" eval 'y = a' a=in.heb y=no.heb --keys keys --sanitize 60
refuse 64 "compact: --sanitize stores results in the fewest limbs itself" \
    "$HEBATCH" eval 'y = a + a' a=in.heb y=no.heb --keys keys --sanitize 40 --compact off
refuse 64 "noise: sanitizing goes by noise that is proven" \
    "$HEBATCH" eval 'y = a + a' a=in.heb y=no.heb --keys keys --sanitize 40 --noise expected
refuse 64 "keys DIR is missing: --sanitize takes its public key" "$HEBATCH" eval 'y = a + a' a=in.heb y=no.heb --sanitize 40
refuse 65 "is another key than that of the inputs" "$HEBATCH" eval 'y = a + a' a=in.heb y=no.heb --sanitize 40 --keys others
expect 0 "$HEBATCH" keygen --params ckks-13 --out reals --quiet
expect 0 "$HEBATCH" encrypt in.csv reals.heb --key reals/public.h5 --range a=0..99,b=0..9 --quiet
refuse 65 "y: sanitizing hides how integers were computed" \
    "$HEBATCH" eval 'y = a + a' a=reals.heb y=no.heb --keys reals --sanitize 40
absent no.heb no.heb.partial no.heb.partial.key

# Several plain moduli.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,51 --wide 30 --plain-bits 16 --insecure --out wide --relin --quiet
expect 0 "$HEBATCH" encrypt in.csv wide.heb --key wide/public.h5 --range a=0..99,b=0..9 --quiet
expect 0 "$HEBATCH" eval --keys wide 'y = a.a + a.b' a=wide.heb y=wide-y.heb --sanitize 40 --quiet
expect 0 "$HEBATCH" eval --keys wide 'y = a.a + a.b' a=wide.heb y=wide-n.heb --quiet
for output in wide-y wide-n; do
    expect 0 "$HEBATCH" decrypt --key wide/secret.h5 $output.heb $output.csv --quiet
done
same wide-y.csv wide-n.csv
absent wide-y.heb.partial.key
