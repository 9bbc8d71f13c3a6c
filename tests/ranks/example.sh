#!/bin/sh
# example.sh NAME: one of jobs/examples, which compares what it computes with the plain table. It leaves nothing in the
# temporary folder unless it was told where to work; then all is there.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
mkdir temporary
for folder in "" kept; do
    # shellcheck disable=SC2086 # none or one word
    TMPDIR=$work/temporary "$EXAMPLES/$1" ${folder:+"$work/$folder"} >out 2>err || {
        code=$?
        [ "$code" = 77 ] && exit 77 # what it needs is not there
        fail "exit code $code"
    }
    says "Equal to the plain computation"
    [ -z "$(ls -A temporary)" ] || fail "left behind: $(ls -A temporary)"
done
[ -e kept/keys/secret.h5 ] || fail "nothing is where it was told to be"
