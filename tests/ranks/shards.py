"""Looks at and changes the shards of a dataset, for the tests of --resume. Bytes change in place, not through HDF5.

shards.py partial DATASET TABLE RANKS    DATASET becomes DATASET.partial, as if its job had been killed at the very end
shards.py forget FOLDER UNIT...          removes the sums of these units and overwrites their rows
shards.py damage FOLDER UNIT             flips one bit in the rows of this unit
shards.py count FOLDER                   prints how many units have a sum
shards.py wait FOLDER COUNT PROCESS      returns when COUNT units have a sum; fails if PROCESS ends before
shards.py save FOLDER FILE               notes every unit that has a sum
shards.py same FOLDER FILE [LEAST [MOST]] every unit noted but MOST (0) has the bytes it had; prints how many, LEAST or
                                         more
"""
import glob, hashlib, json, os, pickle, subprocess, sys, time
import h5py


def units(folder):
    """(unit, file, offset of its sum, its sum, [(offset, bytes) of its rows]) of every unit of every shard."""
    for name in sorted(glob.glob(folder + "/part-*.h5")):
        with h5py.File(name, "r") as f:
            ct, first, count = f["ct"], int(f["unit"].attrs["first"]), int(f["unit"].attrs["units"])
            unit, total, sums = int(ct.attrs["unit"]), int(ct.attrs["ciphertexts"]), f["unit/sum"]
            sets = []
            ct.visititems(lambda _, s: sets.append(s) if isinstance(s, h5py.Dataset) else None)
            for i in range(count):
                begin, end = i * unit, min((first + i + 1) * unit, total) - first * unit
                rows = []
                for s in sets:
                    row = s.shape[1] * s.dtype.itemsize
                    rows.append((s.id.get_offset() + begin * row, (end - begin) * row))
                yield first + i, name, sums.id.get_offset() + 32 * i, sums[i].tobytes(), rows


def write(name, offset, data):
    with open(name, "r+b") as f:
        f.seek(offset)
        f.write(data)


def digest(name, rows):
    state = hashlib.sha256()
    with open(name, "rb") as f:
        for offset, size in rows:
            f.seek(offset)
            state.update(f.read(size))
    return state.digest()


def stored(folder):
    return {u: digest(name, rows) for u, name, _, s, rows in units(folder) if any(s)}


def poly1305(key, message):
    """RFC 8439, 2.5."""
    r, total, prime = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF, 0, (1 << 130) - 5
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at : at + 16] + b"\1", "little")) * r % prime
    return ((total + int.from_bytes(key[16:], "little")) % (1 << 128)).to_bytes(16, "little")


def log_values(dataset, table):
    """The records that the ranks of the job would have of a table of one column without negative numbers."""
    key, rows = os.urandom(32), {u: sum for u, _, _, sum, _ in units(dataset)}
    with h5py.File(dataset + "/part-00000.h5", "r") as f:
        unit, capacity = int(f["ct"].attrs["unit"]), int(f["ct"].attrs["capacity"])
    if ":" in table:
        with h5py.File(table.split(":")[0], "r") as f:
            values = [int(v) for v in f[table.split(":")[1]][:].ravel()]
    else:
        values = [int(line) for line in open(table).read().split()[1:]]
    values += [0] * (-len(values) % capacity)
    own, of_hash = (hashlib.blake2b(name, key=key, digest_size=32).digest()
                    for name in (b"digest of values", b"hash of values"))
    with open(dataset + "/values-0", "wb") as f:
        for u, sum in rows.items():
            held = values[u * unit * capacity : (u + 1) * unit * capacity]
            state = hashlib.blake2b(own, digest_size=32, person=b"hebatch values")
            state.update(poly1305(of_hash, b"".join(v.to_bytes(8, "little") for v in held)))
            f.write(u.to_bytes(8, "little") + sum + state.digest())
    with open(dataset + ".partial.key", "wb") as f:
        f.write(key)


def partial(dataset, table, ranks):
    log_values(dataset, table)
    os.rename(dataset, dataset + ".partial")
    with h5py.File(dataset + ".partial/part-00000.h5", "r") as f:
        header = f.attrs["header_digest"].tobytes().hex()
    version = dict(line.split(None, 1) for line in
                   subprocess.run([os.environ["HEBATCH"], "--version"], capture_output=True, text=True,
                                  check=True).stdout.splitlines())
    job = {"job_version": 4, "tool": f"hebatch {version['hebatch']}, HDF5 {version['HDF5']}", "command": "encrypt",
           "resumable": True, "header_digest": header, "ranks": int(ranks), "table": table, "errors": "gaussian"}
    json.dump(job, open(dataset + ".partial/job.json", "w"))


def forget(folder, *wanted):
    for u, name, at, _, rows in list(units(folder)):
        if str(u) in wanted:
            write(name, at, bytes(32))
            for offset, size in rows:
                write(name, offset, b"\x55" * size)


def damage(folder, wanted):
    for u, name, _, _, rows in list(units(folder)):
        if str(u) == wanted:
            offset, size = rows[-1]
            with open(name, "rb") as f:
                f.seek(offset + size // 2)
                byte = f.read(1)[0]
            write(name, offset + size // 2, bytes([byte ^ 4]))


def count(folder):
    print(sum(any(s) for _, _, _, s, _ in units(folder)))


def ended(process):
    try:
        with open(f"/proc/{process}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] == "Z"  # nobody has waited for it
    except OSError:
        return True


def wait(folder, count, process):
    while True:
        late = ended(process)  # before the look: what it stored until its end counts
        try:
            if os.path.exists(folder + "/job.json") and sum(any(s) for _, _, _, s, _ in units(folder)) >= int(count):
                return
        except (OSError, KeyError):
            pass  # a shard that is being made
        if late:
            sys.exit("the job does not get there")
        time.sleep(0.02)


def save(folder, file):
    pickle.dump(stored(folder), open(file, "wb"))


def same(folder, file, least="0", most="0"):
    before, after = pickle.load(open(file, "rb")), stored(folder)
    changed = [u for u in before if before[u] != after.get(u)]
    kept = len(before) - len(changed)
    if len(changed) > int(most) or kept < int(least):
        sys.exit(f"{len(before)} units were there, of these changed: {changed}")
    print(kept)


globals()[sys.argv[1]](*sys.argv[2:])
