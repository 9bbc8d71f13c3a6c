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
