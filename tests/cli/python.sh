#!/bin/sh
# The Python package of jobs/python, with the program; what needs pandas or pyarrow is skipped where PYTHON has none.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(CDPATH='' cd -- "${0%/*}" && pwd)
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" HEBATCH="$HEBATCH" \
    expect 0 "$PYTHON" "$tests/python_package.py"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" HEBATCH="$HEBATCH" \
    expect 0 "$PYTHON" "$tests/python_types.py"
EXAMPLE="$tests/../../jobs/examples/python-client.py"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" expect 0 "$PYTHON" "$EXAMPLE" "$work/example"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" reason 73 "example is there: name another FOLDER" \
    "$PYTHON" "$EXAMPLE" "$work/example"
