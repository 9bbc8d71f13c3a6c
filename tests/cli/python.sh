#!/bin/sh
# The Python package of jobs/python, with the program; what needs pandas or pyarrow is skipped where PYTHON has none.
# hebatch.ask is tested by python_ask.sh.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(CDPATH='' cd -- "${0%/*}" && pwd)
for part in package types options owners models; do
    mkdir $part && cd $part || exit 1
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" HEBATCH="$HEBATCH" \
        expect 0 "$PYTHON" "$tests/python_$part.py"
    cd .. || exit 1
done
EXAMPLE="$tests/../../jobs/examples/python-client.py"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" expect 0 "$PYTHON" "$EXAMPLE" "$work/example"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tests/../../jobs/python" reason 73 "example is there: name another FOLDER" \
    "$PYTHON" "$EXAMPLE" "$work/example"

# A copy of the folder alone installs, also by way of a source distribution, as the version of the program; and nothing
# stays in it.
if "$PYTHON" -c "import setuptools, pip, wheel" 2>/dev/null; then
    version=$("$HEBATCH" --version | sed -n 's/^hebatch //p')
    cp -r "$tests/../../jobs/python" copy
    find copy -name __pycache__ -prune -exec rm -r {} +
    find copy | sort >before
    expect 0 env -C copy "$PYTHON" -c \
        'import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])' "$work/source"
    for of in copy "source/hebatch-$version.tar.gz"; do
        expect 0 "$PYTHON" -m pip wheel -q --no-deps --no-index --no-build-isolation --disable-pip-version-check \
            -w wheels "./$of"
        expect 0 "$PYTHON" -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' \
            "wheels/hebatch-$version-py3-none-any.whl" installed
        for module in copy/hebatch/*.py; do
            same "$module" "installed/hebatch/${module##*/}"
        done
        rm -r wheels installed
    done
    find copy | sort >after
    same before after
else
    echo "no copy is installed: $PYTHON lacks pip, setuptools or wheel" >&2
fi
