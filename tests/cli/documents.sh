#!/bin/sh
# What documents and the pages of --help show runs, or has a reason in documents.py not to.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
root=$(cd "${forge%/*}/../.." && pwd)

mkdir bin program examples
ln -s "$HEBATCH" program/hebatch
# The launcher's own name would mean this script: PATH is what it was for it.
printf '#!/bin/sh\nexport PATH="%s"\nexec env ASAN_OPTIONS=detect_leaks=0 %s "$@"\n' "$work/program:$PATH" "$MPIRUN" \
    >bin/mpirun
chmod +x bin/mpirun
PATH=$work/bin:$work/program:$PATH
export HEBATCH_QUIET=1 PYTHON
expect 0 "$PYTHON" "${forge%/*}/documents.py" "$root" examples
cat out
