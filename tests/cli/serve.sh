#!/bin/sh
# hebatch serve: jobs that are handed over have the same words, reports, files and exit codes as jobs that are started
# alone; what fails, is stopped or killed; files that change between jobs; who is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck source=tests/cli/server.sh
. "${0%/*}/server.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
SEED=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
export XDG_CACHE_HOME="$work/cache"
: "${CLIENT:=$HEBATCH}" # who hands jobs over

# both CODE OUTPUT WORD...: runs the words in the folder `alone`, and handed over in the folder `served`. Both end with
# CODE, and say and leave the same. OUTPUT: a dataset that they make, or -.
both() {
    wanted=$1 output=$2
    shift 2
    for way in alone served; do
        mkdir -p $way
        code=0
        if [ $way = alone ]; then
            (cd alone && exec "$HEBATCH" "$@" --verbose) >out.alone 2>err.alone || code=$?
        else
            (cd served && exec "$CLIENT" "$@" --verbose --server "$work/$folder") >out.served 2>err.served || code=$?
        fi
        [ "$code" = "$wanted" ] || fail "$way: $* ended with $code, not $wanted: $(cat err.$way)"
    done
    same out.alone out.served
    for way in alone served; do
        "$PYTHON" - err.$way <<'PYTHON' || fail "no words"
import re, sys
# Numbers may be times, and those of a plan follow from times.
lines = [re.sub(r"[0-9][0-9.:]*( ?[kKMGTmu]?i?[sB]?\b)?", "#", line) for line in open(sys.argv[1]).read().splitlines()
         if not re.match(r"hebatch: (time|predicted|first unit|waited for|busy|limited by)", line)]
# Keys that are there are not read.
lines = [line.replace(", # of keys once a host", "") for line in lines]
open(sys.argv[1] + ".words", "w").write("\n".join(lines) + "\n")
PYTHON
    done
    same err.alone.words err.served.words
    [ "$output" = - ] && return
    diff -r "alone/$output" "served/$output" >/dev/null || fail "$output is another one: $*"
    "$PYTHON" - "alone/$output.report.json" "served/$output.report.json" <<'PYTHON' || fail "another report: $*"
import json, sys
# Times, what follows from them, and what need not be read again.
LOOSE = {"times", "started", "seconds", "predicted", "key_seconds", "key_read_bytes", "busy", "wall", "exchange",
         "peak_host_bytes", "free_bytes", "cost"}
def firm(x):
    if isinstance(x, dict):
        return {k: firm(v) for k, v in x.items() if k not in LOOSE}
    return [firm(v) for v in x] if isinstance(x, list) else x
a, b = (firm(json.load(open(name))) for name in sys.argv[1:])
if a != b:
    sys.exit("\n".join(f"{k}: {a.get(k)} and {b.get(k)}" for k in {**a, **b} if a.get(k) != b.get(k)))
PYTHON
}

# read_of REPORT: the bytes of keys that a job has read.
read_of() {
    "$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["plan"]["key_read_bytes"])' "$1"
}

# --- folders

reason 69 'no server is there' "$CLIENT" add a.heb b.heb c.heb --server "$work"
mkdir open
chmod 755 open
refuse 77 'chmod 700 open' "$HEBATCH" serve open
reason 77 'chmod 700 open' "$CLIENT" add a.heb b.heb c.heb --server open
: >file
refuse 66 'file: cannot open the folder' "$HEBATCH" serve file
reason 66 'none: cannot open the folder' "$CLIENT" add a.heb b.heb c.heb --server none
reason 64 'the name of the folder is empty' "$CLIENT" add a.heb b.heb c.heb --server=
refuse 73 'no/one: cannot make the folder' "$HEBATCH" serve no/one
refuse 69 'no server is there' "$HEBATCH" serve "$work" --stop
refuse 69 'no server is there' "$HEBATCH" serve "$work" --status
refuse 77 'chmod 700 open' "$HEBATCH" serve open --status
refuse 64 'ask for one at a time' "$HEBATCH" serve "$work" --status --stop
refuse 64 'for a server that begins' "$HEBATCH" serve "$work" --status --idle 3s
refuse 64 'for a server that begins' "$HEBATCH" serve "$work" --stop --hold 3
serve one
[ "$(stat -c %a one)" = 700 ] || fail "the folder has another mode"
reason 73 'another server is there' "$HEBATCH" serve one # which has served nothing
kill -s KILL $server
wait $server 2>/dev/null
[ -e one/jobs ] || fail "a killed server leaves its socket"
reason 69 'no server is there' "$CLIENT" add a.heb b.heb c.heb --server one
refuse 69 'no server is there' "$HEBATCH" serve one --status # whatever that one has left
serve one # takes it over
expect 0 "$HEBATCH" serve one --status
says '^serves *one, 1 rank, for '
says '^jobs *0 ended, 0 of them not well$'
says '^keys *0 keys, 0 B$'
"$PYTHON" -c 'data = bytearray(open("one/facts", "rb").read())
data[0] ^= 1
open("one/facts", "wb").write(data)'
refuse 78 'another build' "$HEBATCH" serve one --status
: >one/facts
refuse 69 'says nothing of itself' "$HEBATCH" serve one --status
expect 0 "$HEBATCH" serve one --stop
ends 0
grep -q '^hebatch: served *0 jobs' one.err || fail "what did it serve?"
absent one/jobs one/ranks one/facts
expect 0 "$HEBATCH" serve one --idle 0.1
serve one
kill -s TERM $server
ends 0

# --- the same as alone

expect 0 "$HEBATCH" keygen --params bfv-8192 --out keys --relin --rotations sum --insecure-test-seed $SEED
expect 0 "$HEBATCH" keygen --params bfv-8192 --out other --relin --rotations sum
expect 0 "$HEBATCH" keygen --rekey keys/secret.h5 --key other/secret.h5 --out moves
table 9000 2 40 >x.csv
serve jobs
both 0 x.heb encrypt ../x.csv x.heb --key ../keys/public.h5 --range 0..39 --insecure-test-seed $SEED
both 0 y.heb eval --keys ../keys 'y = x.c1 * x.c2 + 3; s = sum(x.c1)' x=x.heb y=y.heb s=s.heb
both 0 z.heb eval --keys ../keys 'z = x.c1 * x.c2 + 3' x=x.heb z=z.heb
[ "$(read_of served/y.heb.report.json)" -gt 0 ] || fail "no keys were read"
[ "$(read_of served/z.heb.report.json)" = 0 ] || fail "keys that are there were read again"
both 0 w.heb eval --keys ../keys 'w = sum(x.c2)' x=x.heb w=w.heb # whose keys rested
[ "$(read_of served/w.heb.report.json)" = 0 ] || fail "keys that rested were read again"
both 0 x2.heb encrypt ../x.csv x2.heb --key ../keys/public.h5 --range 0..39 --insecure-test-seed 11${SEED#00}
both 0 t.heb add x.heb x2.heb t.heb
both 0 m.heb rekey x.heb m.heb --keys ../moves
both 0 n.heb sanitize x.heb n.heb --key ../keys/public.h5 --bits 20 --insecure-test-seed $SEED
expect 0 "$CLIENT" eval --keys keys 'y = x.c1 * x.c2' x=served/x.heb y=dry.heb --dry-run --server jobs
says '2 of 4 limbs: y'
absent dry.heb dry.heb.partial
both 73 - eval --keys ../keys 'y = x.c1 * x.c2' x=x.heb y=y.heb
both 64 - eval --keys ../keys 'y = x.c1 *' x=x.heb y=v.heb
both 64 - eval --what
both 66 - eval --keys ../keys 'y = x.c1 * x.c2' x=none.heb y=v.heb
both 65 - eval --keys ../other 'y = x.c1 * x.c2' x=x.heb y=v.heb
both 64 - encrypt ../x.csv v.heb --key ../keys/none.h5 --what
grep -q '0 B of 0 B' jobs.err && fail "datasets of jobs that need none: $(grep '0 B of 0 B' jobs.err)"
both 0 v.heb eval --keys ../keys 'v = x.c1 * x.c2 + 3' x=x.heb v=v.heb # and goes on
expect 0 "$CLIENT" eval --keys keys 'y = x.c1 * x.c2' x=served/x.heb y=json.heb --json --server jobs
"$PYTHON" -c 'import json; assert json.load(open("out"))["command"] == "eval"' || fail "no document"
# Of several plain moduli, of reals, of bootstrapping.
expect 0 "$HEBATCH" keygen --params bfv-4096 --wide 40 --out wide --relin
both 0 wx.heb encrypt ../x.csv wx.heb --key ../wide/public.h5 --range 0..39 --insecure-test-seed $SEED
both 0 wy.heb eval --keys ../wide 'y = x.c1 + x.c2' x=wx.heb y=wy.heb
expect 0 "$HEBATCH" keygen --params ckks-13 --out reals --relin
both 0 rx.heb encrypt ../x.csv rx.heb --key ../reals/public.h5 --range -64..64 --insecure-test-seed $SEED
both 0 ry.heb eval --keys ../reals 'y = x.c1 * x.c2' x=rx.heb y=ry.heb
expect 0 "$HEBATCH" keygen --params int-test --insecure --out boot --relin --bootstrap
table 20 1 40 >few.csv
both 0 bx.heb encrypt ../few.csv bx.heb --key ../boot/public.h5 --range 0..39 --insecure-test-seed $SEED
both 0 by.heb eval --keys ../boot 'y = x * x * x' x=bx.heb y=by.heb
both 0 bz.heb refresh by.heb bz.heb --keys ../boot

expect 0 "$CLIENT" serve jobs --status --json
"$PYTHON" -c 'import json
found = json.load(open("out"))
assert found["jobs"] > 20 and 5 < found["jobs_failed"] < found["jobs"] and found["running"] is None, found
assert found["server_ranks"] == 1 and found["server_seconds"] > 0 and found["keys"]["count"] > 0, found
assert found["held_after_jobs"] == found["jobs"], found
assert found["keys"]["bytes"] > 1 << 20 and found["datasets"]["count"] > 0 and found["weights"]["count"] == 0, found' ||
    fail "what does it hold?"

# --- surroundings

mkdir -p served/below
(
    umask 077
    cd served/below || exit 1
    export HEBATCH_SERVER="$work/jobs" HEBATCH_KEYS="$work/keys" HEBATCH_QUIET=1
    "$CLIENT" eval 'y = x.c1 * x.c2' x=../x.heb y=y.heb >out 2>err || exit 1
    "$CLIENT" keygen --params bfv-4096 --out own >>out 2>>err || exit 1 # a variable is for what servers run
) || fail "a job by variables"
[ "$(wc -l <served/below/err)" = 0 ] || fail "HEBATCH_QUIET: $(cat served/below/err)"
[ "$(stat -c %a served/below/y.heb/index.h5)" = 600 ] || fail "umask: $(stat -c %a served/below/y.heb/index.h5)"
"$CLIENT" eval --keys keys 'y = x.c1 * x.c2' x=served/x.heb y=q.heb --server jobs --quiet >&- 2>err
[ $? = 74 ] || fail "a result that cannot be written"
"$CLIENT" eval --keys keys 'y = x.c1 * x.c2' x=served/x.heb y=q.heb --server jobs --quiet --force >/dev/full 2>err
[ $? = 74 ] || fail "a full disk"
"$CLIENT" encrypt x.csv p.heb --key - --server jobs --quiet <keys/public.h5 >out 2>err || fail "a key that comes: $(cat err)"
expect 0 "$CLIENT" eval --keys keys 'y = x.c1 * x.c2' x=served/x.heb y=q.heb --server jobs --force --log job.log --trace t.json
grep -q 'ends with 0' job.log || fail "no log"
expect 0 "$CLIENT" eval --keys keys 'y = x.c1 + x.c2' x=served/x.heb y=q.heb --server jobs --force --trace u.json
"$PYTHON" -c 'import json, sys; [json.load(open(name)) for name in ("t.json", "u.json")]' || fail "traces"

# --- secrets stay away

reason 64 'is a secret key, which no server gets' "$CLIENT" encrypt x.csv no.heb --key keys/secret.h5 --server jobs
for command in keygen decrypt verify info; do
    reason 64 'gets no secret key: leave it out' "$CLIENT" $command --server jobs
done
absent no.heb no.heb.partial

# --- keys that change between jobs

cp -r keys held
once() {
    "$CLIENT" eval --keys held 'y = x.c1 * x.c2' x=served/x.heb y=k.heb --server jobs --force --quiet >out 2>err
}
once || fail "$(cat err)"
cp other/relin.h5 held/relin.h5 # in its place, under its name
once && fail "a job with another pair's key"
complains 'belongs to key'
cp keys/relin.h5 held/relin.h5
once || fail "$(cat err)"
stamp=$(stat -c %y held/relin.h5)
"$PYTHON" -c 'import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(-9000, 2)
    byte = f.read(1)
    f.seek(-9000, 2)
    f.write(bytes([byte[0] ^ 1]))' held/relin.h5
touch -d "$stamp" held/relin.h5 # as who hides it would
once && fail "a job with a damaged key that an earlier one had read whole"
complains 'does not match its checksum'
cp keys/relin.h5 held/relin.h5
once || fail "$(cat err)"
expect 0 "$HEBATCH" serve jobs --stop
ends 0

# --- a job that is stopped, and ends that come at once

expect 0 "$HEBATCH" keygen --n 1024 --bits 40,40,41 --plain-bits 14 --insecure --relin --out small
table 60000 3 50 >long.csv
expect 0 "$HEBATCH" encrypt long.csv long.heb --key small/public.h5 --range 0..49
# held NAME: a server whose jobs stop after two units of NAME until there is a file `go`; hands one over.
held() {
    rm -f go
    serve held env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD="$HOLD" HOLD_AFTER=2 \
        HOLD_IN="$1.partial" HOLD_UNTIL="$work/go"
    "$CLIENT" eval --keys small 'z = x * x' x=long.heb z="$1" --wrap --server held >out 2>err &
    client=$!
    until [ -s "$1.partial/part-00000.h5" ]; do
        kill -0 $client 2>/dev/null || fail "the job that was to be held has ended: $(cat err)"
        sleep 0.02
    done
}
expect 0 "$HEBATCH" eval --keys small 'z = x * x' x=long.heb z=whole.heb --wrap
for signal in TERM INT; do
    held z$signal.heb
    expect 0 "$HEBATCH" serve held --status # beside a job, which it does not wait for
    says '^runs *eval, for '
    says '^keys *0 keys, 0 B, before this job$'
    # A shell's background job ignores SIGINT, unless it is caught.
    kill -s $signal $client
    sleep 0.2
    : >go
    code=0
    wait $client || code=$?
    [ "$code" = 75 ] || fail "$signal: $code, $(cat err)"
    complains 'stopped by signal'
    expect 0 "$CLIENT" eval --keys small 'z = x * x' x=long.heb z=z$signal.heb --wrap --server held --resume
    diff -r whole.heb z$signal.heb >/dev/null || fail "$signal: other bytes behind --resume"
    expect 0 "$HEBATCH" serve held --stop
    ends 0
done
held zkill.heb
turn=0
while [ $turn -lt 100 ]; do # more than clients can wait for their turn
    turn=$((turn + 1))
    timeout 60 "$HEBATCH" serve held --status >out 2>err.status || fail "look $turn beside a job ended with $?"
done
"$HEBATCH" serve held --stop >out.stop 2>err.stop &
stopper=$!
until grep -q '^hebatch: waits  *for the job that runs; a signal to the server stops' err.stop; do
    kill -0 $stopper 2>/dev/null || fail "--stop ended beside a job: $(cat err.stop)"
    sleep 0.02
done
kill -s KILL $stopper # who is gone ends no server
wait $stopper 2>/dev/null
kill -s KILL $client
sleep 0.2
: >go
wait $client 2>/dev/null
until grep -q 'eval ended with 75' held.err; do
    kill -0 $server 2>/dev/null || fail "the server ended with its client"
    sleep 0.02
done
expect 0 "$CLIENT" eval --keys small 'z = x * x' x=long.heb z=zkill.heb --wrap --server held --resume
diff -r whole.heb zkill.heb >/dev/null || fail "other bytes behind a killed client"
kill -s TERM $server
ends 0
held zterm.heb
kill -s TERM $server # stops the job, then the server
sleep 0.2
: >go
code=0
wait $client || code=$?
[ "$code" = 75 ] || fail "a server that ends: $code, $(cat err)"
ends 0
held zdead.heb
kill -s KILL $server
code=0
wait $client || code=$?
[ "$code" = 69 ] || fail "a killed server: $code"
complains 'held: the server is gone in the middle of the job'
wait $server 2>/dev/null
expect 0 "$HEBATCH" eval --keys small 'z = x * x' x=long.heb z=zdead.heb --wrap --resume
diff -r whole.heb zdead.heb >/dev/null || fail "other bytes behind a killed server"

# --- ranks

table 3000 3 50 >short.csv
expect 0 "$HEBATCH" encrypt short.csv short.heb --key small/public.h5 --range 0..49
expect 0 "$HEBATCH" eval --keys small 'z = x * x' x=short.heb z=alone.heb --wrap
# shellcheck disable=SC2086 # a command of several words
expect 64 $MPIRUN -n 2 "$CLIENT" eval --server held
complains 'leave the launcher out'
# shellcheck disable=SC2086
serve ranks $MPIRUN -n 2
expect 0 "$HEBATCH" serve ranks --status
says '^keys *0 keys, 0 B, on rank 0$'
for limbs in 1 2; do
    expect 0 "$CLIENT" eval --keys small 'z = x * x' x=short.heb z=two$limbs.heb --wrap --server ranks --limb-ranks $limbs
    expect 0 "$CLIENT" eval --keys small 'z = x * x' x=short.heb z=again$limbs.heb --wrap --server ranks \
        --limb-ranks $limbs
    [ "$(read_of again$limbs.heb.report.json)" = 0 ] || fail "ranks read keys again"
    for name in two again; do
        expect 0 "$HEBATCH" verify $name$limbs.heb --same-as alone.heb
    done
done
reason 65 'belongs to key' "$CLIENT" eval --keys keys 'z = x * x' x=short.heb z=no.heb --wrap --server ranks --quiet
expect 0 "$CLIENT" eval --keys small 'z = x * x' x=short.heb z=then.heb --wrap --server ranks
reason 64 'what the shell' "$CLIENT" eval --keys small 'z = x * x' x=/dev/fd/3 z=no.heb --wrap --server ranks 3<short.csv
reason 64 '/dev/fd/63: a server cannot read what the shell' "$CLIENT" eval --keys small 'z = x * x' x=short.heb \
    z=no.heb --wrap --server ranks --range x=/dev/fd/0,y=/dev/fd/63
reason 64 'what the shell' env HEBATCH_KEYS=/dev/fd/9 "$CLIENT" eval 'z = x * x' x=short.heb z=no.heb --server ranks
expect 0 "$HEBATCH" serve ranks --stop
ends 0
# Processes that connect and say nothing keep nobody waiting.
serve silent
"$PYTHON" - silent/jobs <<'PYTHON' &
import socket, sys, time
idle = [socket.socket(socket.AF_UNIX) for _ in range(8)]
for one in idle:
    one.connect(sys.argv[1])
open("connected", "w").close()
time.sleep(600)
PYTHON
quiet=$!
until [ -e connected ]; do
    kill -0 $quiet 2>/dev/null || fail "nothing connects"
    sleep 0.02
done
began=$(date +%s)
expect 0 "$CLIENT" eval --keys small 'z = x * x' x=short.heb z=beside.heb --wrap --server silent
[ $(($(date +%s) - began)) -lt 60 ] || fail "a job waited for processes that say nothing"
expect 0 "$HEBATCH" serve silent --stop
ends 0
kill $quiet
# A signal to one rank alone ends all of them in good order, as one to the first.
# shellcheck disable=SC2086,SC2016
serve one $MPIRUN -n 2 sh -c 'echo $$ >"rank${OMPI_COMM_WORLD_RANK-$PMI_RANK}"; exec "$@"' sh
kill -s TERM "$(cat rank1)"
ends 0

# --- facts of a server are its own, from the first answer on

serve next
kill -s KILL $server
wait $server 2>/dev/null
[ -s next/facts ] || fail "a killed server leaves its facts"
# shellcheck disable=SC2086 # a command of several words
$MPIRUN -n 2 "$HEBATCH" serve next >next.out 2>next.err &
server=$!
until "$HEBATCH" serve next --status >out 2>err; do
    kill -0 $server 2>/dev/null || fail "the server ended: $(cat next.err)"
done
says '^serves *next, 2 ranks, for '
expect 0 "$HEBATCH" serve next --stop
ends 0
