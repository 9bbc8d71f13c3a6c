#!/bin/sh
# eval --resume: kill -9 at several points, another number of ranks, units that are lost or damaged, and what it refuses to
# continue. The bytes are those of an uninterrupted job.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"

# A job of 40 steps: N = 8192 with 5 primes, as small as the products allow.
expect 0 "$HEBATCH" keygen --n 8192 --bits 50,50,50,50,51 --plain 65537 --insecure --out keys --for "y = a * b"
table 327000 1 100 >a.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 a.csv a.heb
text="y = a^3 + (a + 1)^3"
expect 0 "$HEBATCH" eval --keys keys "$text" a=a.heb y=whole.heb
steps=$("$PYTHON" -c 'import json; print(json.load(open("whole.heb.report.json"))["steps_done"])')
[ "$steps" = 40 ] || fail "$steps steps, not 40"

# todo STEPS RANKS: continues, with so many steps left to do, and compares.
todo() {
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$2" "$HEBATCH" eval --quiet --keys keys "$text" a=a.heb y=out.heb --resume
    left=$("$PYTHON" -c 'import json; print(json.load(open("out.heb.report.json"))["steps_done"])')
    [ "$left" -le "$1" ] || fail "$left steps were done again, not at most $1"
    expect 0 "$HEBATCH" verify out.heb --same-as whole.heb
    absent out.heb.partial out.heb/job.json
}

# interrupt UNITS RANKS: kills one rank when each has stored UNITS more.
interrupt() {
    strike KILL "$1" 137 out.heb "$2" 1 eval --keys keys "$text" a=a.heb y=out.heb --resume
}

interrupt 0 2
interrupt 2 3
interrupt 3 2
todo 28 3

# Units that are gone or damaged are made again, and no others.
rm -rf out.heb
interrupt 10 2
cp -R out.heb.partial kept.partial
first=$("$PYTHON" "$shards" count out.heb.partial)
"$PYTHON" "$shards" damage out.heb.partial 0
todo $((40 - first + 1)) 1
rm -rf out.heb
mv kept.partial out.heb.partial

# Another expression, another input: refused, and nothing is lost.
refused() { # WORDS EXPRESSION INPUT [OPTIONS]
    words=$1 expression=$2 input=$3
    shift 3
    refuse 65 "cannot be continued: $words" "$HEBATCH" eval --keys keys "$expression" a="$input" y=out.heb --resume "$@"
    "$PYTHON" "$shards" same out.heb.partial finished 20 >number || fail "a refusal changed something"
}
refused "the expression" "y = a^3" a.heb
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 a.csv again.heb
refused "an input, a key" "$text" again.heb
refused "an input, .* --range" "$text" a.heb --range a=0..1
expect 73 "$HEBATCH" eval --keys keys "$text" a=a.heb y=out.heb --quiet
grep -q "^hebatch eval: .*--resume continues it" err || fail "a job that is left is not named"
todo 20 2

# Two results at once, and a plain table: what is half done is continued with the same names, keys and numbers only.
h5table w.h5 a "np.arange(327000) % 50"
h5table w.h5 b "np.arange(327000) % 51"
two="y = a^3 + (a + 1)^3; z = y * w - 2*w"
both() {
    "$HEBATCH" eval --quiet --keys keys "$two" a=a.heb w="$1" y="$2" z="$3" --resume
}
strike KILL 3 137 z.heb 1 1 eval --keys keys "$two" a=a.heb w=w.h5:/a y=y.heb z=z.heb --resume
absent y.heb
"$PYTHON" "$shards" save y.heb.partial finished
other() {
    refuse 65 "cannot be continued: $1 has changed" both "$2" "$3" "$4"
    "$PYTHON" "$shards" same y.heb.partial finished 3 >number || fail "a refusal changed something"
}
facts="an input, a key, a model, --range, --precision, --gap, --noise, --bootstrap, --sanitize, an option about missing \
cells or the list of outputs"
other "the output's name in the expression" w.h5:/a z.heb y.heb
other "$facts" w.h5:/b y.heb z.heb
cp w.h5 v.h5
"$PYTHON" -c 'import h5py; h5py.File("v.h5", "r+")["a"][326999] = 3'
touch -r w.h5 v.h5
other "$facts" v.h5:/a y.heb z.heb
mv keys/relin.h5 relin.h5
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --relin
other "$facts" w.h5:/a y.heb z.heb
mv relin.h5 keys/relin.h5
mkdir copied
cp w.h5 copied/v.h5 # the same numbers, elsewhere
expect 0 both copied/v.h5:/a y.heb z.heb
expect 0 "$HEBATCH" eval --quiet --keys keys "$two" a=a.heb w=w.h5:/a y=y1.heb z=z1.heb
expect 0 "$HEBATCH" verify y.heb --same-as y1.heb
expect 0 "$HEBATCH" verify z.heb --same-as z1.heb

# A model: another one does not go on with what is there, also with the same statements; the same one from another file
# does.
expect 0 "$HEBATCH" keygen --n 2048 --levels 3 --scale-bits 40 --special-primes 1 --insecure --out reals --relin
"$PYTHON" -c 'for row in ["a,b"] + ["%d.5,-1" % (i % 3) for i in range(40 * 1024)]: print(row)' >x.csv
expect 0 "$HEBATCH" encrypt --key reals/secret.h5 x.csv x.heb
printf '{"kind": "linear", "weights": [1, 2], "activation": "square"}' >net.json
printf '{"kind": "linear", "weights": [1, 2.5], "activation": "square"}' >other.json
"$PYTHON" - <<'PYTHON'
import h5py
with h5py.File("net.h5", "w") as f:
    f["layer0/weights"], f["layer0"].attrs["activation"] = [[1.0, 2.0]], "square"
PYTHON
expect 0 "$HEBATCH" eval --quiet --keys reals --model net.json x=x.heb y=model.heb
strike KILL 3 137 left.heb 1 1 eval --keys reals --model net.json x=x.heb y=left.heb --resume
refuse 65 "cannot be continued: an input, a key, a model.* has changed" \
    "$HEBATCH" eval --quiet --keys reals --model other.json x=x.heb y=left.heb --resume
"$PYTHON" "$shards" same left.heb.partial finished 3 >number || fail "a refusal changed something"
expect 0 "$HEBATCH" eval --quiet --keys reals --model net.h5 x=x.heb y=left.heb --resume
expect 0 "$HEBATCH" verify left.heb --same-as model.heb
