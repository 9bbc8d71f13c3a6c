"""face-recognition as the suite has it: pairs of encoded images, of one face or of two, and one finite score a line; a label
a pair. The suite holds the equal error rate against that of another network, which `run` has not: here scores must be
those of the same network in the clear. Images are those of FACES, a file as the suite's face_dataset.h5, else made ones, of
which a pair of one face differs by noise. The network is CHECKPOINT's, or a small random one where PIXELS is 8. Needs
numpy, h5py and Pillow."""
import io
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
ROWS = {"single": 1, "small": 128, "medium": 256, "large": 1024}
TOLERANCE = 0.01  # of a score


def skip(reason):
    print("skipped: %s" % reason, file=sys.stderr)
    sys.exit(77)


def prepare():
    """Before anything is timed: the checkpoint of a small network."""
    python = os.environ.get("PYTHON") or sys.executable
    done = subprocess.run([python, "-c", "import numpy, h5py, PIL"], stderr=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        skip("numpy, h5py and pillow are not installed (%s -m pip install numpy h5py pillow)" % python)
    if not os.environ.get("FACES"):
        os.environ["ALIGN"] = "centre"
    if os.environ.get("PIXELS") == "8":
        path = pathlib.Path("stand-in.ckpt").resolve()
        done = subprocess.run([python, str(HERE / "stand_in.py"), str(path), "--pixels", "8"], check=True,
                              capture_output=True, text=True)
        os.environ.update(word.split("=") for word in done.stdout.split())
        os.environ["CHECKPOINT"] = str(path)
    elif not os.environ.get("CHECKPOINT"):
        skip("CHECKPOINT names no checkpoint of CryptoFaceNet (stand_in.py makes one of random weights)")


def made_pairs(count, random):
    """Encoded images, first and second ones, and labels."""
    import numpy as np
    from PIL import Image

    import faces
    import stand_in
    labels = random.integers(0, 2, count)
    ones, others = (stand_in.random_images(random, count, faces.SIDES * faces.PIXELS) for _ in range(2))
    others[labels == 1] = ones[labels == 1]
    pairs = []
    for images in (ones, others):
        noisy = np.clip(images + random.normal(size=images.shape) / 16, -1, 1)
        pixels = np.round((noisy.transpose(0, 2, 3, 1) + 1) * 127.5).astype(np.uint8)
        files = [io.BytesIO() for _ in pixels]
        for file, image in zip(files, pixels):
            Image.fromarray(image).save(file, "png")
        pairs.append([np.frombuffer(file.getvalue(), np.uint8) for file in files])
    return *pairs, labels


def chosen_pairs(path, count, random):
    """The same of a file of pairs, in a random order, over again where there are fewer."""
    import h5py
    import numpy as np
    with h5py.File(path, "r") as store:
        there = len(store["labels"])
        order = np.concatenate([random.permutation(there) for _ in range(-(-count // there))])[:count]
        return [store["image0"][i] for i in order], [store["image1"][i] for i in order], store["labels"][:][order]


def make_dataset(folder, size, rng, count_only):
    (folder / "intermediate").mkdir(exist_ok=True)


def make_query(folder, size, rng, count_only):
    import h5py
    import numpy as np
    random = np.random.default_rng(rng.getrandbits(64))
    path = os.environ.get("FACES")
    try:
        ones, others, labels = chosen_pairs(path, ROWS[size], random) if path else made_pairs(ROWS[size], random)
    except (OSError, KeyError) as reason:
        print("%s: no file of pairs with image0, image1 and labels (%s)" % (path, reason), file=sys.stderr)
        sys.exit(65)
    with h5py.File(folder / "intermediate" / "test_pairs.h5", "w") as out:
        for name, images in (("image0", ones), ("image1", others)):
            table = out.create_dataset(name, len(images), h5py.vlen_dtype(np.uint8))
            for i, image in enumerate(images):
                table[i] = image
    (folder / "intermediate" / "test_labels.txt").write_text("".join("%d\n" % label for label in labels))


def scores_in_the_clear(io_folder):
    """Returns the scores of the encrypted images, by the network's definition."""
    import h5py
    import numpy as np

    import checkpoint
    import clear
    net = clear.Clear(checkpoint.read(os.environ["CHECKPOINT"], "backbone"))
    norm = os.environ.get("NORM") or "3.497142e-07,-3.070292e-04,1.182291e-01"
    polynomial = [float(word) for word in norm.split(",")][::-1]
    with h5py.File(io_folder / "client" / "patches.h5", "r") as store:
        patches = np.stack([store["p%d" % (i + 1)][:] for i in range(net.nets)], 1)
    side = round((patches.shape[2] / 3) ** 0.5)
    patches = patches.reshape(*patches.shape[:2], 3, side, side)
    parts = [net.embeddings(patches[i:i + 32]) for i in range(0, len(patches), 32)]
    return clear.scores(np.concatenate(parts), polynomial)


def equal_error_rate(labels, scores):
    """The share of wrong answers at the score where pairs of one face and pairs of two have the same share; between two
    scores by a line."""
    import numpy as np
    if labels.min() == labels.max():
        return None
    order = np.argsort(-scores, kind="stable")
    labels, last = labels[order], np.append(np.diff(scores[order]) != 0, True)
    taken = np.append(0, np.cumsum(labels == 0)[last] / (labels == 0).sum())
    missed = np.append(1, 1 - np.cumsum(labels == 1)[last] / (labels == 1).sum())
    at = int(np.argmax(taken >= missed))
    before, after = taken[at - 1] - missed[at - 1], taken[at] - missed[at]
    return float(taken[at - 1] + (taken[at] - taken[at - 1]) * -before / (after - before))


def verify(data, io, size, count_only):
    import numpy as np
    lines = (io / "encrypted_model_predictions.txt").read_text().split("\n")
    if lines[-1:] != [""] or len(lines) - 1 != ROWS[size]:
        return False, "%d lines for %d pairs" % (len(lines) - 1, ROWS[size])
    found = np.array(lines[:-1], float)
    labels = np.array((data / "intermediate" / "test_labels.txt").read_text().split(), int)
    if not np.isfinite(found).all():
        return False, "a score is not finite"
    errors = np.abs(found - scores_in_the_clear(io))
    right, rate = int((errors <= TOLERANCE).sum()), equal_error_rate(labels, found)
    quality = {"largest_error": float(errors.max()), **({} if rate is None else {"eer": rate})}
    text = "%d of %d scores %s in the clear, but for %.2g at most" % (right, len(found), "is that" if right == 1 else "are those",
                                                                      errors.max())
    return right == len(found), text + ("" if rate is None else "; equal error rate %.3f" % rate), \
        {"Encrypted model quality": quality}
