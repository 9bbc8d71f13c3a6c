# Servers of a test, sourced after harness.sh. The one that runs ends with the test.
# shellcheck shell=sh disable=SC2154 # harness.sh makes $work
server=
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT

# serve NAME [COMMAND...]: starts a server in the folder NAME, by `COMMAND hebatch serve NAME $options`, and waits until
# jobs can come.
serve() {
    folder=$1
    shift
    : >"$folder.err" # of an earlier one
    # shellcheck disable=SC2086 # several words
    "$@" "$HEBATCH" serve "$folder" ${options-} >"$folder.out" 2>"$folder.err" &
    server=$!
    until grep -q '^hebatch: serves' "$folder.err"; do
        kill -0 $server 2>/dev/null || fail "the server ended: $(cat "$folder.err")"
        sleep 0.02
    done
}

# ends CODE: the server ends, with CODE.
ends() {
    code=0
    wait $server || code=$?
    [ "$code" = "$1" ] || fail "the server ended with $code, not $1: $(cat "$folder.err")"
}
