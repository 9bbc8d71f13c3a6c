#!/bin/sh
# Each example in documents and in the pages of --help runs, or documents.py has a reason why it does not.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
root=$(cd "${forge%/*}/../.." && pwd)

mkdir bin program examples
ln -s "$HEBATCH" "${HEBATCH%/*}/hebatch-client" program
# The launcher's own name would mean this script: PATH is what it was for it.
printf '#!/bin/sh\nexport PATH="%s"\nexec env ASAN_OPTIONS=detect_leaks=0 %s "$@"\n' "$work/program:$PATH" "$MPIRUN" \
    >bin/mpirun
chmod +x bin/mpirun
PATH=$work/bin:$work/program:$PATH
export HEBATCH_QUIET=1 PYTHON
expect 0 "$PYTHON" "${forge%/*}/documents.py" "$root" examples
cat out
