#!/bin/sh
# cmake --install: what is installed, that it works from there, and that it does not say where it was built; and that the
# flags are those that a packager gives. Given besides: BUILD (the build folder), SOURCE, CMAKE.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
documents=$work/prefix/share/doc/hebatch
expect 0 "$CMAKE" --install "$BUILD" --prefix "$work/prefix" --config Release
for file in LICENSE README.md CHANGELOG.md jobs/README.md jobs/running.md src/lang/pages/README.md io/README.md \
    jobs/slurm/hebatch.sbatch jobs/slurm/hebatch-gpu.sbatch jobs/examples/README.md jobs/examples/digits.csv; do
    same "$SOURCE/$file" "$documents/$file"
done
find prefix -type f -perm /111 ! -path '*/examples/*' ! -path '*.sbatch' | sort >programs
[ "$(cat programs)" = "$(printf '%s\n' prefix/bin/hebatch prefix/bin/hebatch-client)" ] ||
    fail "the programs are not hebatch and hebatch-client: $(cat programs)"

# A document that is installed leads to nothing that is not.
(cd "$documents" && find . -name '*.md' | while read -r document; do
    grep -o '](\([^)#]*\)' "$document" | sed 's/^](//' | grep -v '^https*:' | grep . | while read -r link; do
        [ -e "$(dirname "$document")/$link" ] || echo "$document: $link"
    done
done) >missing
[ ! -s missing ] || fail "$(cat missing)"

expect 0 prefix/bin/hebatch --version
says "^hebatch [0-9]"
for program in hebatch hebatch-client; do
    grep -c -a -F "$SOURCE" prefix/bin/$program >found && fail "$program says where its source was"
    nm prefix/bin/$program 2>/dev/null | grep -q . && fail "$program has symbols"
done
expect 0 prefix/bin/hebatch-client --version # by the other one, beside it
says "^hebatch [0-9]"
# The client that is installed has the identity of the server that is installed: symbols are no part of it.
# shellcheck source=tests/cli/server.sh
. "${0%/*}/server.sh"
expect 0 prefix/bin/hebatch keygen --params bfv-4096 --out keys --quiet
table 10 1 5 >x.csv
HEBATCH=$work/prefix/bin/hebatch serve one
expect 0 prefix/bin/hebatch-client encrypt x.csv x.heb --key keys/public.h5 --range 0..4 --quiet --server one
expect 0 prefix/bin/hebatch serve one --stop
ends 0
expect 0 env PATH="$work/prefix/bin:$PATH" HEBATCH= "$documents/jobs/examples/weighted-score"
says "Equal to the plain computation"
[ -z "${SANITIZED-}" ] || exit 0

# Flags: the user's where there are any, and no warning is an error unless asked for.
# configured WANTED FORBIDDEN OPTIONS...: every file is compiled with the one, none with the other.
configured() {
    wanted_flags=$1 no_flags=$2
    shift 2
    rm -rf configured
    expect 0 "$CMAKE" -S "$SOURCE" -B configured -DHEBATCH_TESTS=OFF -DHEBATCH_CUDA=OFF "$@"
    grep '"command"' configured/compile_commands.json | grep -v -- "$wanted_flags" && fail "not every file has $wanted_flags"
    grep -- "$no_flags" configured/compile_commands.json && fail "some file has $no_flags"
    true
}
configured ' -O3 ' ' -g \|NDEBUG\| -Werror'
configured ' -O1 -DMINE=1 ' ' -O3\| -g ' -DCMAKE_C_FLAGS_RELEASE="-O1 -DMINE=1"
configured ' -g .* -Werror ' NDEBUG -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHEBATCH_WERROR=ON
