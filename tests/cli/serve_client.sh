#!/bin/sh
# hebatch-client: it is linked with the C library alone; it hands jobs over and runs none; all else it leaves to the hebatch
# beside it; one of another build is refused. Then all of serve.sh, by jobs that it hands over. Given besides: CLIENT.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck source=tests/cli/server.sh
. "${0%/*}/server.sh"
unset HEBATCH_SERVER

if [ -z "${SANITIZED-}" ] && command -v readelf >/dev/null; then
    readelf -d "$CLIENT" >dynamic
    [ "$(grep -c 'NEEDED' dynamic)" = 1 ] || fail "libraries: $(cat dynamic)"
    grep -q 'NEEDED.*libc\.so' dynamic || fail "libraries: $(cat dynamic)"
    grep 'RPATH\|RUNPATH' dynamic && fail "it looks for the C library elsewhere"
fi

# --- no server is named

for command in add encrypt eval refresh rekey sanitize; do
    reason 69 "hebatch $command: no server is named, by --server FOLDER or HEBATCH_SERVER, and hebatch-client runs no job" \
        env HEBATCH_SERVER= "$CLIENT" $command a.heb b.heb
done

# --- what no server runs

# alike CODE WORD...: the same by both programs.
alike() {
    wanted=$1
    shift
    for program in "$HEBATCH" "$CLIENT"; do
        code=0
        "$program" "$@" >"out.${program##*/}" 2>"err.${program##*/}" || code=$?
        [ "$code" = "$wanted" ] || fail "$program $*: $code, not $wanted"
    done
    same out.hebatch out.hebatch-client
    same err.hebatch err.hebatch-client
}
alike 64
alike 0 --help
alike 0 --version
alike 0 help codes
alike 0 eval --help
alike 0 help eval
alike 64 evil
alike 64 evil --server none
alike 64 keygen --server none
alike 66 info none
alike 66 eval --server none
expect 0 "$CLIENT" keygen --params bfv-4096 --out keys --quiet
[ -s keys/public.h5 ] || fail "there are no keys"
# The signals of the one are those of the other: it takes the other's place.
sh -c 'echo $$ >pid; exec "$0" serve one' "$CLIENT" >out 2>err &
server=$!
until [ -S one/jobs ]; do
    kill -0 $server 2>/dev/null || fail "the server ended: $(cat err)"
    sleep 0.02
done
[ "$(cat pid)" = $server ] || fail "another process serves"
expect 0 "$CLIENT" serve one --stop
wait $server || fail "the server ended with $?"

# --- of another place, of another build

mkdir elsewhere
cp "$CLIENT" elsewhere/
reason 69 "hebatch: .*/elsewhere/hebatch, which does what no server does, cannot be started: No such file" \
    elsewhere/hebatch-client info keys
mkdir itself
cp "$CLIENT" itself/
ln -s hebatch-client itself/hebatch
reason 69 "itself/hebatch is hebatch-client itself" timeout 60 itself/hebatch-client info keys
table 10 1 5 >x.csv
serve two
expect 0 elsewhere/hebatch-client encrypt x.csv x.heb --key keys/public.h5 --range 0..4 --server two --quiet
"$PYTHON" - "$HEBATCH" elsewhere/hebatch-client <<'PYTHON' || fail "no identity to change"
import re, subprocess, sys
notes = subprocess.run(["readelf", "-n", sys.argv[1]], capture_output=True, text=True, check=True).stdout
identity = re.search("Build ID: ([0-9a-f]+)", notes).group(1).encode()
data = open(sys.argv[2], "rb").read()
if data.count(identity) != 1:
    sys.exit("it has the identity %d times" % data.count(identity))
open(sys.argv[2], "wb").write(data.replace(identity, identity[:-1] + (b"0" if identity[-1:] != b"0" else b"1")))
PYTHON
reason 78 "hebatch encrypt: the server is another build of hebatch than this one" \
    elsewhere/hebatch-client encrypt x.csv y.heb --key keys/public.h5 --range 0..4 --server two --quiet
absent y.heb
expect 0 "$HEBATCH" serve two --stop
ends 0

# --- jobs

rm -rf "$work"
export CLIENT
exec "${0%/*}/serve.sh"
