#!/bin/sh
# params suggest for integers of any depth: a leveled chain where one does, a chain that bootstraps where none does, and
# what each would take; the commands that it prints, at a small ring.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# suggested EXPRESSION WORD...: for 1000 rows of digits; results wrap.
suggested() {
    expression=$1
    shift
    expect 0 "$HEBATCH" params suggest "$expression" --rows 1000 --range a=0..9 --wrap "$@"
}
# Few products: nothing of bootstrapping. Many: a leveled chain, and how much more passes would take.
suggested 'y = a^4'
! grep -q "bootstrapping" out || fail "bootstrapping for two products"
suggested 'x = a; repeat 25 { x = x*x + a }; y = x' --plain-bits 20
says '^parameters    custom, N 65536, '
says '^bootstrapping under int-1[56][a-z-]* would do as well, and take [0-9.]* times as long: not proposed$'
# So many that no leveled chain holds them: presets that bootstrap, with those that cannot fail before others as cheap.
deep='x = a; repeat 200 { x = x*x + a }; y = x'
expect 0 "$HEBATCH" params suggest "$deep" --rows 100000 --range a=0..9 --wrap
says '^parameters    int-16-sure, N 65536, 31 primes of 1508 bits together$'
says '^t             786433 (20 bits)$'
says '^noise budget  [0-9]* bits left at worst with all but 2^-64 of probability, [0-9]* expected; depth 200$'
says '^bootstrapping [0-9]* passes over the ciphertexts of a row block, as no chain without it does as well; a pass cannot fail$'
says '^hebatch keygen --params int-16-sure --out KEYS --for '
says "^hebatch eval --keys KEYS .* a=a.heb x=x.heb y=y.heb --wrap$"
# Another t is an option; proven noise takes more passes, and eval is told of it.
passes=$(sed -n 's/^bootstrapping \([0-9]*\) passes.*/\1/p' out)
expect 0 "$HEBATCH" params suggest "$deep" --rows 100000 --range a=0..9 --wrap --plain-bits 30
says '^hebatch keygen --params int-16[a-z-]* --plain 1073479681 --out KEYS'
expect 0 "$HEBATCH" params suggest "$deep" --rows 100000 --range a=0..9 --wrap --noise worst
says 'eval .* --noise worst'
[ "$(sed -n 's/^bootstrapping \([0-9]*\) passes.*/\1/p' out)" -gt "$passes" ] || fail "proven noise takes no more passes"
expect 0 "$HEBATCH" params suggest "$deep" --rows 100000 --range a=0..9 --wrap --noise expected
says 'eval .* --noise expected'
! grep -q '2^-64 of probability' out || fail "likely bounds are called drawn"
refuse 65 "no parameters of 192 bits of security hold" \
    "$HEBATCH" params suggest "$deep" --rows 1000 --range a=0..9 --wrap --security 192

# eval refreshes by itself, unless it may not; twice is for reals.
expect 0 "$HEBATCH" keygen --params int-test --insecure --out keys --for 'y = a*a'
printf '%s\n' a 2 3 5 7 >a.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 a.csv a.heb --range 0..9
loop='x = a; repeat 12 { x = x*x + a }; y = x'
expect 0 "$HEBATCH" eval --keys keys "$loop" a=a.heb y=y.heb --wrap --dry-run
says '^bootstraps   bring noise down: '
says '^refresh      .* 1 pass, k [0-9]*: \|^refresh      .* [0-9]* passes, k [0-9]*, \|^refresh      1 pass, k \|^refresh      [0-9]* passes, k '
! grep -q "passs" out || fail "a plural"
refuse 65 "no noise budget is left" "$HEBATCH" eval --keys keys "$loop" a=a.heb y=y.heb --wrap --bootstrap never
refuse 64 "twice is for reals" "$HEBATCH" eval --keys keys "$loop" a=a.heb y=y.heb --wrap --bootstrap twice
expect 0 "$HEBATCH" eval --keys keys "$loop" a=a.heb y=y.heb --wrap
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
"$PYTHON" - <<'PYTHON' || fail "a loop of integers"
t = 786433
def f(a):
    x = a
    for _ in range(12):
        x = (x * x + a) % t
    return x
assert [int(v) % t for v in open("y.csv").read().split()[1:]] == [f(a) for a in (2, 3, 5, 7)]
PYTHON
