#!/bin/sh
# Designs of papers: how hebatch starts their program, what that refuses, and plots of its results. No GPU is needed.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
scripts=$(CDPATH='' cd -- "$OLDPWD" && cd -- "$(dirname -- "$0")" && pwd)
designs=${HEBATCH%/*}/hebatch-designs

# Where there is none: a copy of hebatch on its own.
mkdir alone
cp "$HEBATCH" alone/hebatch
refuse 69 "not built here.*alone/hebatch-designs" alone/hebatch bench ntt --designs
refuse 69 "not built here" alone/hebatch bench reduce
refuse 69 "not built here" alone/hebatch bench crt
printf 'not a program' >alone/hebatch-designs
refuse 69 "cannot start" alone/hebatch bench crt

# What it is given: all words but --designs, as they are.
cat >alone/hebatch-designs <<'SCRIPT'
#!/bin/sh
printf '<%s>' "$@"
exit 3
SCRIPT
chmod +x alone/hebatch-designs
expect 3 alone/hebatch bench ntt --designs --only 'kim *' --quick
says "^<ntt><--only><kim \*><--quick>$"
expect 3 alone/hebatch bench --designs --json ntt
says "^<--json><ntt>$"
expect 3 alone/hebatch bench reduce --help
says "^<reduce><--help>$"
expect 3 env PATH="$work/alone:$PATH" hebatch bench crt
says "^<crt>$"
expect 0 alone/hebatch bench --help
says "ntt --designs"

if [ -x "$designs" ]; then
    export HEBATCH_DEVICE=gpu
    for kind in "ntt --designs" reduce crt; do
        # shellcheck disable=SC2086 # two words
        expect 0 "$HEBATCH" bench $kind --list
        [ ! -s err ] || fail "a list on stderr"
        awk -v kind="${kind%% *}" '/^figures$/ { on = 1; next } /^designs$/ { on = 0 } on && $1 != kind { exit 1 }' out ||
            fail "figures of another kind"
        says "^  ours .*64-bit words"
    done
    expect 0 "$HEBATCH" bench ntt --designs --list
    says "^  ntt .*designs-60 "
    [ "$(awk '/^  / { print $1, $2 }' out | sort | uniq -d)" = "" ] || fail "two figures or designs of one name"
    expect 0 "$HEBATCH" bench ntt --designs --help
    says "^Usage: hebatch bench "
    says "out FILE"
    refuse 64 "ntt, reduce and crt, not 'bfv'" "$HEBATCH" bench bfv --designs
    refuse 64 "what to measure" "$HEBATCH" bench --designs
    refuse 64 "did you mean '--quick'" "$HEBATCH" bench reduce --quik
    refuse 64 "unexpected argument" "$HEBATCH" bench crt ntt
    refuse 64 "small is for" "$HEBATCH" bench crt --small
    refuse 64 "for a GPU" "$HEBATCH" bench crt --device cpu
    refuse 66 "list has their names" "$HEBATCH" bench ntt --designs --only nothing
    refuse 66 "list has their names" "$HEBATCH" bench ntt --designs --paper nobody
    refuse 69 "no NVIDIA GPU" env CUDA_VISIBLE_DEVICES= "$HEBATCH" bench ntt --designs
    refuse 69 "no NVIDIA GPU" env CUDA_VISIBLE_DEVICES= "$designs" --check
else
    echo "skipped: hebatch-designs itself, which is built with nvcc"
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
