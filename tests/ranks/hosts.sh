#!/bin/sh
# Jobs over several hosts, which are network namespaces here, joined by a bridge: the bytes of one rank; a link that is
# cut, a rank that is killed or stopped on another host, each named with its host, and what was finished kept.
case $0 in
/*) ;;
*) echo "start it by its full path" >&2 && exit 1 ;;
esac
apart="--map-root-user --net --mount --pid --fork --kill-child --mount-proc"
if [ -z "${HOSTS_APART:-}" ]; then
    # shellcheck disable=SC2086
    if ! command -v ip >/dev/null || ! unshare $apart sh -c "ip link add name sw type bridge && ip link add name one type veth peer name two && unshare --net --uts true" 2>/dev/null; then
        echo "skipped: no network namespaces can be made here (unshare, ip)"
        exit 77
    fi
    export HOSTS_APART=1
    # shellcheck disable=SC2086
    exec unshare $apart "$0" "$@"
fi
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
# shellcheck disable=SC2086
$MPIRUN --version 2>&1 | grep -q "Open MPI\|OpenRTE" || { echo "skipped: the launcher is not Open MPI's" && exit 77; }

# host NUMBER: a host with its own name, network and shared memory, and its own processes, but for the first, which sees
# those of all, as the agent below needs.
host() {
    own=
    [ "$1" = 0 ] || own="--pid --fork --kill-child --mount-proc"
    # shellcheck disable=SC2086
    unshare --net --uts --ipc --mount $own sh -c "hostname h$1; mount -t tmpfs shm /dev/shm; ip link set lo up
        exec sleep infinity" &
    first=$!
    until [ "$1" = 0 ] || first=$(pgrep -P $!); do sleep 0.02; done
    until [ "$(nsenter -t "$first" --uts hostname 2>/dev/null)" = "h$1" ]; do sleep 0.02; done
    echo "$first" >"h$1"
    ip link add "e$1" type veth peer name eth0 netns "$first"
    ip link set "e$1" master sw up
    nsenter -t "$first" --net sh -c "ip addr add 10.77.0.1$1/24 dev eth0; ip link set eth0 up"
}
# on HOST COMMAND...
on() {
    there=$(cat "$work/$1")
    shift
    nsenter -t "$there" --net --uts --ipc --mount --pid --wd="$PWD" "$@"
}
ip link set lo up
ip link add sw type bridge
ip link set sw up
printf '127.0.0.1 localhost\n10.77.0.10 h0\n10.77.0.11 h1\n10.77.0.12 h2\n' >names
mount --bind names /etc/hosts
for number in 0 1 2; do host $number; done
cat >agent <<AGENT
#!/bin/sh
there=\$(cat "$work/\$1")
shift
exec nsenter -t "\$there" --net --uts --ipc --mount --pid --wd="$work" sh -c "\$*"
AGENT
chmod +x agent
hosts_mca="--mca plm_rsh_agent $work/agent --mca plm_rsh_no_tree_spawn 1 --mca btl_tcp_if_include 10.77.0.0/24
    --mca oob_tcp_if_include 10.77.0.0/24 --mca btl vader,tcp,self --mca pml ob1"
# over HOSTS OPTIONS... COMMAND...: as mpirun on the first host.
over() {
    over_hosts=$1
    shift
    # shellcheck disable=SC2086
    on h0 $MPIRUN $hosts_mca --host "$over_hosts" "$@"
}
# The cable is cut behind the bridge: interfaces stay up.
cut() { ip link set "e${1#h}" nomaster; }
heal() { ip link set "e${1#h}" master sw; }
killed_on() { on "$1" pkill -"$2" -x hebatch; }

expect 0 "$HEBATCH" keygen --params bfv-8192 --for "y = a * a + 1; s = sum(a)" --out keys
table 375000 1 100 >in.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 in.csv in.heb
expect 0 "$HEBATCH" eval --quiet --keys keys "y = a * a + 1; s = sum(a)" a=in.heb y=one.heb s=one-s.heb
sums() { "$HEBATCH" info --json "$1" 2>info-err | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["sum"])'; }

# --- no fault: three hosts, and groups of two over hosts
for k in 1 2; do
    rm -rf y.heb s.heb
    expect 0 over h0:2,h1:1,h2:1 "$HEBATCH" eval --quiet --keys keys "y = a * a + 1; s = sum(a)" a=in.heb y=y.heb \
        s=s.heb --limb-ranks $k
    [ "$(sums y.heb)" = "$(sums one.heb)" ] && [ "$(sums s.heb)" = "$(sums one-s.heb)" ] || fail "other bytes over hosts"
done

# --- a host that sees another folder is asked about it, not only for what is missing
mkdir empty
on h1 mount --bind empty keys
expect 66 over h0:1,h1:1 "$HEBATCH" eval --quiet --keys keys "y = a * a + 1" a=in.heb y=z.heb
complains "^hebatch eval: rank 1 on h1 (not the host of rank 0: do both see the same folder?): keys has no key"
on h1 umount keys
absent z.heb z.heb.partial

# start HOSTS OPTIONS...: the job, held behind its third unit on each rank.
start() {
    rm -rf y.heb* go
    begins "$@" env LD_PRELOAD="$HOLD" HOLD_AFTER=3 HOLD_IN=y.heb.partial HOLD_UNTIL="$work/go" "$HEBATCH" eval \
        --quiet --keys keys "y = a * a + 1" a=in.heb y=y.heb --comm-timeout "${timeout:-6s}"
    "$PYTHON" "$shards" wait y.heb.partial 6 $job || fail "no 6 units"
}
begins() {
    over "$@" >out 2>err &
    job=$!
}
until_said() {
    until grep -q "$1" err; do
        kill -0 $job 2>/dev/null || fail "the job ended without: $1"
        sleep 0.05
    done
}
# reported WORDS [LEAST]: the report says 76 and why, and LEAST units (6) are there; what is left gives the bytes of one
# rank.
reported() {
    absent y.heb
    [ "$(field y.heb.report.json 'r["exit_code"]')" = 76 ] || fail "the report does not say 76"
    field y.heb.report.json 'r["reason"]' | grep -q "$1" || fail "the report does not say '$1'"
    "$PYTHON" "$shards" save y.heb.partial finished
    expect 0 "$HEBATCH" eval --quiet --resume --keys keys "y = a * a + 1" a=in.heb y=y.heb
    "$PYTHON" "$shards" same y.heb finished "${2:-6}" || fail "units that were finished have changed"
    [ "$(sums y.heb)" = "$(sums one.heb)" ] || fail "other bytes after $1"
}

# --- a link is cut while ranks compute: the one that waits at the end names the other; the launcher waits for the link
start h0:1,h1:1
cut h1
: >go
until_said "^hebatch eval: rank 1 on h1 was not heard of for 6 s (--comm-timeout): its host or the network does not answer, and the job ends.*--resume"
heal h1
wait $job
reported "nothing heard of rank 1 on h1 for 6 s (--comm-timeout): its host or the network does not answer"

# --- the launcher notices it first, as it is told to; a rank that it ends says whom it has not heard of
timeout=60s start h0:1,h1:1 --mca oob_tcp_keepalive_time 10 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 2
cut h1
code=0
wait $job || code=$?
[ $code != 0 ] || fail "the launcher does not notice a cut"
grep -q "^hebatch eval: rank 1 on h1 was last heard of [0-9]* s ago, and the job ends.*--resume continues it" err ||
    fail "the rank that is out of reach is not named"
heal h1

# --- a cut that heals in time costs nothing
start h0:1,h1:1
cut h1
: >go
sleep 1
heal h1
wait $job || fail "a short cut ends the job: $?"
[ "$(sums y.heb)" = "$(sums one.heb)" ] || fail "other bytes after a short cut"

# --- a rank is killed on another host, and the launcher leaves the others alone
start h0:1,h1:1,h2:1 --enable-recovery
killed_on h1 KILL
: >go
wait $job # its code is the launcher's, which says 0 then
[ "$(grep -c "^hebatch eval: rank 1 on h1 is gone: .*--resume continues it" err)" -ge 1 ] || fail "nobody says that rank 1 is gone"
if grep "^hebatch eval: rank .* gone" err | grep -qv "rank 1 \(on h1\|of this host\) is gone"; then fail "another rank is named"; fi
reported "rank 1 on h1 is gone: it was killed or has crashed"

# --- one that is stopped is named by those that wait, and goes on; minutes are short (hold.c)
rm -rf y.heb* go
begins h0:1,h1:1 env LD_PRELOAD="$HOLD" HOLD_HASTE=1 HOLD_AFTER=3 HOLD_IN=y.heb.partial HOLD_UNTIL="$work/go" "$HEBATCH" \
    eval --quiet --keys keys "y = a * a + 1" a=in.heb y=y.heb --comm-timeout 6s
"$PYTHON" "$shards" wait y.heb.partial 6 $job || fail "no 6 units"
killed_on h1 STOP
: >go
until_said "^hebatch: waiting      rank 0, phase loop has waited .* for rank 1 on h1.*, last heard of .* ago: its host answers, its process is stopped or does not get to run"
killed_on h1 CONT
wait $job || fail "a rank that goes on ends the job: $?"
[ "$(sums y.heb)" = "$(sums one.heb)" ] || fail "other bytes after a rank was stopped"

# --- where ranks share limbs, one that is stopped ends the job
rm -rf y.heb*
begins h0:1,h1:1 env LD_PRELOAD="$HOLD" HOLD_AFTER=3 HOLD_IN=y.heb.partial HOLD_UNTIL="$work/go" "$HEBATCH" eval --quiet \
    --keys keys "y = a * a + 1" a=in.heb y=y.heb --comm-timeout 2s --limb-ranks 2
"$PYTHON" "$shards" wait y.heb.partial 3 $job || fail "no 3 units"
killed_on h1 STOP
: >go
code=0
wait $job || code=$?
[ $code = 76 ] || fail "exit code $code, not 76"
grep -q "^hebatch eval: rank 0 on h0: no data .* rank 1 on h1 for 2 s (--comm-timeout)" err || fail "the rank is not named"
if grep -q "rank 0 on h0 is gone" err; then fail "a rank that ended the job is told to be gone"; fi
reported "rank 1 on h1 for 2 s" 3
