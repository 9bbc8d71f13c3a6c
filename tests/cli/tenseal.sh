#!/bin/sh
# Microsoft SEAL itself, in TenSEAL, reads what hebatch writes, in every compression and as its own version or an older one;
# and the example of an owner with TenSEAL. Skipped where TENSEAL_PYTHON has no TenSEAL.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(CDPATH='' cd -- "${0%/*}/.." && pwd)
"$TENSEAL_PYTHON" -c 'import tenseal' 2>/dev/null || exit 77

expect 0 "$HEBATCH" keygen --params bfv-8192 --out keys --relin --rotations 1
table 9000 1 1000 >in.csv
for key in secret public; do
    expect 0 "$HEBATCH" encrypt --key keys/$key.h5 in.csv $key.heb
done
values=$(sed -n 2,9p in.csv | tr '\n' ' ')
for how in none zlib zstd; do
    for version in 3.6 3.7; do
        expect 0 "$HEBATCH" export keys keys-$how-$version --compress $how --seal $version
        for key in secret public; do
            expect 0 "$HEBATCH" export $key.heb $key-$how-$version --compress $how --seal $version
            # shellcheck disable=SC2086 # several numbers
            expect 0 "$TENSEAL_PYTHON" "$tests/reference/tenseal_check.py" keys-$how-$version $key-$how-$version $values
        done
    done
done

# CKKS as SEAL has it.
expect 0 "$HEBATCH" keygen --params seal-ckks-8192 --out real --relin --rotations 1 --conj
printf 'a\n0.5\n-1.25\n3e-3\n7\n' >reals.csv
for key in public secret; do
    expect 0 "$HEBATCH" encrypt --key real/$key.h5 reals.csv reals-$key.heb
done
for how in none zstd; do
    expect 0 "$HEBATCH" export real real-$how --compress $how
    for key in public secret; do
        expect 0 "$HEBATCH" export reals-$key.heb reals-$key-$how --compress $how
        expect 0 "$TENSEAL_PYTHON" "$tests/reference/tenseal_check_reals.py" real-$how reals-$key-$how 0.5 -1.25 3e-3 7
    done
done
expect 0 "$HEBATCH" export reals.csv reals-plain --params seal-ckks-8192
expect 0 "$TENSEAL_PYTHON" - <<'PYTHON'
import sys
from tenseal import sealapi
parameters = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE.CKKS)
parameters.load("reals-plain/parms.seal")
context = sealapi.SEALContext(parameters, True, sealapi.SEC_LEVEL_TYPE.TC128)
plaintext = sealapi.Plaintext()
plaintext.load(context, "reals-plain/plain-000000.seal")
got = sealapi.CKKSEncoder(context).decode_double(plaintext)
if any(abs(a - b) > 2**-30 for a, b in zip(got, [0.5, -1.25, 3e-3, 7, 0])):
    sys.exit("a plaintext: %s" % got[:5])
PYTHON
# Ciphertexts that SEAL encrypted and computed come back.
for name in fresh square; do
    expect 0 "$HEBATCH" import $name.seal $name.heb --key real --rows 4 --noise-bits 30
    expect 0 "$HEBATCH" decrypt --key real/secret.h5 $name.heb $name.csv
done
expect 0 "$HEBATCH" eval --keys real 'y = rotate(x * x, 1)' x=fresh.heb y=y.heb --range x=-8..8
expect 0 "$HEBATCH" decrypt --key real/secret.h5 y.heb y.csv
"$PYTHON" - <<'PYTHON' || fail "values of Microsoft SEAL"
values = [0.5, -1.25, 3e-3, 7]
squares = [x * x for x in values]
for name, wanted in ("fresh", values), ("square", squares), ("y", squares[1:] + [0]):
    got = [float(line) for line in open(name + ".csv").read().split()[1:]]
    assert len(got) == 4 and all(abs(a - b) < 2**-14 for a, b in zip(got, wanted)), (name, got)
PYTHON
refuse 65 "its scale is 2^40.0000002, that of its parameters 2^40" "$HEBATCH" import scaled.seal odd.heb --key real

expect 0 env PYTHON="$TENSEAL_PYTHON" DOWNLOAD=no RANKS=1 "$tests/../jobs/examples/tenseal" "$work/example"
says "Equal to the plain computation"
