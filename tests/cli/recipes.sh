#!/bin/sh
# The recipes of jobs/packages; the one version is CMake's. Given besides: BUILD (the build folder), SOURCE.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(CDPATH='' cd -- "${0%/*}" && pwd)
expect 0 "$PYTHON" "$tests/recipes.py" "$SOURCE" "$BUILD/CMakeCache.txt"
version=$("$HEBATCH" --version | sed -n 's/^hebatch //p')
! grep -rnF "$version" "$SOURCE/jobs/packages" "$SOURCE/jobs/python" --include='*.*' || fail "a version stands there"
expect 0 sed -n '/^## /{s/^## \([0-9.]*\), \(unreleased\|20[0-9-]*\)$/\1/p;q;}' "$SOURCE/CHANGELOG.md"
[ "$(cat out)" = "$version" ] || fail "CHANGELOG.md begins with '$(cat out)', not with $version"
mkdir -p tree/jobs
cp "$SOURCE/CHANGELOG.md" tree
cp -r "$SOURCE/jobs/python" tree/jobs
if "$PYTHON" -c "import setuptools" 2>/dev/null; then
    expect 0 env -C tree/jobs/python "$PYTHON" setup.py --version
    [ "$(tail -n 1 out)" = "$version" ] || fail "the Python package is not of version $version"
fi
# A wheel is built without a network, has all modules, is installed beside what there is, and leaves nothing in the tree.
if "$PYTHON" -c "import pip, setuptools, wheel, venv, ensurepip" 2>/dev/null; then
    (cd tree && find . -name __pycache__ -prune -o -print | sort) >before
    expect 0 "$PYTHON" -m pip wheel -q --no-deps --no-index --no-build-isolation --disable-pip-version-check -w wheels \
        tree/jobs/python
    (cd tree && find . -name __pycache__ -prune -o -print | sort) >after
    cmp -s before after || fail "building a wheel leaves something: $(diff before after)"
    [ "$(echo wheels/*)" = "wheels/hebatch-$version-py3-none-any.whl" ] || fail "another wheel: $(echo wheels/*)"
    expect 0 "$PYTHON" -m zipfile -l wheels/*.whl
    for module in tree/jobs/python/hebatch/*.py; do
        grep -q "^hebatch/${module##*/} " out || fail "the wheel lacks ${module##*/}"
    done
    expect 0 "$PYTHON" -m venv --system-site-packages environment
    expect 0 environment/bin/python -m pip install -q --no-deps --no-index --disable-pip-version-check wheels/*.whl
    expect 0 environment/bin/python -c "import hebatch; print(hebatch.__file__)"
    grep -q "^$work/environment/" out || fail "another package is installed: $(cat out)"
else
    echo "no wheel is built: $PYTHON lacks pip, setuptools or wheel" >&2
fi
