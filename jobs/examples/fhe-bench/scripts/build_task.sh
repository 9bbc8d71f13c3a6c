#!/bin/sh
# Gets hebatch, and puts the stages of a submission where the harness looks for them: build_task.sh [SUBMISSION]
# HEBATCH names a program that is to be taken; else one on the PATH is, if it has the submission's version; else it is built
# in third_party/hebatch, once: from HEBATCH_SOURCE, a repository or a folder of sources, at the tag or branch HEBATCH_TAG,
# with HEBATCH_CMAKE, options of cmake.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
submission=${1:-submission}
cd "$root/$submission"
submission=$PWD
version=$(sed -n 's/^version=//p' hebatch)
: "${HEBATCH_SOURCE:=$(sed -n 's/^source=//p' hebatch)}" "${HEBATCH_TAG:=v$version}"
third=$root/third_party/hebatch

refuse() {
    echo "build_task.sh: $1" >&2
    exit 69
}

version_of() {
    "$1" --version 2>/dev/null | sed -n 's/^hebatch \([0-9.]*\).*/\1/p'
}

build() {
    [ -n "$HEBATCH_SOURCE" ] ||
        refuse "hebatch $version is not on the PATH; HEBATCH says where it is, or HEBATCH_SOURCE of what it is built"
    rm -rf "$third"
    mkdir -p "$third"
    echo '*' >"$third/.gitignore"
    echo "building hebatch of $HEBATCH_SOURCE at $HEBATCH_TAG, which takes minutes; the log is $third/log"
    # Joined by &&: in front of || a shell goes on behind a failure, whatever set -e says.
    # shellcheck disable=SC2086 # options of cmake
    {
        git clone --quiet --depth 1 --branch "$HEBATCH_TAG" -- "$HEBATCH_SOURCE" "$third/source" &&
            "$third/source/jobs/install-dependencies" &&
            cmake -S "$third/source" -B "$third/build" -DCMAKE_BUILD_TYPE=Release -DHEBATCH_TESTS=OFF \
                -DCMAKE_INSTALL_PREFIX="$third/install" ${HEBATCH_CMAKE-} &&
            cmake --build "$third/build" --parallel "$(nproc)" &&
            cmake --install "$third/build"
    } >"$third/log" 2>&1 </dev/null || {
        tail -n 20 "$third/log" >&2
        refuse "the build failed; all of it is in $third/log"
    }
}

if [ -n "${HEBATCH-}" ]; then
    program=$HEBATCH
    [ -n "$(version_of "$program")" ] || refuse "HEBATCH is $HEBATCH, which is no program hebatch"
else
    program=$(command -v hebatch || true)
    [ ! -x "$third/install/bin/hebatch" ] || program=$third/install/bin/hebatch
    if [ -z "$program" ] || [ "$(version_of "$program")" != "$version" ]; then
        build
        program=$third/install/bin/hebatch
    fi
fi
echo "hebatch $(version_of "$program"): $program"

while read -r link target; do
    mkdir -p "$(dirname -- "$link")"
    ln -sfn "$target" "$link"
done <places
