#!/bin/sh
# The device of a job: the choice of the device, its memory and its queues. Bytes depend on none of them. The second
# half needs a GPU.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --device cpu --insecure-test-seed $seed --out keys # N = 2048
secret=keys/secret.h5
table 50000 1 30000 >in.csv # 25 ciphertexts

# encrypt OUT OPTIONS...
encrypt() {
    name=$1
    shift
    expect 0 "$HEBATCH" encrypt --insecure-test-seed $seed --key "$key" in.csv "$name" "$@"
}

refuse 64 "it is auto, cpu or gpu" "$HEBATCH" encrypt --device tpu --key $secret in.csv out.heb
refuse 64 "8 at most" "$HEBATCH" encrypt --queues 9 --key $secret in.csv out.heb
refuse 64 "it is auto or off" "$HEBATCH" encrypt --ntt-plan fast --key $secret in.csv out.heb
for size in 0 101% 8X 1.5G; do
    refuse 64 "not a size" "$HEBATCH" encrypt --gpu-memory $size --key $secret in.csv out.heb
done

for key in $secret keys/public.h5; do
    rm -rf one.heb
    encrypt one.heb --device cpu
    for queues in 2 3 8; do
        rm -rf many.heb back.csv
        encrypt many.heb --device cpu --queues $queues
        expect 0 "$HEBATCH" verify many.heb --same-as one.heb --key $secret --against in.csv --device cpu --queues $queues
        expect 0 "$HEBATCH" decrypt --key $secret many.heb back.csv --device cpu --queues $queues
        same in.csv back.csv
    done
done
grep -q "device  *CPU, 8 queues" err || fail "the plan does not name the device"
"$PYTHON" - <<'PYTHON' || fail "the report does not name the device"
import json
report = json.load(open("many.heb.report.json"))
assert report["device"] == {"kind": "cpu"} and report["plan"]["queues"] == 8, report
PYTHON
sed '40000s/.*/0/' in.csv >changed.csv # the first of two differences, whichever queue meets it
sed '30000s/.*/0/' changed.csv >changed2.csv
expect 1 "$HEBATCH" verify many.heb --key $secret --against changed2.csv --device cpu --queues 8
grep -q "row 29999" err || fail "the first difference is not the one named"
sed '12000s/.*/99999999/' in.csv >bad.csv
refuse 65 "row 11999" "$HEBATCH" encrypt --key $secret bad.csv bad.heb --device cpu --queues 8

expect 0 "$HEBATCH" doctor --json
gpus=$("$PYTHON" -c 'import json
print(next(f["value"] for f in json.load(open("out"))["findings"] if f["name"] == "GPUs").split()[0])')
if [ "$gpus" = 0 ]; then
    refuse 69 "--device cpu" "$HEBATCH" encrypt --device gpu --key $secret in.csv out.heb
    refuse 69 "--device cpu" env HEBATCH_DEVICE=gpu "$HEBATCH" keygen --params bfv-4096 --out gpu
    absent out.heb out.heb.partial gpu
    exit 0
fi

expect 0 "$HEBATCH" selftest --device gpu
says "against the CPU, bfv-8192"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --device gpu --insecure-test-seed $seed --out gpu-keys
same keys/secret.h5 gpu-keys/secret.h5
same keys/public.h5 gpu-keys/public.h5
for key in $secret keys/public.h5; do
    rm -rf one.heb
    encrypt one.heb --device cpu
    for queues in 1 3; do
        rm -rf gpu.heb back.csv
        encrypt gpu.heb --device gpu --queues $queues
        expect 0 "$HEBATCH" verify gpu.heb --same-as one.heb --key $secret --against in.csv --device gpu
        expect 0 "$HEBATCH" decrypt --key $secret gpu.heb back.csv --device gpu --queues $queues
        same in.csv back.csv
    done
    rm -rf gpu.heb
    encrypt gpu.heb --gpu-memory 64M # fewer queues, smaller batches
    expect 0 "$HEBATCH" verify gpu.heb --same-as one.heb
done
refuse 71 "gpu-memory" "$HEBATCH" encrypt --device gpu --gpu-memory 1M --key $secret in.csv out.heb
refuse 69 "asks for" "$HEBATCH" encrypt --device gpu --gpu-memory 100T --key $secret in.csv out.heb
absent out.heb out.heb.partial

# More ranks than GPUs share them only when told to.
ranks=$((gpus + 1))
# shellcheck disable=SC2086
expect 78 $MPIRUN -n $ranks "$HEBATCH" encrypt --device gpu --key $secret in.csv out.heb
grep -q -- "--share-gpu" err || fail "the way to share is not named"
absent out.heb out.heb.partial
# shellcheck disable=SC2086
expect 0 $MPIRUN -n $ranks "$HEBATCH" encrypt --device gpu --share-gpu --key $secret --insecure-test-seed $seed in.csv shared.heb
rm -rf one.heb
key=$secret
encrypt one.heb --device cpu
expect 0 "$HEBATCH" verify shared.heb --same-as one.heb
