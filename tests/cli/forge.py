"""Files that are consistent, and that this program would not write: sums are no signatures.

forge.py noise DATASET       component 0 of every ciphertext becomes uniform: nothing of a noise budget is left
forge.py eighth DATASET      component 1 of every ciphertext becomes an eighth of the product of its primes
forge.py residues DATASET    one residue of the last unit becomes larger than its prime, in the last limb
forge.py twins DATASET       of several plain moduli: residue 1 gets component 1 of residue 0
forge.py mixed PART OTHER PARTY
                             a part of several plain moduli whose residues but the first become those of another part,
                             as its owner would sign it, whose party.h5 it is
forge.py plain KEYFILE T     the public key for another plain modulus
forge.py digits KEYFILE P D  the relinearization key for P special primes and digits of D primes
forge.py older KEYFILE..     keys for computing of BFV or CKKS, as older versions wrote them, with one checksum over all
                             rows; those that are there are compared with digests of the rows first
forge.py row KEYFILE CHANGE P R
                             row R of part P of component 0 of a key for computing, and a checksum that holds. CHANGE:
                             digest (the row's digest is of other bytes), swap (the row changes places with that of the
                             next part), residue (coefficient 0 is larger than the prime, and the digest is the row's)
forge.py count KEYFILE NAME  dataset NAME of a key for computing says that it has one row more
forge.py number KEYFILE NAME VALUE
                             attribute NAME says VALUE
forge.py chosen KEYFILE      component 1 of a key of several owners becomes a number times all powers of X in its first
                             part, and component 0 zero: parts of what it makes would tell secrets. With id and checksum
                             that hold
forge.py unsummed KEYFILE    a public key of several owners of their session, whose component 0 is zero; likewise
forge.py reseeded KEYFILE    a rotation key of several owners has other seeds, and a checksum that holds
forge.py without KEYFILE NAME
                             dataset NAME is not there
"""
import ctypes, ctypes.util, glob, hashlib, os, random, shutil, struct, sys
import h5py, numpy as np

LEAF = 4096


def H(person, *parts):
    state = hashlib.blake2b(digest_size=32, person=person.encode().ljust(16, b"\0"))
    for part in parts:
        state.update(part)
    return state.digest()


def words(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def row_digest(row):
    leaves = [H("hebatch leaf", row[i:i + LEAF]) for i in range(0, len(row), LEAF)]
    return H("hebatch row", *leaves)


def write(name, offset, data):
    with open(name, "r+b") as f:
        f.seek(offset)
        f.write(data)


def limbs(ct):
    """Rows of all that is stored, in the order of sums."""
    return [ct[c][q] for c in ("c0", "c1") if c in ct for q in sorted(ct[c])]


def new_sums(folder, name, change):
    """Rows of a shard as change(unit, limb, rows of the unit) has them, and sums that hold; {unit: sum}."""
    found = {}
    with h5py.File(name, "r") as f:
        ct, header = f["ct"], f.attrs["header_digest"].tobytes()
        first, units, size = int(f["unit"].attrs["first"]), int(f["unit"].attrs["units"]), int(ct.attrs["unit"])
        total, at = int(ct.attrs["ciphertexts"]), f["unit/sum"].id.get_offset()
        for i in range(units):
            u, begin = first + i, i * size
            end = min((u + 1) * size, total) - first * size
            seeds = ct["seed"][begin:end].tobytes() if "seed" in ct else b""
            digests = b""
            for l, stored in enumerate(limbs(ct)):
                rows = change(u, l, stored[begin:end].copy())
                write(name, stored.id.get_offset() + begin * stored.shape[1] * 8, rows.tobytes())
                digests += b"".join(row_digest(row.tobytes()) for row in rows)
            found[u] = H("hebatch unit", header, words(u), seeds, digests)
            write(name, at + 32 * i, found[u])
    return found


def forge(folder, change):
    sums = {}
    for name in sorted(glob.glob(folder + "/part-*.h5")):
        sums.update(new_sums(folder, name, change))
    replace_sums(folder + "/index.h5", sums)


def replace_sums(index, sums):
    every = b"".join(sums[u] for u in sorted(sums))
    with h5py.File(index, "r") as f:
        at, header = f["unit/sum"].id.get_offset(), f.attrs["header_digest"].tobytes()
    write(index, at, every)
    replace(index, "data_sum", H("hebatch data", header, every))


def replace(name, attribute, value):
    with h5py.File(name, "r+") as f:
        f.attrs.modify(attribute, np.frombuffer(value, dtype=np.uint8))


def widths(folder):
    with h5py.File(folder + "/index.h5", "r") as f:
        return [int(q - 1).bit_length() for q in f["params/primes"][:int(f["ct"].attrs["limbs"])].tolist()]


def noise(folder):
    bits, draw = widths(folder), random.Random(1)

    def change(u, l, rows):
        if l >= len(bits):
            return rows
        w = bits[l]
        values = rows.shape[1] * 64 // w
        return np.array([np.frombuffer(sum(draw.getrandbits(w - 1) << (j * w) for j in range(values))
                                       .to_bytes(rows.shape[1] * 8, "little"), dtype="<u8") for _ in rows])

    forge(folder, change)


def eighth(folder):
    with h5py.File(folder + "/index.h5", "r") as f:
        primes = [int(q) for q in f["params/primes"][:int(f["ct"].attrs["limbs"])]]
    product = 1
    for q in primes:
        product *= q

    def change(u, l, rows):
        if l >= len(primes):
            rows[:] = 0
            rows[:, 0] = product // 8 % primes[l - len(primes)]  # coefficient 0 alone
        return rows

    forge(folder, change)


def residues(folder):
    bits = widths(folder)
    with h5py.File(folder + "/index.h5", "r") as f:
        last, stored = len(f["unit/sum"]) - 1, len(limbs(f["ct"]))

    def change(u, l, rows):
        if u == last and l == stored - 1:
            rows[-1][0] |= np.uint64((1 << bits[l % len(bits)]) - 1)  # coefficient 0: more than any number of so many bits
        return rows

    forge(folder, change)


def twins(folder):
    with h5py.File(folder + "/index.h5", "r") as f:
        first = [f["ct/c1"][q][:] for q in sorted(f["ct/c1"])]
        size, residues = int(f["ct"].attrs["unit"]), len(f["params/plains"])

    def change(u, l, rows):
        return first[l - len(first)][u * size:u * size + len(rows)] if l >= len(first) else rows

    sums = {}
    for name in sorted(glob.glob(folder + "/part-1-*.h5")):
        sums.update(new_sums(folder, name, change))
    replace_sums(folder + "/index-1.h5", sums)
    with h5py.File(folder + "/index-1.h5", "r") as f:
        own = f.attrs["data_sum"]
    with h5py.File(f"{folder}/index-{residues - 1}.h5", "r+") as last:
        last["residues/data_sum"][1] = own


def signed(message, seed):
    """Ed25519."""
    sodium, signature = ctypes.CDLL(ctypes.util.find_library("sodium")), ctypes.create_string_buffer(64)
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
    assert sodium.crypto_sign_seed_keypair(public, secret, seed) == 0
    assert sodium.crypto_sign_detached(signature, None, message, ctypes.c_ulonglong(len(message)), secret) == 0
    return signature.raw


def mixed(folder, other, party):
    for name in glob.glob(other + "/*-[1-9]*.h5"):
        if "part-0" not in name:
            shutil.copy(name, folder)
    with h5py.File(folder + "/index.h5", "r") as f:
        first, session = f.attrs["data_sum"], f["params/session"][:].tobytes()
    with h5py.File(party, "r") as f:
        root, name = f["root"][:].tobytes(), f.attrs["name"]
    name = name if isinstance(name, bytes) else name.encode()
    seed = hashlib.blake2b(b"sign", key=root, digest_size=32).digest()
    with h5py.File(sorted(glob.glob(folder + "/index-*.h5"))[-1], "r+") as last:
        last["residues/data_sum"][0] = first
        whole = H("hebatch whole", last["residues/data_sum"][:].tobytes())
        digest = H("hebatch signed", words(4), b"part", session, words(len(name)), name, whole)
        last.attrs.modify("signature", np.frombuffer(signed(digest, seed), dtype=np.uint8))


def plain(name, t):
    with h5py.File(name, "r+") as f:
        p = f["params"]
        n, primes = int(p["n"][0]), [int(q) for q in p["primes"][:]]
        p["plain"][0] = int(t)
        digest = hashlib.blake2b(words(1, n, *primes, int(t)), digest_size=32).digest()
        spec = [n, len(primes), *primes, int(t), int(p["security"][0]), int(p["insecure"][0])]
        spec += [int(p["security_table"][0]), int(p["quantum"][0])] if "security_table" in p else []
        seed, b = f.attrs["public_seed"].tobytes(), f["b"][:].tobytes()
        key_id = H("hebatch key", digest, seed, b)[:16]
        checksum = H("hebatch keyfile", words(int(f.attrs["version"]), 1, *spec), key_id, seed, b)
        for attribute, value in ("params_digest", digest), ("key_id", key_id), ("checksum", checksum):
            f.attrs.modify(attribute, np.frombuffer(value, dtype=np.uint8))


def own_members(p):
    """Of the scheme, in digests of keys; of CKKS behind its number."""
    if "plain" in p:
        return [int(p["plain"][0])]
    optional = ("level_primes", "eval_mod", "stc_levels", "cts_levels", "sparse_weight")
    return [2, int(p["scale_bits"][0]), int(p["like_seal"][0]), *(int(p[name][0]) for name in optional if name in p)]


def spec_words(p):
    n, primes = int(p["n"][0]), [int(q) for q in p["primes"][:]]
    spec = [n, len(primes), *primes, *own_members(p), int(p["security"][0]), int(p["insecure"][0])]
    for pair in ("security_table", "quantum"), ("special_limbs", "digit_limbs"):
        spec += [int(p[name][0]) for name in pair] if pair[0] in p else []
    return spec


def key_checksum(f):
    kind = ("secret", "public", "relinearization", "galois", "to sparse secret", "from sparse secret")
    of = [int(f.attrs["version"]), kind.index(f.attrs["kind"].decode()), *spec_words(f["params"])]
    behind = [int(f.attrs[name]) for name in ("element", "limbs") if name in f.attrs]
    bodies = [name for name in ("seed", "row_sums" if "row_sums" in f else "a") if name in f]
    bodies += [] if "row_sums" in f else ["b"]
    return H("hebatch keyfile", words(*of), f.attrs["key_id"].tobytes(), words(*behind),
             *(f[name][:].tobytes() for name in bodies))


def digits(name, special, digit):
    with h5py.File(name, "r+") as f:
        p = f["params"]
        n, primes = int(p["n"][0]), [int(q) for q in p["primes"][:]]
        p["special_limbs"][0], p["digit_limbs"][0] = int(special), int(digit)
        own = own_members(p)
        digest_of = [1, n, *primes, *own] if "plain" in p else [2, n, *primes, 0, *own[1:]]
        digest = hashlib.blake2b(words(*digest_of, int(special), int(digit)), digest_size=32).digest()
        checksum = key_checksum(f)
        for attribute, value in ("params_digest", digest), ("checksum", checksum):
            f.attrs.modify(attribute, np.frombuffer(value, dtype=np.uint8))


def part_rows(f):
    """The packed bytes of the rows of a part."""
    p = f["params"]
    n, primes = int(p["n"][0]), [int(q) for q in p["primes"][:]]
    data = len(primes) - (int(p["special_limbs"][0]) if "special_limbs" in p else 1)
    limbs = 1 if f.attrs["kind"] == b"to sparse secret" else int(f.attrs.get("limbs", data))
    end = data + 1 if f.attrs["kind"] == b"to sparse secret" else len(primes)
    return [n * (q - 1).bit_length() // 8 for l, q in enumerate(primes[:end]) if l < limbs or l >= data]


def older(*names):
    for name in names:
        with h5py.File(name, "r+") as f:
            digests = b""
            for part in [part for body in ("a", "b") if body in f for part in f[body][:]]:
                at = 0
                for size in part_rows(f):
                    digests += row_digest(part[at:at + size].tobytes())
                    at += size
                assert at == len(part), (name, at, len(part))
            assert f["row_sums"][:].tobytes() == digests and f.attrs["version"] == 5, name
            assert f.attrs["checksum"].tobytes() == key_checksum(f), name
            del f["row_sums"]
            early = "plain" in f["params"] and "special_limbs" not in f["params"]
            f.attrs.modify("version", 3 if not early else 2 if "security_table" in f["params"] else 1)
            f.attrs.modify("checksum", np.frombuffer(key_checksum(f), dtype=np.uint8))


def row(name, change, part, number):
    part, number = int(part), int(number)
    with h5py.File(name, "r+") as f:
        b, sums, sizes = f["b"], f["row_sums"], part_rows(f)
        at, size = sum(sizes[:number]), sizes[number]
        place = (len(f["a"]) * len(sizes) if "a" in f else 0) + part * len(sizes) + number
        old = b[part, at:at + size].tobytes()
        if change == "digest":
            sums[place, 0] ^= 1
        elif change == "swap":
            other = (part + 1) % len(b)
            b[part, at:at + size] = b[other, at:at + size]
            b[other, at:at + size] = np.frombuffer(old, dtype=np.uint8)
        else:
            width = size * 8 // int(f["params"]["n"][0])
            new = (int.from_bytes(old, "little") | (1 << width) - 1).to_bytes(size, "little")
            b[part, at:at + size] = np.frombuffer(new, dtype=np.uint8)
            sums[place] = np.frombuffer(row_digest(new), dtype=np.uint8)
        f.attrs.modify("checksum", np.frombuffer(key_checksum(f), dtype=np.uint8))


def count(name, dataset):
    with h5py.File(name, "r+") as f:
        rows = f[dataset][:]
        del f[dataset]
        f[dataset] = np.concatenate([rows, rows[:1]])


def number(name, attribute, value):
    with h5py.File(name, "r+") as f:
        f.attrs.modify(attribute, np.uint64(value)) if attribute in f.attrs else f.attrs.create(attribute, np.uint64(value))


def joint_spec(p):
    of = spec_words(p)
    return words(*of, *(int(p[name][0]) for name in ("owners", "threshold", "results"))) + p["session"][:].tobytes()


def forge_public(f, a, b):
    """A public key with these components, packed; a None: the one of its session."""
    seed = f.attrs["public_seed"].tobytes()
    del f["b"]
    f["b"] = np.frombuffer(b, dtype=np.uint8)
    if a is not None:
        f["a"] = np.frombuffer(a, dtype=np.uint8)
        del f.attrs["public_seed"]
    component = b + a if a is not None else b
    key_id = H("hebatch key", f.attrs["params_digest"].tobytes(), seed if a is None else bytes(32), component)[:16]
    behind = component if a is not None else seed + component
    of = words(int(f.attrs["version"]), 1) + joint_spec(f["params"])
    for attribute, value in ("key_id", key_id), ("checksum", H("hebatch keyfile", of, key_id, behind)):
        f.attrs.modify(attribute, np.frombuffer(value, dtype=np.uint8))


def chosen(name):
    with h5py.File(name, "r+") as f:
        kind, p = f.attrs["kind"], f["params"]
        n, primes = int(p["n"][0]), [int(q) for q in p["primes"][:]]
        size = [n * (q - 1).bit_length() // 8 for q in primes]
        number = pow(2, sum(q.bit_length() for q in primes) - 24)
        rows = []
        for q in primes:
            w = (q - 1).bit_length()
            rows.append(sum(number % q << w * i for i in range(n)).to_bytes(n * w // 8, "little"))
        zeros = [bytes(s) for s in size]
        if kind == b"public":
            forge_public(f, b"".join(rows), b"".join(zeros))
            return
        parts = f["b"].shape[0]
        a, b = [rows] + [zeros] * (parts - 1), [zeros] * parts
        for dataset in ("a", "b", "seed", "row_sums"):
            if dataset in f:
                del f[dataset]
        for dataset, value in ("a", a), ("b", b):
            f[dataset] = np.array([np.frombuffer(b"".join(part), dtype=np.uint8) for part in value])
        sums = b"".join(row_digest(row) for part in a + b for row in part)
        f["row_sums"] = np.frombuffer(sums, dtype=np.uint8).reshape(-1, 32)
        of = words(int(f.attrs["version"]), 2 if kind == b"relinearization" else 3) + joint_spec(p)
        behind = words(*(int(f.attrs[name]) for name in ("element", "limbs") if name in f.attrs))
        checksum = H("hebatch keyfile", of, f.attrs["key_id"].tobytes(), behind, sums)
        f.attrs.modify("checksum", np.frombuffer(checksum, dtype=np.uint8))


def unsummed(name):
    with h5py.File(name, "r+") as f:
        forge_public(f, None, bytes(len(f["b"])))


def reseeded(name):
    with h5py.File(name, "r+") as f:
        f["seed"][:] ^= 1
        of = words(int(f.attrs["version"]), 3) + joint_spec(f["params"])
        behind = words(*(int(f.attrs[name]) for name in ("element", "limbs") if name in f.attrs))
        checksum = H("hebatch keyfile", of, f.attrs["key_id"].tobytes(), behind, f["seed"][:].tobytes(),
                     f["row_sums"][:].tobytes())
        f.attrs.modify("checksum", np.frombuffer(checksum, dtype=np.uint8))


def without(name, dataset):
    with h5py.File(name, "r+") as f:
        del f[dataset]


globals()[sys.argv[1]](*sys.argv[2:])
