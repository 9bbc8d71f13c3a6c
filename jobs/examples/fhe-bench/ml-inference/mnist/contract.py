"""ml-inference as the suite has it: images of MNIST, 784 numbers from 0 to 1 a line, and a digit a line as the
answer. One image's must be right, of several 90 %. Images are those of PREPARED, a folder that ./prepare wrote;
else it is made in ./model."""
import gzip
import os
import pathlib
import subprocess
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import verdict  # noqa: E402

ROWS = {"single": 1, "small": 100, "medium": 1000, "large": 10000}
IMAGES = []


def prepare():
    """Before anything is timed, once a folder: the model, which the stages find by MODEL."""
    folder = pathlib.Path(os.environ.get("PREPARED") or "model").resolve()
    if not (folder / "network.json").exists():
        python = os.environ.get("PYTHON") or sys.executable
        print("The model is trained, which takes a minute or two: %s (PREPARED=FOLDER takes one that is)" % folder, flush=True)
        done = subprocess.run([python, str(HERE / "prepare"), str(folder)], check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)
    os.environ["MODEL"] = str(folder / "network.json")
    try:
        with gzip.open(folder / "images.csv.gz", "rt") as lines:
            IMAGES[:] = [line.rstrip("\n").split(",") for line in lines]
        values = set(map(str, range(256)))
        right = bool(IMAGES) and all(len(image) == 785 and values.issuperset(image) for image in IMAGES)
    except (ValueError, EOFError, zlib.error, gzip.BadGzipFile):
        right = False
    if not right:
        print("%s: no images as ./prepare writes them" % (folder / "images.csv.gz"), file=sys.stderr)
        sys.exit(65)


def make_dataset(folder, size, rng, count_only):
    (folder / "intermediate").mkdir(exist_ok=True)


def make_query(folder, size, rng, count_only):
    """Images in a random order, over again where there are fewer."""
    taken = []
    while len(taken) < ROWS[size]:
        taken += rng.sample(IMAGES, min(len(IMAGES), ROWS[size] - len(taken)))
    values = {str(v): "%.6f" % (v / 255) for v in range(256)}
    with open(folder / "intermediate" / "test_pixels.txt", "w") as pixels:
        for image in taken:
            pixels.write(" ".join([values[v] for v in image[1:]]) + "\n")
    (folder / "intermediate" / "test_labels.txt").write_text("".join(image[0] + "\n" for image in taken))


def verify(data, io, size, count_only):
    return verdict.verdict(data / "intermediate" / "test_labels.txt", io / "encrypted_model_predictions.txt", "digits")
