#!/bin/sh
# The Python package of jobs/python, with the program; what needs pandas or pyarrow is skipped where PYTHON has none.
# hebatch.ask is tested by python_ask.sh.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(CDPATH='' cd -- "${0%/*}" && pwd)
for part in package types models; do
    mkdir $part && cd $part || exit 1
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" HEBATCH="$HEBATCH" \
        expect 0 "$PYTHON" "$tests/python_$part.py"
    cd .. || exit 1
done
EXAMPLE="$tests/../../jobs/examples/python-client.py"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" expect 0 "$PYTHON" "$EXAMPLE" "$work/example"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" reason 73 "example is there: name another FOLDER" \
    "$PYTHON" "$EXAMPLE" "$work/example"
