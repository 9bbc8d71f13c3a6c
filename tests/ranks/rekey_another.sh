#!/bin/sh
# hebatch rekey to the key of another person on ranks: by one root the bytes of one rank on any number of them, also where
# they share limbs; kill -9 and --resume; what is continued with is what was begun with.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
"$PYTHON" -c 'import random
random.seed(4)
print("age,change")
for row in range(20000):
    print("%d,%d" % (random.randint(0, 120), random.randint(-50, 50)))' >in.csv
for name in old new; do
    expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,51 --plain 65537 --insecure --out $name --quiet
done
expect 0 "$HEBATCH" keygen --key old/secret.h5 --rotations sum --swap --quiet
expect 0 "$HEBATCH" keygen --rekey old/secret.h5 --to new/public.h5 --out moves --quiet
expect 0 "$HEBATCH" keygen --rekey old/secret.h5 --to new/public.h5 --out again --quiet
for key in public secret; do
    expect 0 "$HEBATCH" encrypt --key old/$key.h5 in.csv $key.heb --range age=0..120,change=-50..50 --quiet
done
expect 0 "$HEBATCH" eval --keys old 't = sum(x.change)' x=public.heb t=t.heb --wrap --compact off --quiet
expect 0 "$HEBATCH" decrypt --key old/secret.h5 t.heb t-old.csv --quiet

# Fresh ones, of seeds too, and packed totals, of which some coefficients are stored, in reverse.
for data in public secret t; do
    expect 0 "$HEBATCH" rekey $data.heb $data-1.heb --keys moves --key new/public.h5 --insecure-test-seed $seed --quiet
    for layout in "2 1" "3 1" "2 2" "3 3"; do
        rm -rf many.heb
        # shellcheck disable=SC2086
        launch 0 $layout rekey $data.heb many.heb --keys moves --key new/public.h5 --insecure-test-seed $seed --queues 2
        expect 0 "$HEBATCH" verify many.heb --same-as $data-1.heb
        absent many.heb.partial many.heb.partial.key
    done
done
for name in public secret; do
    expect 0 "$HEBATCH" verify $name-1.heb --key new/secret.h5 --against in.csv --quiet
done
expect 0 "$HEBATCH" decrypt --key new/secret.h5 t-1.heb t.csv --quiet
same t.csv t-old.csv

# A job that was killed goes on with the root that it drew, on any number of ranks; then the root is gone.
moved="--keys moves --key new/public.h5"
# shellcheck disable=SC2086
strike KILL 2 137 killed.heb 2 1 rekey secret.heb killed.heb $moved --resume
[ "$(stat -c %a killed.heb.partial.key)" = 600 ] || fail "the root can be read by others"
changed="the dataset that comes under another key, the rekeying key, or --bits has changed"
# shellcheck disable=SC2086
{
    refuse 73 "resume continues it" "$HEBATCH" rekey secret.heb killed.heb $moved
    refuse 65 "$changed" "$HEBATCH" rekey secret.heb killed.heb $moved --resume --bits 30
    refuse 65 "$changed" "$HEBATCH" rekey public.heb killed.heb $moved --resume
}
refuse 65 "$changed" "$HEBATCH" rekey secret.heb killed.heb --keys again --key new/public.h5 --resume
cp -R killed.heb.partial kept.partial
cp killed.heb.partial.key kept.key
for layout in "1 1" "3 1" "3 3"; do
    rm -rf killed.heb killed.heb.partial
    cp -R kept.partial killed.heb.partial
    cp kept.key killed.heb.partial.key
    # shellcheck disable=SC2086
    launch 0 $layout rekey secret.heb killed.heb $moved --resume
    "$PYTHON" "$shards" same killed.heb finished 4 || fail "units that were finished have changed"
    absent killed.heb.partial killed.heb.partial.key
    [ -e killed1.heb ] || cp -R killed.heb killed1.heb
    expect 0 "$HEBATCH" verify killed.heb --same-as killed1.heb
done
expect 0 "$HEBATCH" verify killed.heb --key new/secret.h5 --against in.csv --quiet
rm -rf killed.heb
cp -R kept.partial killed.heb.partial
# shellcheck disable=SC2086
refuse 65 "killed.heb.partial.key: is gone, so killed.heb.partial cannot be continued" \
    "$HEBATCH" rekey secret.heb killed.heb $moved --resume
# shellcheck disable=SC2086
expect 0 "$HEBATCH" rekey secret.heb killed.heb $moved --force --quiet
absent killed.heb.partial killed.heb.partial.key
# Other draws each time.
expect 1 "$HEBATCH" verify killed.heb --same-as killed1.heb --quiet
# A root that lies there is none of a job that begins.
cp kept.key late.heb.partial.key
# shellcheck disable=SC2086
expect 0 "$HEBATCH" rekey secret.heb late.heb $moved --resume --quiet
expect 1 "$HEBATCH" verify late.heb --same-as killed1.heb --quiet
absent late.heb.partial.key

# Ranks that see other keys end together.
mkdir a b
for folder in a b; do
    cp -r secret.heb moves $folder
done
cp new/public.h5 a/theirs.h5
cp old/public.h5 b/theirs.h5
differ 65 "theirs.h5 is key" a "" b "" rekey secret.heb out.heb --keys moves --key theirs.h5
