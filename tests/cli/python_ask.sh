#!/bin/sh
# hebatch.ask of jobs/python, whose answers are DataFrames. Without pandas ctest says that it is skipped.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(CDPATH='' cd -- "${0%/*}" && pwd)
if ! "$PYTHON" -c 'import pandas' 2>err; then
    echo "SKIPPED: $PYTHON has no pandas: jobs/install-dependencies --tests"
    exit 77
fi
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" HEBATCH="$HEBATCH" \
    expect 0 "$PYTHON" "$tests/python_ask.py"
