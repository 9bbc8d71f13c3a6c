"""What whoever combines parts sees: parts.py slots|coefficients NUMBER DATASET PART.. adds component 0 and the parts of
ciphertext NUMBER up, modulo the product of all primes, and prints what every slot, or coefficient, holds modulo t."""
import sys
import h5py, numpy as np


def residues(row, n):
    bits = len(row) * 64 // n
    packed = int.from_bytes(row.tobytes(), "little")
    return [packed >> (j * bits) & ((1 << bits) - 1) for j in range(n)]


def rows(folder, group, number):
    """A row for each limb, wherever the shards are."""
    with h5py.File(folder + "/index.h5", "r") as f:
        ct = f["ct"][group]
        return [ct[limb][number] for limb in sorted(ct)]


def main(what, number, dataset, *parts):
    with h5py.File(dataset + "/index.h5", "r") as f:
        params = f["params"]
        n, t = int(params["n"][0]), int(params["plain"][0])
        primes = [int(q) for q in params["primes"]][: f["ct"].attrs["limbs"]]
    components = [rows(dataset, "c0", number)] + [rows(part, "h0", number) for part in parts]
    product = 1
    for q in primes:
        product *= q
    x = [0] * n
    for limb, q in enumerate(primes):
        lift = product // q * pow(product // q, -1, q)
        for component in components:
            for j, value in enumerate(residues(component[limb], n)):
                x[j] += value * lift
    message = [(v % product * t * 2 + product) // (2 * product) % t for v in x]
    if what == "slots":
        root = next(r for r in (pow(g, (t - 1) // (2 * n), t) for g in range(2, t)) if pow(r, n, t) == t - 1)
        powers = np.array([pow(root, k, t) for k in range(2 * n)], dtype=np.int64)
        at = np.arange(n, dtype=np.int64)
        coefficients = np.array(message, dtype=np.int64)
        message = [int((coefficients * powers[at * k % (2 * n)] % t).sum() % t) for k in range(1, 2 * n, 2)]
    print("\n".join(map(str, message)))


main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
