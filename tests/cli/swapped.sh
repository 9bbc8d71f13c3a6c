#!/bin/sh
# A file that leads to a named pipe from one moment to the next: the command goes on with the file that it has opened, or
# refuses the pipe, and never waits for somebody to write it.
# Given by ctest besides: SWAP_AT_LIBRARY (swap_at.c), not under sanitizers.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
expect 0 "$HEBATCH" keygen --n 2048 --bits 40,40,40,40 --plain-bits 16 --insecure --out keys --relin
printf 'a,b\n1,2\n3,4\n' >t.csv
h5table t.h5 t 'np.array([[1, 2], [3, 4]])'
gzip -k t.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --range 0..9 t.csv x.heb
printf '{"eval": ["y = x * w"], "keys": "keys", "inputs": {"x": "x.heb", "w": "t.csv"}, "outputs": {"y": "y.heb"}, "options": {"force": true}}' >job.json
# swapped FILE COMMAND...: with the file swapped behind each time that it is opened, until the command opens it no more.
swapped() {
    file=$1
    shift
    cp -p "$file" kept
    turn=0
    while :; do
        turn=$((turn + 1))
        rm -rf pipe "$file" y.heb* z.csv*
        cp -p kept "$file"
        mkfifo pipe
        code=0
        SWAP_AT=$turn SWAP_NAME=/${file##*/} SWAP_WITH=$PWD/pipe LD_PRELOAD=$SWAP_AT_LIBRARY timeout -k 1 30 "$HEBATCH" "$@" \
            >out 2>err || code=$?
        case $code in
        0) ;;
        65 | 66 | 73 | 74) [ -p "$file" ] || fail "$file was not swapped at $turn, and the command ends with $code: $*" ;;
        *) fail "exit code $code with $file swapped at $turn: $*" ;;
        esac
        [ -p "$file" ] || break
    done
    rm -f pipe
    [ $turn -gt 1 ] || fail "$file is not opened by: $*"
}

swapped "$PWD/t.csv" encrypt --key keys/public.h5 "$PWD/t.csv" y.heb
swapped "$PWD/t.csv.gz" encrypt --key keys/public.h5 "$PWD/t.csv.gz" y.heb
swapped "$PWD/t.h5" encrypt --key keys/public.h5 "$PWD/t.h5:/t" y.heb
swapped "$PWD/keys/public.h5" encrypt --key "$PWD/keys/public.h5" t.csv y.heb
swapped "$PWD/keys/secret.h5" decrypt --key "$PWD/keys/secret.h5" x.heb z.csv
swapped "$PWD/x.heb/index.h5" decrypt --key keys/secret.h5 "$PWD/x.heb" z.csv
swapped "$PWD/x.heb/part-00000.h5" decrypt --key keys/secret.h5 "$PWD/x.heb" z.csv
swapped "$PWD/x.heb/part-00000.h5" info "$PWD/x.heb"
for key in keys/*; do
    case $key in *secret.h5 | *public.h5) continue ;; esac
    swapped "$PWD/$key" eval --keys "$PWD/keys" 'y = x.a * x.b' x=x.heb y=y.heb
done
swapped "$PWD/t.h5" eval --keys keys 'y = x * w' x=x.heb "w=$PWD/t.h5:/t" y=y.heb
swapped "$PWD/job.json" eval "$PWD/job.json"

# With --follow-files HDF5 opens by their names the table, a link's file, the source of a virtual dataset, numbers.
"$PYTHON" - <<'END' || fail "no tables in several files"
import h5py, numpy as np
values = np.array([[1, 2], [3, 4]])
h5py.File("s.h5", "w")["d"] = values
values.astype("i8").tofile("raw.bin")
with h5py.File("f.h5", "w") as f:
    f["d"] = values
    f["link"] = h5py.ExternalLink("s.h5", "d")
    f.create_dataset("raw", (2, 2), dtype="i8", external=[("raw.bin", 0, 32)])
    layout = h5py.VirtualLayout((2, 2), "i8")
    layout[:] = h5py.VirtualSource("s.h5", "d", (2, 2))
    f.create_virtual_dataset("virtual", layout)
END
mkfifo pipe
refused=0
for of in f.h5:d s.h5:link raw.bin:raw s.h5:virtual; do # of s.h5, HDF5 tries other names
    for turn in 1 2 3 4; do
        rm -rf y.heb*
        code=0
        SWAP_BEFORE=1 SWAP_AT=$turn SWAP_NAME=${of%:*} SWAP_WITH=$PWD/pipe LD_PRELOAD=$SWAP_AT_LIBRARY \
            timeout -k 1 30 "$HEBATCH" encrypt --key keys/public.h5 --follow-files "f.h5:/${of#*:}" y.heb >out 2>err || code=$?
        case $code in
        0) ;;
        65 | 66 | 74) refused=$((refused + 1)) ;;
        *) fail "exit code $code of $of, opening $turn" ;;
        esac
    done
done
[ $refused -gt 1 ] || fail "no opening came to the pipe"
