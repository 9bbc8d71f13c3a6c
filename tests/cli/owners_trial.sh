#!/bin/sh
# A trial of joint keys by all owners: it passes, of 3 of 3 and 2 of 3 owners; every step killed anywhere and made again;
# files that are wrong are refused, keys that are not compared, and ledgers without room for all results. Given by ctest
# besides: KILL_AT_LIBRARY (kill_at.c).
here=$(cd "${0%/*}" && pwd)
# shellcheck source=tests/cli/harness.sh
. "$here/harness.sh"
# shellcheck source=tests/cli/owners_steps.sh
. "$here/owners_steps.sh"

mkdir cards
n=0
for name in alice bob carol; do
    party $name $((n += 1))
    cp $name/card.h5 cards
    mv cards/card.h5 cards/$name.h5
done

# make_keys OPTIONS...: a new session and its keys, which all owners compare.
make_keys() {
    rm -rf joint keys
    expect 0 "$HEBATCH" keygen --session joint --cards 'cards/*.h5' --n 1024 --plain-bits 17 --insecure "$@" --quiet
    for name in alice bob carol alice bob carol alice bob carol; do
        join $name
    done
    expect 0 "$HEBATCH" keygen --combine joint --out keys --quiet
    for name in alice bob carol; do
        expect 0 "$HEBATCH" keygen --join joint --key $name/party.h5 --check keys --quiet
    done
}
try() { # NAME
    expect 0 "$HEBATCH" keygen --join joint --key "$1/party.h5" --trial keys --quiet
}
# steps ROUNDS [OPTIONS...]: so many steps of every owner, some of whom may have to wait.
steps() {
    rounds=$1
    shift
    for i in $(seq "$rounds"); do
        for name in alice bob carol; do
            code=0
            "$HEBATCH" keygen --join joint --key $name/party.h5 "$@" >out 2>err || code=$?
            [ $code = 0 ] || [ $code = 66 ] || fail "exit code $code of $name in round $i"
        done
    done
}
BITS=50,50,50,50,50,51
try_alice="$HEBATCH keygen --join joint --key alice/party.h5 --trial keys"

refuse 64 '--trial does not go with --combine' "$HEBATCH" keygen --combine joint --out keys --trial keys
refuse 64 '--check and --trial: one after the other' "$HEBATCH" keygen --join joint --key k --check keys --trial keys

# Three of three owners. Every step of alice is killed at every place.
make_keys --bits $BITS --relin --rotations 1,2 --results 100
reject 66 'none/public.h5' "$HEBATCH" keygen --join joint --key alice/party.h5 --trial none
snap before1
try alice
says 'made  *trial-0-input-commit-alice.h5'
says 'waiting  *for trial-0-input-commit-bob.h5, trial-0-input-commit-carol.h5'
expect 0 "$HEBATCH" info alice/joint-*-*.h5
says 'kind  *steps of the owner alice at a trial of joint keys'
says 'last step  *input-commit'
snap after1
reject 66 'joint: waiting for trial-0-input-commit-bob.h5' $try_alice
try bob
try carol
says 'made  *trial-0-input-commit-carol.h5, trial-0-input-carol.h5'
snap before2
try alice
says 'made  *trial-0-input-alice.h5'
snap after2
try bob
says 'made  *trial-0-input-bob.h5, trial-0-opened-bob.h5'
says 'waiting  *for trial-0-opened-alice.h5, trial-0-opened-carol.h5'
try carol
expect 0 "$HEBATCH" info carol/joint-*-*.h5
says 'last step  *opened'
[ "$(stat -c %s carol/joint-*.parts)" = 64 ] || fail "parts were recorded before all seeds are there"
snap before3
try alice
says 'made  *trial-0-opened-alice.h5, trial-0-part-commit-alice.h5'
snap after3
try bob
says 'made  *trial-0-part-commit-bob.h5'
try carol
says 'made  *trial-0-part-commit-carol.h5, trial-0-part-carol.h5'
snap before4
try alice
says 'made  *trial-0-part-alice.h5'
expect 0 "$HEBATCH" info alice/joint-*-*.h5 --json
says '"purpose": "trial"'
says '"step": "part"'
snap after4
kill_steps 4 $try_alice
back after4
try bob
try carol
says '^trial passed 1 sum, product, 2 rotations; noise at most 2^[0-9]* of 2^[0-9]* proven'
snap done
for name in alice bob; do
    expect 0 "$HEBATCH" keygen --join joint --key $name/party.h5 --trial keys --json --quiet
    says '"passed": true'
    says '"rotations": 2'
done
expect 0 "$HEBATCH" info joint/trial-0-part-bob.h5
says "kind  *'part' of bob, as it says; keygen --join --trial checks it"
# The trial takes its results of those that the keys were made for, and is made once.
[ "$(stat -c %s alice/joint-*.parts)" = $((64 + 4 * 64)) ] || fail "the ledger has other than 4 records"

# Files that are wrong.
cp joint/trial-0-input-bob.h5 joint/trial-0-input-carol.h5
reject 65 'trial-0-input-carol.h5: is of bob, not carol' $try_alice
back done
truncate -s -1 joint/trial-0-part-bob.h5
reject 65 'trial-0-part-bob.h5' $try_alice
back done
flip joint/trial-0-input-commit-bob.h5 -8
reject 65 'trial-0-input-commit-bob.h5' $try_alice
back done
cp joint/trial-0-opened-bob.h5 joint/trial-0-opened-carol.h5
reject 65 'trial-0-opened-carol.h5: is of bob, not carol' $try_alice
back done
rm alice/joint-*-*.h5
reject 65 'what was opened is not known; this trial is over' $try_alice
back done
cp keys/galois-3.h5 kept
cp keys/galois-9.h5 keys/galois-3.h5
reject 65 'galois-3.h5' $try_alice
mv kept keys/galois-3.h5
rm joint/trial-0-part-*.h5 alice/joint-*.parts
reject 65 'is gone: which parts were made is not known' $try_alice

# Keys of a later round are tried in a trial of their own.
back done
expect 0 "$HEBATCH" keygen --session joint --more --rotations 3
complains 'trial  *would take 5 of the 100 ciphertexts$'
steps 2
expect 0 "$HEBATCH" keygen --combine joint --out keys --quiet
steps 4 --trial keys
says '^trial passed 1 sum, product, 3 rotations'

# Two of three owners: every share is tried.
make_keys --bits $BITS --relin --swap --results 100 --threshold 2
steps 4 --trial keys
says '^trial passed 2 sums, product, 1 rotation;'

# Parameters that have no room for parts of a product: it is left out, and said.
make_keys --bits 36,36,36,37 --relin --rotations 1 --results 100
steps 4 --trial keys
says '^trial passed 1 sum, 1 rotation;'
complains 'has no room to try the product on 3 primes'

# More results than are left: nobody commits to anything, and the session said so.
rm -rf joint keys alice/joint-*
expect 0 "$HEBATCH" keygen --session joint --cards 'cards/*.h5' --n 1024 --plain-bits 17 --insecure --bits $BITS \
    --relin --rotations 1,2 --results 3 --dry-run --json
says '"trial_results": 4'
expect 0 "$HEBATCH" keygen --session joint --cards 'cards/*.h5' --n 1024 --plain-bits 17 --insecure --bits $BITS \
    --relin --rotations 1,2 --results 3 --dry-run
says 'trial  *would take 4 of the 3 ciphertexts: too many'
make_keys --bits $BITS --relin --rotations 1,2 --results 3
reject 65 'takes 4 results of you, and 3 of 3 are left: use the keys without a trial, or begin a session with more' \
    $try_alice
for file in joint/trial-* alice/joint-*-*.h5; do
    [ ! -e "$file" ] || fail "$file was made"
done
