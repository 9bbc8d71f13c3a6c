#!/bin/sh
# Designs of papers: what their program refuses, and plots of its results. No GPU is needed.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
scripts=$(CDPATH='' cd -- "$OLDPWD" && cd -- "$(dirname -- "$0")" && pwd)
designs=${HEBATCH%/*}/hebatch-designs

if [ ! -x "$designs" ]; then
    echo "skipped: hebatch-designs is built on request where there is nvcc"
elif HEBATCH_DEVICE=gpu "$designs" ntt --list >out 2>err; then
    export HEBATCH_DEVICE=gpu
    for kind in ntt reduce crt; do
        expect 0 "$designs" $kind --list
        [ ! -s err ] || fail "a list on stderr"
        awk -v kind="$kind" '/^figures$/ { on = 1; next } /^designs$/ { on = 0 } on && $1 != kind { exit 1 }' out ||
            fail "figures of another kind"
        says "^  ours .*64-bit words"
    done
    expect 0 "$designs" ntt --list
    says "^  ntt .*designs-60 "
    [ "$(awk '/^  / { print $1, $2 }' out | sort | uniq -d)" = "" ] || fail "two figures or designs of one name"
    refuse 64 "what to measure" "$designs"
    refuse 64 "for a GPU" "$designs" crt --device cpu
    refuse 66 "list has their names" "$designs" ntt --only nothing
    refuse 66 "list has their names" "$designs" ntt --paper nobody
    refuse 69 "no NVIDIA GPU" env CUDA_VISIBLE_DEVICES= "$designs" ntt
    refuse 69 "no NVIDIA GPU" env CUDA_VISIBLE_DEVICES= "$designs" --check
else
    refuse 69 "built without nvcc" "$designs" ntt --list
fi
if [ -x "$designs" ]; then
    expect 0 "$designs" ntt --help
    says "^Usage: hebatch-designs {ntt "
    says "out FILE"
    refuse 64 "ntt, reduce, crt and bfv, not 'pack'" "$designs" pack
    refuse 64 "did you mean '--quick'" "$designs" reduce --quik
    refuse 64 "unexpected argument" "$designs" crt ntt
    refuse 64 "small is for" "$designs" crt --small
fi

# Plots: one a figure, twice the same bytes, none of a figure without points.
cat >results.json <<'JSON'
{"device": {"name": "a GPU"}, "figures": [
 {"kind": "ntt", "name": "one", "paper": "P et al., figure 1", "title": "T", "x": "log2 N", "y": "ns", "log_y": true,
  "series": [{"name": "ours", "reported": false, "points": [[13, 2.5], [12, 1.5]]},
             {"name": "theirs", "reported": true, "points": [[12, 4]]}], "notes": []},
 {"kind": "crt", "name": "two", "paper": "P et al., figure 2", "title": "U", "x": "limbs", "y": "us", "log_y": false,
  "series": [{"name": "ours", "reported": false, "points": []}], "notes": ["not complete"]}]}
JSON
: "${PLOT_PYTHON:=python3}"
if ! "$PLOT_PYTHON" -c 'import matplotlib' 2>/dev/null; then
    echo "skipped: plots, as $PLOT_PYTHON has no matplotlib"
    exit 0
fi
for folder in a b; do
    expect 0 "$PLOT_PYTHON" "$scripts/../bench/plot.py" results.json --to $folder
done
says "two: no points"
same a/one.svg b/one.svg
absent a/two.svg
grep -q "theirs (as printed)" a/one.svg || fail "a series is not in the legend"
grep -q "stroke-dasharray" a/one.svg || fail "what a paper prints is not dashed"
expect 0 "$PLOT_PYTHON" "$scripts/../bench/plot.py" results.json --to c --only two
absent c/one.svg
