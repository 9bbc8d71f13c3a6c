#!/bin/sh
# hebatch refresh on ranks: the bytes of one rank on any number of them, with several queues, and where they share limbs;
# kill -9 and --resume, with other ranks; keys that
# ranks made.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

expect 0 "$HEBATCH" keygen --params int-test --insecure --out keys --relin --bootstrap --insecure-test-seed $seed
launch_keys() {
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$1" "$HEBATCH" keygen --params int-test --insecure --out keys-"$1" --relin --bootstrap \
        --insecure-test-seed $seed --quiet
    diff -r keys keys-"$1" >/dev/null || fail "keys that $1 ranks made are others"
}
launch_keys 2
launch_keys 3
"$PYTHON" -c 'import random
random.seed(4)
print("a")
for row in range(12200):
    print(random.randint(0, 9))' >x.csv
expect 0 "$HEBATCH" encrypt x.csv x.heb --key keys/public.h5 --range a=0..9
expect 0 "$HEBATCH" eval --keys keys --compact 60 --wrap --noise expected --bootstrap never 'u = a * a; y = u * u' a=x.heb y=y.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv

# Three passes, from a lower level.
refreshed="refresh y.heb many.heb --keys keys --passes 3"
expect 0 "$HEBATCH" refresh y.heb one.heb --keys keys --passes 3
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 one.heb one.csv
same one.csv y.csv
for layout in "2 1" "3 1" "2 2" "3 3"; do
    rm -rf many.heb
    # shellcheck disable=SC2086
    launch 0 $layout $refreshed
    expect 0 "$HEBATCH" verify many.heb --same-as one.heb
    absent many.heb.partial
done
for options in "--queues 2" "--queues 3"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" refresh y.heb many.heb --keys keys --passes 3 --force $options
    expect 0 "$HEBATCH" verify many.heb --same-as one.heb
done

# Units that were stored before a kill stay, on other ranks as well; what is continued with is what was begun with.
strike KILL 2 137 killed.heb 2 1 refresh y.heb killed.heb --keys keys --passes 3 --resume
refuse 73 "resume continues it" "$HEBATCH" refresh y.heb killed.heb --keys keys --passes 3
refuse 65 "has changed" "$HEBATCH" refresh y.heb killed.heb --keys keys --passes 2 --resume
refuse 65 "has changed" "$HEBATCH" refresh one.heb killed.heb --keys keys --passes 3 --resume
cp -R killed.heb.partial kept.partial
for layout in "1 1" "3 1" "2 2"; do
    rm -rf killed.heb killed.heb.partial
    cp -R kept.partial killed.heb.partial
    # shellcheck disable=SC2086
    launch 0 $layout refresh y.heb killed.heb --keys keys --passes 3 --resume
    "$PYTHON" "$shards" same killed.heb finished 2 || fail "units that were finished have changed"
    expect 0 "$HEBATCH" verify killed.heb --same-as one.heb
    absent killed.heb.partial killed.heb/job.json
done
