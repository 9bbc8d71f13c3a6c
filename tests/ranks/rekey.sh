#!/bin/sh
# hebatch rekey on ranks: the bytes of one rank on any number of them, also where they share limbs; kill -9 and --resume;
# what is continued with is what was begun with.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"

"$PYTHON" -c 'import random
random.seed(4)
print("age,change")
for row in range(20000):
    print("%d,%d" % (random.randint(0, 120), random.randint(-50, 50)))' >in.csv
for name in old new third; do
    expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,51 --plain 65537 --insecure --out $name
done
for name in new third; do
    expect 0 "$HEBATCH" keygen --rekey old/secret.h5 --key $name/secret.h5 --out $name-moves
done
for key in public secret; do
    expect 0 "$HEBATCH" encrypt --key old/$key.h5 in.csv $key.heb --range age=0..120,change=-50..50
    expect 0 "$HEBATCH" rekey $key.heb $key-1.heb --keys new-moves
    for layout in "2 1" "3 1" "2 2" "3 3" "4 2"; do
        rm -rf many.heb
        # shellcheck disable=SC2086
        launch 0 $layout rekey $key.heb many.heb --keys new-moves --queues 2
        expect 0 "$HEBATCH" verify many.heb --same-as $key-1.heb
        absent many.heb.partial
        case $layout in
        "2 2" | "3 3") same many.heb/part-00000.h5 $key-1.heb/part-00000.h5 ;; # one group writes what one rank writes
        esac
    done
    expect 0 "$HEBATCH" verify many.heb --key new/secret.h5 --against in.csv
done

# Reals, whose digits are of several primes; and packed totals, of which some coefficients are stored, in reverse.
for pair in one two; do
    expect 0 "$HEBATCH" keygen --n 2048 --levels 3 --scale-bits 40 --insecure --out $pair
done
expect 0 "$HEBATCH" keygen --rekey one/secret.h5 --key two/secret.h5 --out moves
expect 0 "$HEBATCH" keygen --key old/secret.h5 --rotations sum --swap
expect 0 "$HEBATCH" eval --keys old 't = sum(x.change)' x=public.heb t=t.heb --wrap
expect 0 "$HEBATCH" decrypt --key old/secret.h5 t.heb t-old.csv
for data in "one/secret.h5 reals moves" "- t new-moves"; do
    # shellcheck disable=SC2086
    set -- $data
    [ "$1" = - ] || expect 0 "$HEBATCH" encrypt --key "$1" in.csv "$2.heb"
    expect 0 "$HEBATCH" rekey "$2.heb" "$2-1.heb" --keys "$3"
    for layout in "2 1" "2 2" "3 3"; do
        rm -rf many.heb
        # shellcheck disable=SC2086
        launch 0 $layout rekey "$2.heb" many.heb --keys "$3"
        expect 0 "$HEBATCH" verify many.heb --same-as "$2-1.heb"
    done
done
expect 0 "$HEBATCH" verify reals-1.heb --key two/secret.h5 --against in.csv
expect 0 "$HEBATCH" decrypt --key new/secret.h5 t-1.heb t.csv
same t.csv t-old.csv

# Units that were stored before a kill stay, on other ranks as well.
strike KILL 2 137 killed.heb 2 1 rekey secret.heb killed.heb --keys new-moves --resume
refuse 73 "resume continues it" "$HEBATCH" rekey secret.heb killed.heb --keys new-moves
refuse 65 "the dataset that comes under another key, the rekeying key, or --bits has changed" "$HEBATCH" rekey public.heb killed.heb \
    --keys new-moves --resume
refuse 65 "has changed" "$HEBATCH" rekey secret.heb killed.heb --keys third-moves --resume
launch 0 3 3 rekey secret.heb killed.heb --keys new-moves --resume
"$PYTHON" "$shards" same killed.heb finished 4 || fail "units that were finished have changed"
[ "$(field killed.heb.report.json 'r["units"]["there"]')" = 4 ] || fail "what was there is not told"
expect 0 "$HEBATCH" verify killed.heb --same-as secret-1.heb
strike TERM 2 75 stopped.heb 2 2 rekey secret.heb stopped.heb --keys new-moves
expect 0 "$HEBATCH" status stopped.heb
says "command *rekey"
expect 0 "$HEBATCH" rekey secret.heb stopped.heb --keys new-moves --resume
expect 0 "$HEBATCH" verify stopped.heb --same-as secret-1.heb
expect 75 "$HEBATCH" rekey secret.heb late.heb --keys new-moves --max-time 0.001s
complains "late.heb.partial keeps the finished part"
expect 0 "$HEBATCH" rekey secret.heb late.heb --keys new-moves --resume
expect 0 "$HEBATCH" verify late.heb --same-as secret-1.heb

# Ranks that see other keys end together.
mkdir a b
cp -r secret.heb a
cp -r secret.heb b
cp -r new-moves a/moves
cp -r third-moves b/moves
differ 65 "the rekeying key" a "" b "" rekey secret.heb out.heb --keys moves
