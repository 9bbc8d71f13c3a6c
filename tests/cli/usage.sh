#!/bin/sh
# Help, versions, misspelled words, missing and malformed arguments, results that cannot be written.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

expect 0 "$HEBATCH" --help
says "Usage: hebatch COMMAND"
expect 0 "$HEBATCH" --version
says "^hebatch [0-9]"
says "^HDF5 "
for command in ask params keygen encrypt eval decrypt info verify selftest doctor bench export import status concat add rekey refresh sanitize serve passphrase; do
    expect 0 "$HEBATCH" "$command" --help
    says "Usage: hebatch $command"
    [ "$(wc -l <out)" -le 76 ] || fail "the help of $command is longer than a screen"
    [ ! -s err ] || fail "the help of $command writes to stderr"
done

expect 0 "$HEBATCH" eval --help
mv out wanted
expect 0 "$HEBATCH" help eval
same wanted out
[ ! -s err ] || fail "help writes to stderr"
expect 0 "$HEBATCH" help
says "Usage: hebatch COMMAND"
refuse 64 "no help on 'evil'; did you mean 'eval'" "$HEBATCH" help evil
# Words of options and functions lead to a page.
for word in derive fold bin range category where repeat; do
    expect 0 "$HEBATCH" help "$word"
    says "hebatch \(help [a-z]*\|ask --help\)"
done
expect 0 "$HEBATCH" help histogram
says 'histogram(x, 0..9, 10..19, ...)'
for example in "--derive 'ages=bin(age" '--fold ward' 'Height (cm)'; do
    "$HEBATCH" ask --help | grep -qF -- "$example" || fail "ask --help has no example of $example"
done
refuse 64 "unexpected argument 'sum' after help eval" "$HEBATCH" help eval sum
# The reference of the language: each page as it stands. The list of functions is made from their rows, and the file is a
# copy: hebatch help functions >src/lang/pages/functions.md makes it anew.
pages=${0%/*}/../../src/lang/pages
case $pages in /*) ;; *) pages=$OLDPWD/$pages ;; esac
for page in "$pages"/*.md; do
    name=${page##*/}
    name=${name%.md}
    [ "$name" != README ] || name=language
    expect 0 "$HEBATCH" help "$name"
    same "$page" out
    "$HEBATCH" --help | grep -qw "$name" || fail "hebatch --help does not name the page $name"
done
expect 0 "$HEBATCH" help functions
sed -n 3p out | grep -q '^All functions by name: ' || fail "help functions does not begin with its subject"
says '\* `square(x)`: x²'
says '\* `sign(x)`, `sign(x, low, high)`: on reals: '

expect 0 "$HEBATCH" help codes
for code in 0 1 64 65 66 69 70 71 73 74 75 76 77 78; do
    grep -q "^$code  *[a-z]" out || fail "help codes does not explain $code"
done
refuse 64 "did you mean 'codes'" "$HEBATCH" help code

expect 64 "$HEBATCH"
refuse 64 "did you mean 'keygen'" "$HEBATCH" keygne
refuse 64 "did you mean 'help'" "$HEBATCH" helpp
refuse 64 "did you mean '--params'" "$HEBATCH" keygen --parms bfv-4096
refuse 64 "unknown option '-Z'" "$HEBATCH" params -Z
expect 64 "$HEBATCH" keygen --out
grep -q "needs an argument: --out DIR" err || fail "a missing argument is not named"
refuse 64 "takes no argument" "$HEBATCH" params --json=yes
refuse 64 "unexpected argument" "$HEBATCH" selftest extra
refuse 64 "did you mean --params bfv-8192" "$HEBATCH" keygen bfv-8192 --out keys
refuse 64 "unexpected argument 'bfv'" "$HEBATCH" keygen bfv --out keys
refuse 64 "not a number" "$HEBATCH" params check --n 1024x --bits 27
refuse 64 "below 2^64" "$HEBATCH" params check --n 18446744073709551616 --bits 27
refuse 64 "not a duration" "$HEBATCH" params --progress -1
refuse 64 "usage: hebatch info" "$HEBATCH" info
refuse 64 "HEBATCH_PROGRESS" env HEBATCH_PROGRESS=soon "$HEBATCH" params

# A value from the environment stands in for an option, the command line wins.
expect 0 env HEBATCH_PARAMS=bfv-4096 HEBATCH_JSON=1 "$HEBATCH" params show
says '"name": "bfv-4096"'
expect 0 env HEBATCH_PARAMS=bfv-4096 "$HEBATCH" params show --params bfv-8192
says "bfv-8192"

for command in params selftest doctor; do
    expect 0 "$HEBATCH" "$command" --json
    "$PYTHON" -m json.tool out >/dev/null || fail "$command --json is no JSON"
    says '"report_version": 1'
done
expect 0 "$HEBATCH" decrypt --help
says "report.json"
expect 0 "$HEBATCH" eval --help
says "hebatch eval --keys keys 'y = "
says "hebatch help language"
latin=$(printf 'caf\351')
expect 0 env HDF5_USE_FILE_LOCKING="$latin" "$HEBATCH" doctor --json
"$PYTHON" -m json.tool out >/dev/null || fail "doctor --json is no JSON with an environment that is no UTF-8"
(
    ulimit -S -c "$(ulimit -H -c)"
    expect 0 "$HEBATCH" doctor
    says "core dumps  *off"
) || exit 1
expect 0 "$HEBATCH" bench --seconds 0 --params bfv-4096 --json encode
"$PYTHON" -m json.tool out >/dev/null || fail "bench --json is no JSON"
refuse 64 "did you mean encrypt" "$HEBATCH" bench encyrpt

# Results that do not reach stdout are a failure.
code=0
"$HEBATCH" params >/dev/full 2>err || code=$?
[ "$code" = 74 ] || fail "a full disk under stdout gave $code"
grep -q "standard output" err || fail "a full disk under stdout gave no reason"
code=0
"$HEBATCH" params >&- 2>err || code=$?
[ "$code" = 74 ] || fail "no stdout gave $code"
grep -q "standard output" err || fail "no stdout gave no reason"
refuse 64 "--rows: 18446744073709551615 is too large" \
    "$HEBATCH" import x.seal x.heb --key keys --rows 18446744073709551615

# No wrong name is taken for the option that makes randomness repeatable, however near it is.
for command in "keygen --params bfv-4096 --out none" "encrypt --key none.h5 none.csv"; do
    # shellcheck disable=SC2086
    refuse 64 "unknown option '--insecure-test-sed'; --help lists them" "$HEBATCH" $command --insecure-test-sed 00
done
