#!/bin/sh
# The lines that documents show as shell (```sh) run as they stand, and print what stands behind them (```csv).
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
root=$(cd "${forge%/*}/../.." && pwd)

mkdir bin program
ln -s "$HEBATCH" program/hebatch
# The launcher's own name would mean this script: PATH is what it was for it.
printf '#!/bin/sh\nexport PATH="%s"\nexec env ASAN_OPTIONS=detect_leaks=0 %s "$@"\n' "$work/program:$PATH" "$MPIRUN" \
    >bin/mpirun
chmod +x bin/mpirun
PATH=$work/bin:$work/program:$PATH
export HEBATCH_QUIET=1

# blocks DOCUMENT: its shell in N.sh, what it prints in N.csv beside, N from 1 on.
blocks() {
    awk '/^```/ { if (open) { open = 0 } else { open = 1; kind = substr($0, 4); count += kind == "sh" } next }
        open && (kind == "sh" || kind == "csv") { print >(count "." kind) }' "$1"
}

for document in README.md jobs/expression/README.md; do
    mkdir -p "$work/$document"
    cd "$work/$document" || exit 1
    blocks "$root/$document"
    [ -e 1.sh ] || fail "$document shows nothing"
    number=1
    while [ -e $number.sh ]; do
        expect 0 sh -eu $number.sh
        if [ -e $number.csv ]; then
            lines=$(wc -l <$number.csv)
            tail -n "$lines" out | cmp - $number.csv || fail "$document, block $number prints something else"
        fi
        # The parameters that are suggested are those that are taken.
        sed -n 's/^hebatch keygen \(--n .*\) --out KEYS .*/\1/p' out >suggested
        while IFS= read -r options; do
            grep -q -F -- "keygen $options --out" $number.sh || fail "$document suggests $options"
        done <suggested
        number=$((number + 1))
    done
done
