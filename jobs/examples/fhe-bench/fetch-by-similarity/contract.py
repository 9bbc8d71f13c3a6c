"""fetch-by-similarity as the suite has it: unit vectors of 32-bit floats, of each 7 numbers below 512, and a query; the
answer are those 7 numbers of rows whose cosine with the query is above 0.8, sorted, or how many there are. No row is
between 0.7 and 0.8. Needs numpy."""
import os
import subprocess
import sys

import shapes

MOST = 32  # rows that match
CENTRES = 4  # queries that there are rows for


def prepare():
    """Looks for what the stages import, in the Python that runs them, before anything is made."""
    python = os.environ.get("PYTHON") or sys.executable
    if subprocess.run([python, "-c", "import h5py, numpy"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("skipped: numpy and h5py are not installed (%s -m pip install numpy h5py)" % python, file=sys.stderr)
        sys.exit(77)


def unit(vectors):
    import numpy as np
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def make_dataset(folder, size, rng, count_only):
    """Random rows, few of which are near any other, and up to MOST around each of some centres, by a cosine of 0.81
    and more."""
    import numpy as np
    rows, columns = shapes.SHAPE[size]
    random = np.random.default_rng(rng.getrandbits(64))
    centres = unit(random.standard_normal((CENTRES, columns)))
    near = [random.integers(1, MOST + 1) for _ in range(CENTRES)]
    places = random.choice(rows, sum(near), replace=False)
    cosines = random.uniform(0.81, 1, sum(near))
    aside = random.standard_normal((sum(near), columns))
    which = np.repeat(np.arange(CENTRES), near)
    aside = unit(aside - (aside * centres[which]).sum(1, keepdims=True) * centres[which])
    planted = unit(cosines[:, None] * centres[which] + np.sqrt(1 - cosines[:, None] ** 2) * aside)
    with open(folder / "db.bin", "wb") as db:
        for first in range(0, rows, shapes.AT_ONCE):
            some = unit(random.standard_normal((min(shapes.AT_ONCE, rows - first), columns), dtype=np.float32))
            here = (places >= first) & (places < first + len(some))
            some[places[here] - first] = planted[here]
            some.tofile(db)
    random.integers(0, shapes.LARGEST + 1, (rows, shapes.PAYLOAD), dtype=np.int16).tofile(folder / "payloads.bin")
    centres.tofile(folder / "centres.bin")


def make_query(folder, size, rng, count_only):
    import numpy as np
    centres = np.fromfile(folder / "centres.bin", np.float32).reshape(CENTRES, -1)
    centres[rng.randrange(CENTRES)].tofile(folder / "query.bin")


def expected(data, size):
    """Returns the payloads of rows that match, sorted, and the cosines nearest to the limits from both sides."""
    import numpy as np
    rows, columns = shapes.SHAPE[size]
    query = np.fromfile(data / "query.bin", np.float32).astype(float)
    db = np.memmap(data / "db.bin", np.float32, "r", shape=(rows, columns))
    cosines = np.concatenate([db[i:i + shapes.AT_ONCE] @ query for i in range(0, rows, shapes.AT_ONCE)])
    found = np.fromfile(data / "payloads.bin", np.int16).reshape(rows, shapes.PAYLOAD)[cosines > 0.75]
    return found[np.lexsort(found.T[::-1])], (cosines[cosines < 0.75].max(), cosines[cosines > 0.75].min())


def verify(data, io, size, count_only):
    import numpy as np
    wanted, (below, above) = expected(data, size)
    if below > 0.7 or above < 0.8:
        return False, "a row of the dataset is between 0.7 and 0.8"
    if count_only:
        found = np.fromfile(io / "results.bin", np.int64)
        right = found.tolist() == [len(wanted)]
        return right, "%s of %d rows match" % (found.tolist(), shapes.SHAPE[size][0])
    found = np.fromfile(io / "results.bin", np.int16)
    right = found.size == wanted.size and (found.reshape(wanted.shape) == wanted).all()
    return bool(right), "%d rows of %d are fetched, of %d" % (found.size // shapes.PAYLOAD, shapes.SHAPE[size][0], len(wanted))
