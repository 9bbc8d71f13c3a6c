#!/bin/sh
# W @ x with more than 2^20 numbers in W: of rows within slots against numpy, within what the plan proves; of columns of
# integers, exactly. A W above the limit is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
expect 0 "$HEBATCH" keygen --n 4096 --levels 1 --scale-bits 46 --special-primes 1 --insecure --out keys --quiet
expect 0 "$HEBATCH" keygen --n 1024 --bits 54 --plain-bits 30 --insecure --out integers --quiet
"$PYTHON" -c 'import h5py, numpy as np
random = np.random.default_rng(44)
with h5py.File("w.h5", "w") as f:
    f["reals"] = random.uniform(-1, 1, (1025, 1024)) / 128
    f["integers"] = random.integers(-3, 4, (1025, 1024), dtype=np.int8)
    f["large"] = np.zeros((4097, 4096), dtype=np.int8)
    f["x"] = random.uniform(-1, 1, (2, 1024))
    f["i"] = random.integers(-5, 6, (3, 1024), dtype=np.int8)
    f["y"] = f["x"][...] @ f["reals"][...].T
    f["j"] = f["i"][...].astype(np.int32) @ f["integers"][...].T.astype(np.int32)
    f["k"] = 2 * f["j"][...]' || fail "no tables"

expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 --pack rows --block 2048 w.h5:/x x.heb --range=-1..1
eval_with_keys 'y = W @ x' W=w.h5:/reals x=x.heb y=y.heb
bits=$(sed -n 's/.* \([0-9.]*\) bits at least.*/\1/p' plan)
tolerance=$("$PYTHON" -c "print(2 ** -$bits)")
expect 0 "$HEBATCH" verify y.heb --key keys/secret.h5 --against w.h5:/y --tolerance "$tolerance"

expect 0 "$HEBATCH" encrypt --quiet --key integers/secret.h5 w.h5:/i i.heb --range=-5..5
expect 0 "$HEBATCH" eval --quiet --keys integers 'j = W @ i; k = (2*W) @ i' W=w.h5:/integers i=i.heb j=j.heb k=k.heb
expect 0 "$HEBATCH" verify j.heb --key integers/secret.h5 --against w.h5:/j
expect 0 "$HEBATCH" verify k.heb --key integers/secret.h5 --against w.h5:/k
refuse 64 "W has too many numbers for weights, which are read beforehand: 2^24 at most" \
    "$HEBATCH" eval --keys integers 'j = W @ i' W=w.h5:/large i=i.heb j=no.heb
