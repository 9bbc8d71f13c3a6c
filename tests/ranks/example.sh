#!/bin/sh
# example.sh NAME [twice]: one of jobs/examples, which compares what it computes with the plain table. Told where to work,
# it leaves all there; twice: and nothing in the temporary folder when it was not told.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
mkdir temporary
for folder in ${2:+""} kept; do
    # shellcheck disable=SC2086 # none or one word
    TMPDIR=$work/temporary "$EXAMPLES/$1" ${folder:+"$work/$folder"} >out 2>err || {
        code=$?
        [ "$code" = 77 ] && exit 77 # what it needs is not there
        fail "exit code $code"
    }
    says "Equal to the plain computation"
    [ -z "$(ls -A temporary)" ] || fail "left behind: $(ls -A temporary)"
done
[ -e kept/keys/public.h5 ] || fail "nothing is where it was told to be"
