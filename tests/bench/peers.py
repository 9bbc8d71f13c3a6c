#!/usr/bin/env python3
"""CKKS on one core: hebatch beside Microsoft SEAL (through TenSEAL) and OpenFHE, as a table.

    peers.py HEBATCH [--rounds R] [--seconds S] [--only NAME] [--json FILE]

SEAL gets the primes of seal-ckks-8192, -16384 and -32768, all of them; OpenFHE the ring, levels, bits of primes and number of digits
of ckks-14 and -15, with its own primes (special ones of 60 bits). A peer whose Python package is not there is left out. Every
process runs on the core that this one is bound to first (taskset), OpenFHE without threads of its own.

In every round hebatch measures all lines of a preset (`hebatch bench`, one ciphertext a call, and 2 a call), then the
peer all of its own; a figure is the median of the rounds' medians, by the clock of the process. Values go to a peer and come back as lists of Python: what turning
those into arrays takes is measured apart and not counted.
"""
import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

MULTIPLY, ROTATE, RESCALE, ADD = "multiply, relinearize, rescale", "rotate", "rescale", "add"
ENCODE, ENCRYPT, DECRYPT = "encode", "encrypt, public key", "decrypt, decode"
ROWS = [MULTIPLY, ROTATE, RESCALE, ADD, ENCODE, ENCRYPT, DECRYPT]
# a row that hebatch has in pieces
PIECES = {DECRYPT: ["decrypt, two components", "decode"]}


def seconds_of(body, least):
    """The median of samples of several calls, for at least so many seconds of this process on its core."""
    clock = time.process_time
    body()
    begin = clock()
    body()
    each = max(1, int(least / 9 / max(clock() - begin, 1e-7)))
    samples, start = [], clock()
    while len(samples) < 9 or clock() - start < least:
        begin = clock()
        for _ in range(each):
            body()
        samples.append((clock() - begin) / each)
    return statistics.median(samples)


def values_of(slots):
    return [(j * 2654435761 % 2001) / 1000 - 1 for j in range(slots)]


def far(got, wanted):
    return max(abs(a - b) for a, b in zip(got, wanted)) > 2**-20


class Seal:
    """Microsoft SEAL on the primes of a preset."""

    package, name = "tenseal.sealapi", "SEAL (TenSEAL)"

    def __init__(self, seal, preset):
        n, scale = preset["n"], 2.0**preset["scale_bits"]
        parameters = seal.EncryptionParameters(seal.SCHEME_TYPE.CKKS)
        parameters.set_poly_modulus_degree(n)
        parameters.set_coeff_modulus([seal.Modulus(p) for p in preset["primes"]])
        context = seal.SEALContext(parameters, True, seal.SEC_LEVEL_TYPE.TC128)
        generator = seal.KeyGenerator(context)
        public, relin, galois = seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
        generator.create_public_key(public)
        generator.create_relin_keys(relin)
        generator.create_galois_keys([3], galois)  # the automorphism that rotates by one
        encoder, encryptor = seal.CKKSEncoder(context), seal.Encryptor(context, public)
        decryptor, evaluator = seal.Decryptor(context, generator.secret_key()), seal.Evaluator(context)
        values, plain, decrypted = values_of(n // 2), seal.Plaintext(), seal.Plaintext()
        a, b, r, low = seal.Ciphertext(), seal.Ciphertext(), seal.Ciphertext(), seal.Ciphertext()
        encoder.encode(values, scale, plain)
        encryptor.encrypt(plain, a)
        encryptor.encrypt(plain, b)

        def multiply():
            evaluator.multiply(a, b, r)
            evaluator.relinearize_inplace(r, relin)
            evaluator.rescale_to_next_inplace(r)

        def decrypt():
            decryptor.decrypt(a, decrypted)
            return encoder.decode_double(decrypted)

        def refused():
            """Reads the list, then refuses the scale."""
            try:
                encoder.encode(values, -1.0, plain)
            except ValueError:
                pass

        self.bodies = {
            MULTIPLY: multiply,
            ROTATE: lambda: evaluator.rotate_vector(a, 1, galois, r),
            RESCALE: lambda: evaluator.rescale_to_next(a, low),
            ADD: lambda: evaluator.add(a, b, r),
            ENCODE: lambda: encoder.encode(values, scale, plain),
            ENCRYPT: lambda: encryptor.encrypt(plain, r),
            DECRYPT: decrypt,
        }
        self.conversions = {ENCODE: refused, DECRYPT: lambda: [x + 0.0 for x in values]}
        if far(decrypt(), values):
            sys.exit("SEAL decrypts other values than it encrypted")


class Openfhe:
    """OpenFHE on as many primes of as many bits, with as many digits."""

    package, name = "openfhe", "OpenFHE"

    def __init__(self, fhe, preset):
        n, special = preset["n"], preset["special_limbs"]
        parameters = fhe.CCParamsCKKSRNS()
        limbs = len(preset["primes"]) - special
        parameters.SetSecurityLevel(fhe.SecurityLevel.HEStd_NotSet)
        parameters.SetRingDim(n)
        parameters.SetMultiplicativeDepth(limbs - 1)
        parameters.SetScalingModSize(preset["scale_bits"])
        parameters.SetFirstModSize(preset["primes"][0].bit_length())
        parameters.SetBatchSize(n // 2)
        parameters.SetScalingTechnique(fhe.ScalingTechnique.FIXEDMANUAL)
        parameters.SetKeySwitchTechnique(fhe.KeySwitchTechnique.HYBRID)
        parameters.SetNumLargeDigits(-(-limbs // special))
        context = fhe.GenCryptoContext(parameters)
        for feature in (fhe.PKESchemeFeature.PKE, fhe.PKESchemeFeature.KEYSWITCH, fhe.PKESchemeFeature.LEVELEDSHE):
            context.Enable(feature)
        keys = context.KeyGen()
        context.EvalMultKeyGen(keys.secretKey)
        context.EvalRotateKeyGen(keys.secretKey, [1])
        values = values_of(n // 2)
        plain = context.MakeCKKSPackedPlaintext(values)
        a, b = context.Encrypt(keys.publicKey, plain), context.Encrypt(keys.publicKey, plain)
        square = context.EvalMult(a, b)

        def decrypt():
            result = context.Decrypt(a, keys.secretKey)
            result.SetLength(n // 2)
            return result

        self.bodies = {
            MULTIPLY: lambda: context.Rescale(context.EvalMult(a, b)),
            ROTATE: lambda: context.EvalRotate(a, 1),
            RESCALE: lambda: context.Rescale(square),
            ADD: lambda: context.EvalAdd(a, b),
            ENCODE: lambda: context.MakeCKKSPackedPlaintext(values),
            ENCRYPT: lambda: context.Encrypt(keys.publicKey, plain),
            DECRYPT: decrypt,
        }
        self.conversions = {ENCODE: lambda: [x + 0.0 for x in values]}
        if far(decrypt().GetRealPackedValue(), values):
            sys.exit("OpenFHE decrypts other values than it encrypted")


CASES = [("seal-ckks-8192", Seal), ("seal-ckks-16384", Seal), ("seal-ckks-32768", Seal), ("ckks-14", Openfhe), ("ckks-15", Openfhe)]


def preset_of(hebatch, name):
    document = json.loads(subprocess.run([hebatch, "params", "show", name, "--json"], check=True, capture_output=True).stdout)
    preset = document["params"]
    preset["primes"] = [int(p, 16) for p in preset["primes"]]
    preset["special_limbs"] = len(preset["primes"]) - document["data_limbs"]
    return preset


def bench(hebatch, name, seconds):
    """Microseconds of each row: of one ciphertext alone, and of each of two in a call."""
    command = [hebatch, "bench", "ckks", "encode", "encrypt", "decrypt", "--params", name, "--device", "cpu", "--clock", "cpu",
               "--seconds", f"{seconds}s", "--json"]
    document = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    lines = {m["name"]: m["median_us"] for m in document["measures"]}
    return {row: tuple(sum(lines[piece + suffix] for piece in PIECES.get(row, [row])) for suffix in (", alone", "")) for row in ROWS}


def peer_times(peer, seconds):
    times = {}
    for row in ROWS:
        own = seconds_of(peer.bodies[row], seconds)
        times[row] = 1e6 * (own - (seconds_of(peer.conversions[row], seconds) if row in peer.conversions else 0))
    return times


def compare(arguments, name, kind):
    try:
        peer = kind(importlib.import_module(kind.package), preset_of(arguments.hebatch, name))
    except ImportError as error:
        print(f"\n{name}: without {kind.name}: {error}", flush=True)
        return None
    ours, theirs = [], []
    for _ in range(arguments.rounds):
        ours.append(bench(arguments.hebatch, name, arguments.seconds))
        theirs.append(peer_times(peer, arguments.seconds))
    print(f"\n| {name}, us | hebatch, alone | two a call | {kind.name} | {kind.name} / alone | / two a call |")
    print("|---|---|---|---|---|---|")
    result = {}
    for row in ROWS:
        alone, batch = (statistics.median(o[row][i] for o in ours) for i in (0, 1))
        other = statistics.median(t[row] for t in theirs)
        print(f"| {row} | {alone:.0f} | {batch:.0f} | {other:.0f} | {other / alone:.2f} | {other / batch:.2f} |", flush=True)
        result[row] = {"alone_us": alone, "batch_us": batch, "peer_us": other, "peer": kind.name}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hebatch")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.1, help="of each line in each round")
    parser.add_argument("--only", default="", help="presets whose name has this")
    parser.add_argument("--json", help="write figures there as well")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    results = {name: compare(arguments, name, kind) for name, kind in CASES if arguments.only in name}
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
