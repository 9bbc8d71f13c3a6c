"""What whoever combines parts sees: parts.py slots|coefficients NUMBER DATASET PART.. adds component 0 and the parts of
ciphertext NUMBER up, modulo the product of all primes, and prints what every slot, or coefficient, holds modulo t. With
a secret key, FILE.h5, in the place of parts: what its owner sees."""
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


def times_secret(row, key, n, q):
    """Component 1 times the ternary secret, X^n = -1."""
    with h5py.File(key, "r") as f:
        ternary = f["ternary"][:].astype(int)
    c1 = np.array(residues(row, n), dtype=object)
    product = np.zeros(n, dtype=object)
    for j in np.flatnonzero(ternary):
        turned = np.concatenate((-c1[n - j :], c1[: n - j])) if j > 0 else c1
        product += int(ternary[j]) * turned
    return [int(v) % q for v in product]


def main(what, number, dataset, *parts):
    with h5py.File(dataset + "/index.h5", "r") as f:
        params = f["params"]
        n, t = int(params["n"][0]), int(params["plain"][0])
        primes = [int(q) for q in params["primes"]][: f["ct"].attrs["limbs"]]
    secret = parts[0] if parts[0].endswith(".h5") else None
    components = [[residues(row, n) for row in rows(dataset, "c0", number)]]
    if secret is None:
        components += [[residues(row, n) for row in rows(part, "h0", number)] for part in parts]
    else:
        of = zip(rows(dataset, "c1", number), primes)
        components.append([times_secret(row, secret, n, q) for row, q in of])
    product = 1
    for q in primes:
        product *= q
    x = [0] * n
    for limb, q in enumerate(primes):
        lift = product // q * pow(product // q, -1, q)
        for component in components:
            for j, value in enumerate(component[limb]):
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
