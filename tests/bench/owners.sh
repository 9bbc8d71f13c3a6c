#!/bin/sh
# Times of whole jobs of several owners beside jobs of one owner and plain files, in one run, best of three:
#   part      one part of 5 owners, beside `decrypt` of a dataset of one owner with as many limbs
#   masked    one part of 3 of 5 owners, likewise
#   combine   the parts of 5 owners to a table, beside reading as many plain files
#   rekey     a dataset to another key, beside plain files that are read and written, and `eval` of a rotation
#   sanitize  `eval --sanitize 40` of a product, beside `eval` of it; and `sanitize` beside `eval` of a sum
#     tests/bench/owners.sh [CIPHERTEXTS]      (default: 1000, a multiple of 10)
# Given: HEBATCH (default: build-gpu/hebatch); DEVICE (gpu); PRESET (bfv-8192); SCRATCH: a folder on the disk that is
# measured (/tmp), for 15 MiB a ciphertext of 10000.
set -eu
root=$(CDPATH='' cd -- "${0%/*}/../.." && pwd)
: "${HEBATCH:=$root/build-gpu/hebatch}" "${DEVICE:=gpu}" "${PRESET:=bfv-8192}" "${SCRATCH:=/tmp}"
HEBATCH=$(realpath "$HEBATCH") HEBATCH_DEVICE=$DEVICE
export HEBATCH_DEVICE
count=${1:-1000}
dir=$(mktemp -d "$SCRATCH/owners.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"

run() {
    "$HEBATCH" "$@" >>log 2>&1 || {
        tail -n 5 log >&2
        echo "FAILED: hebatch $*" >&2
        exit 1
    }
}

# best OUTPUT COMMAND...: runs it three times, without OUTPUT there, and sets `took`, in seconds.
best() {
    output=$1
    shift
    took=
    for _ in 1 2 3; do
        rm -rf "$output" "$output".*
        began=$(date +%s%N)
        "$@"
        ended=$(date +%s%N)
        took=$(echo "$began $ended ${took:-1e9}" | awk '{ t = ($2 - $1) / 1e9; print (t < $3 ? t : $3) }')
    done
}

# joint FOLDER NAMES [OPTIONS]: keys of these owners in FOLDER/keys.
joint() {
    folder=$1 names=$2
    shift 2
    mkdir -p "$folder/cards"
    for name in $names; do
        run keygen --party "$name" --out "$folder/$name"
        cp "$folder/$name/card.h5" "$folder/cards/$name.h5"
    done
    run keygen --session "$folder/joint" --cards "$folder/cards/*.h5" --params "$PRESET" --results $((2 * count)) "$@"
    for _ in commit first second done; do
        for name in $names; do
            "$HEBATCH" keygen --join "$folder/joint" --key "$folder/$name/party.h5" >>log 2>&1 || [ $? = 66 ]
        done
    done
    run keygen --combine "$folder/joint" --out "$folder/keys"
    for name in $names; do
        run keygen --join "$folder/joint" --key "$folder/$name/party.h5" --check "$folder/keys"
    done
}

# made_part FOLDER NAME [OPTIONS]: that owner's part of y, again from the beginning.
made_part() {
    folder=$1 name=$2
    shift 2
    rm -f "$folder/$name/"*.parts
    run decrypt --part --key "$folder/$name/party.h5" --session "$folder/joint" --trust --new-ledger "$@" \
        "$folder/y.heb" "$folder/y-$name.part"
}

kept() { "$HEBATCH" info --json "$1" | tr ',{' '\n\n' | awk -F: '/"limbs"/ { print $2 + 0; exit }'; }
# row NAME SECONDS BESIDE: a row of the table, and for the job that ran last its own word on its time.
row() {
    limit=$(sed -n 's/^hebatch: limited by *//p' log | tail -n 1)
    printf '| %s | %.2f | %.2f | %.2f | %s |\n' "$1" "$2" "$3" "$(echo "$2 $3" | awk '{ print $1 / $2 }')" "$limit"
}
read_files() { find "$@" -type f -exec cat {} + >/dev/null; }
copied() { cp -r "$1" "$2" && sync -f "$2"; }

awk -v rows="$((count / 10))" 'BEGIN {
    srand(1)
    print "a,b,c,d,e,f,g,h,i,j" >"t.csv"
    for (i = 0; i < 8192; i++) {
        line[i] = int(200 * rand())
        for (c = 1; c < 10; c++) line[i] = line[i] "," int(200 * rand())
    }
    for (r = 0; r < rows; r++) for (i = 0; i < 8192; i++) print line[i] >"t.csv"
}'
owners="alice bob carol dave erin"
text='y = x + x'
for kind in all some; do
    threshold=$([ $kind = some ] && echo "--threshold 3" || :)
    # shellcheck disable=SC2086 # no words, or two
    joint $kind "$owners" $threshold
    run encrypt --key $kind/keys/public.h5 --range 0..199 t.csv $kind/x.heb
    run eval --keys $kind/keys "$text" x=$kind/x.heb y=$kind/y.heb
done
run keygen --params "$PRESET" --rotations 1 --relin --out one
run keygen --params "$PRESET" --out two
run keygen --rekey one/secret.h5 --key two/secret.h5 --out moves
run encrypt --key one/public.h5 --range 0..199 t.csv x.heb
run eval --keys one --compact 61 "$text" x=x.heb y=y.heb
rm t.csv

echo "$PRESET, $DEVICE, $count ciphertexts; y of one owner has $(kept y.heb) limbs, of 5 owners $(kept all/y.heb)"
echo '| job / beside | s | s | ratio | limited by |'
echo '|---|---|---|---|---|'
best back.h5 run decrypt --key one/secret.h5 y.heb back.h5:/t
decrypted=$took
best all/y-alice.part made_part all alice
row "part, 5 of 5 / decrypt" "$took" "$decrypted"
best some/y-alice.part made_part some alice --owners alice,bob,carol
row "part, 3 of 5 / decrypt" "$took" "$decrypted"
for name in bob carol dave erin; do
    made_part all "$name"
done
best none read_files all/y.heb all/y-*.part
files=$took
best back.h5 run combine all/y.heb 'all/y-*.part' back.h5:/t
row "combine, 5 of 5 / its files read" "$took" "$files"
rm -rf all some back.h5
best z.heb run rekey --keys moves x.heb z.heb
moved=$took
best z.heb copied x.heb z.heb
row "rekey / its files read and written" "$moved" "$took"
best z.heb run eval --keys one 'z = rotate(x, 1)' x=x.heb z=z.heb
row "rekey / rotate" "$moved" "$took"
best z.heb run eval --keys one "$text" x=x.heb y=z.heb
computed=$took
best z.heb run sanitize --key one/public.h5 x.heb z.heb
row "sanitize / y = x + x" "$took" "$computed"
best z.heb run eval --keys one 'y = x * x' x=x.heb y=z.heb
computed=$took
best z.heb run eval --keys one --sanitize 40 'y = x * x' x=x.heb y=z.heb
row "y = x * x, sanitized / y = x * x" "$took" "$computed"
