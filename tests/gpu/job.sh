#!/bin/sh
# Whole jobs on the CPU and on a GPU: with the test seed keys and datasets are the same files, and either decrypts what
# the other encrypted. Given: HEBATCH (the program). DEVICE: what is held to the CPU (default gpu).
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
device=${DEVICE:-gpu}
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

seconds() {
    date +%s.%N
}

# timed COMMAND...: runs it and sets `took`.
timed() {
    began=$(seconds)
    expect 0 "$@" --quiet
    took=$(echo "$began $(seconds)" | awk '{ printf "%.2f", $2 - $1 }')
}

# job PARAMS KEY ROWS: a table of two columns there and back.
job() {
    params=$1 key=$2 rows=$3
    rm -rf cpu other cpu.heb* other.heb* back.csv
    table "$rows" 2 30000 >in.csv
    for kind in cpu other; do
        on=$([ $kind = cpu ] && echo cpu || echo "$device")
        expect 0 "$HEBATCH" keygen --params "$params" --device "$on" --insecure-test-seed $seed --out $kind --quiet
        timed "$HEBATCH" encrypt --device "$on" --insecure-test-seed $seed --key $kind/"$key".h5 in.csv $kind.heb
        eval "encrypt_$kind=$took"
    done
    diff -r cpu other || fail "$params: keys differ"
    diff -r cpu.heb other.heb || fail "$params, $key key: datasets differ"
    timed "$HEBATCH" decrypt --device cpu --key cpu/secret.h5 other.heb back.csv
    decrypt_cpu=$took
    same in.csv back.csv
    rm back.csv
    timed "$HEBATCH" decrypt --device "$device" --key cpu/secret.h5 cpu.heb back.csv
    decrypt_other=$took
    same in.csv back.csv
    timed "$HEBATCH" verify --device "$device" cpu.heb --same-as other.heb --key cpu/secret.h5 --against in.csv
    # shellcheck disable=SC2154 # set by eval
    printf '%-10s  %-7s  %8s  %9s  %9s  %9s  %9s  equal\n' "$params" "$key" "$(du -sm other.heb | cut -f1)" \
        "$encrypt_cpu" "$encrypt_other" "$decrypt_cpu" "$decrypt_other"
}

# evaluate PARAMS EXPRESSION ROWS: y, and z if there is one, of two columns.
evaluate() {
    params=$1 text=$2 rows=$3
    rm -rf cpu ./*.heb ./*.heb.report.json
    table "$rows" 2 100 >in.csv
    expect 0 "$HEBATCH" keygen --params "$params" --insecure-test-seed $seed --for "$text" --out cpu --device cpu --quiet
    expect 0 "$HEBATCH" encrypt --device cpu --insecure-test-seed $seed --key cpu/secret.h5 in.csv a.heb --quiet
    timed "$HEBATCH" eval --device cpu --keys cpu "$text" a=a.heb y=cpu-y.heb z=cpu-z.heb
    evaluate_cpu=$took
    timed "$HEBATCH" eval --device "$device" --keys cpu "$text" a=a.heb y=other-y.heb z=other-z.heb
    diff -r cpu-y.heb other-y.heb || fail "$params, $text: y differs"
    diff -r cpu-z.heb other-z.heb || fail "$params, $text: z differs"
    printf '%-10s  %9s  %9s  equal  %s\n' "$params" "$evaluate_cpu" "$took" "$text"
}

printf '%-10s  %-7s  %8s  %9s  %9s  %9s  %9s\n' parameters key MiB "encrypt s" "on $device" "decrypt s" "on $device"
for key in secret public; do
    job bfv-4096 "$key" 400000
    job bfv-8192 "$key" 400000
    job bfv-16384 "$key" 200000
    job bfv-32768 "$key" 100000
    job seal-32768 "$key" 100000
done

printf '%-10s  %9s  %9s\n' parameters "eval s" "on $device"
for params in bfv-8192 bfv-16384 bfv-32768 seal-32768; do
    evaluate "$params" "y = a * a + rotate(a, 1) + rotate(a, 2) - 3; z = dot(a, y)" 100000
    evaluate "$params" "m = a - sum(a); y = swap(m) * 5; z = sum(square(m))" 100000
done

# move PARAMS ROWS: under another key of the same person, and under that of another person, sanitized by the test's seed.
move() {
    params=$1 rows=$2
    rm -rf old new ./*.heb ./*.heb.report.json moves--*
    table "$rows" 2 100 >in.csv
    for pair in old new; do
        expect 0 "$HEBATCH" keygen --params "$params" --out $pair --device cpu --quiet
    done
    expect 0 "$HEBATCH" encrypt --device cpu --key old/secret.h5 in.csv a.heb --quiet
    for whose in --key=new/secret.h5 --to=new/public.h5; do
        options=$([ $whose = --key=new/secret.h5 ] || echo --key new/public.h5 --insecure-test-seed $seed)
        expect 0 "$HEBATCH" keygen --rekey old/secret.h5 $whose --out moves${whose%%=*} --device cpu --quiet
        for kind in cpu other; do
            on=$([ $kind = cpu ] && echo cpu || echo "$device")
            rm -rf $kind.heb
            # shellcheck disable=SC2086
            timed "$HEBATCH" rekey --device "$on" a.heb $kind.heb --keys moves${whose%%=*} $options
            eval "move_$kind=$took"
        done
        diff -r cpu.heb other.heb || fail "$params, $whose: datasets differ"
        expect 0 "$HEBATCH" verify --device "$device" other.heb --key new/secret.h5 --against in.csv --quiet
        # shellcheck disable=SC2154 # set by eval
        printf '%-10s  %9s  %9s  equal  %s\n' "$params" "$move_cpu" "$move_other" "$whose"
    done
}

printf '%-10s  %9s  %9s\n' parameters "rekey s" "on $device"
for params in bfv-8192 bfv-16384 bfv-32768; do
    move $params 100000
done

# send PARAMS ROWS: parts of two owners for the owner of another key, each made twice, and what they add up to.
send() {
    params=$1 rows=$2
    rm -rf cards alice bob joint keys receiver ./*.heb ./*.part ./*.report.json
    table "$rows" 2 100 >in.csv
    joint_keys keys 'y = a * a' --params "$params"
    expect 0 "$HEBATCH" keygen --params "$params" --out receiver --device cpu --quiet
    expect 0 "$HEBATCH" encrypt --device cpu --key keys/public.h5 in.csv a.heb --quiet
    sum=$(sum_of a.heb)
    for kind in cpu other; do
        on=$([ $kind = cpu ] && echo cpu || echo "$device")
        for owner in bob alice; do
            timed "$HEBATCH" decrypt --part --device "$on" --key $owner/party.h5 --session joint --sum "$sum" \
                --to receiver/public.h5 a.heb $kind-$owner.part
        done
        eval "part_$kind=$took"
        timed "$HEBATCH" combine --device "$on" a.heb $kind-alice.part $kind-bob.part $kind.heb
        eval "sum_$kind=$took"
    done
    for owner in alice bob; do
        diff -r cpu-$owner.part other-$owner.part || fail "$params: parts of $owner differ"
    done
    diff -r cpu.heb other.heb || fail "$params: what parts add up to differs"
    expect 0 "$HEBATCH" verify --device "$device" other.heb --key receiver/secret.h5 --against in.csv --quiet
    # shellcheck disable=SC2154 # set by eval
    printf '%-10s  %9s  %9s  %9s  %9s  equal\n' "$params" "$part_cpu" "$part_other" "$sum_cpu" "$sum_other"
}

printf '%-10s  %9s  %9s  %9s  %9s\n' parameters "part s" "on $device" "combine s" "on $device"
for params in bfv-8192 bfv-16384; do
    send $params 100000
done

# field EXPRESSION: of the report or plan on standard input, as r.
field() {
    "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"
}

# batches PARAMS EXPRESSION ROWS: y of one column, whatever is computed at a time; and more than memory holds is refused.
batches() {
    params=$1 text=$2 rows=$3
    rm -rf cpu keys ./*.heb ./*.heb.report.json
    table "$rows" 1 100 >in.csv
    expect 0 "$HEBATCH" keygen --params "$params" --for "$text" --out keys --quiet
    expect 0 "$HEBATCH" encrypt --device cpu --key keys/secret.h5 --range measured in.csv a.heb --quiet
    timed "$HEBATCH" eval --device cpu --keys keys "$text" a=a.heb y=cpu-y.heb
    for batch in 1 3 8 none; do
        option=$([ $batch = none ] || echo --batch $batch)
        # shellcheck disable=SC2086
        timed "$HEBATCH" eval --device "$device" --keys keys "$text" a=a.heb y=y.heb --force $option
        expect 0 "$HEBATCH" verify y.heb --same-as cpu-y.heb --quiet
        [ "$device" = cpu ] || [ "$(field 'r["device"]["memory_held"] <= r["plan"]["rank_device_bytes"]' \
            <y.heb.report.json)" = True ] || fail "$params, --batch $batch: more memory than the plan says"
        printf '%-10s  %5s  %9s  %s at a time, %s  equal  %s\n' "$params" "$batch" "$took" \
            "$(field 'r["plan"]["batch_row_blocks"]' <y.heb.report.json)" \
            "$(field 'r["plan"]["batch_limit"]' <y.heb.report.json)" "$text"
    done
    [ "$device" != cpu ] || return 0
    set -- eval --device "$device" --keys keys "$text" a=a.heb y=y.heb --force --queues 1
    bytes=$("$HEBATCH" "$@" --batch 8 --dry-run --json | field 'r["plan"]["rank_device_bytes"]') || fail "no plan"
    refuse 71 "batch 8: the memory of the device holds no more than --batch [1-7]$" "$HEBATCH" "$@" --batch 8 \
        --gpu-memory $((bytes - 1))
    fits=$(sed 's/.*--batch \([0-9]*\)$/\1/' err)
    expect 0 "$HEBATCH" "$@" --batch "$fits" --gpu-memory $((bytes - 1)) --quiet
    expect 0 "$HEBATCH" verify y.heb --same-as cpu-y.heb --quiet
}

printf '%-10s  %5s  %9s\n' parameters batch "eval s"
batches bfv-8192 "y = a * a + 1" 400000
batches ckks-14 "y = a * a + a" 150000
