"""ml-inference's CIFAR-10 as the suite has it: images of 3 x 32 x 32 numbers from 0 to 1 a line, and a class a line as the
answer. One image's must be right, of several 90 %. Images are those of CIFAR, a folder of CIFAR-10's files, or of
FASHION, one of Fashion-MNIST's. Where PIXELS is 8 classes are those that a small network gives in the clear: of WEIGHTS, for
such images, or of random weights, for random ones. Needs numpy."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[2]
sys.path[:0] = [str(HERE.parent), str(EXAMPLES), str(EXAMPLES / "resnet")]
import verdict  # noqa: E402

ROWS = {"single": 1, "small": 100, "medium": 1000, "large": 10000}


def small():
    return os.environ.get("PIXELS") == "8"


def made():
    """Whether images and weights are random."""
    return small() and not os.environ.get("WEIGHTS")


def source():
    return os.environ.get("CIFAR") or os.environ.get("FASHION") or "/usr/share/datasets/fashion-mnist"


def skip(reason):
    print("skipped: %s" % reason, file=sys.stderr)
    sys.exit(77)


def prepare():
    """Before anything is timed, once a folder: the model, which the stages find by MODEL."""
    try:
        import images
    except ImportError:
        skip("numpy is not installed (%s -m pip install numpy)" % sys.executable)
    if not made() and not os.path.isdir(source()):
        skip("neither CIFAR nor FASHION names a folder of images")
    folder = pathlib.Path("model").resolve()
    if not (folder / "files").exists():
        python = os.environ.get("PYTHON") or sys.executable
        command = [python, str(HERE / "prepare"), str(folder)] + (["--small"] if small() else [])
        done = subprocess.run(command, check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)
    os.environ["MODEL"] = str(folder)
    assert images


def make_dataset(folder, size, rng, count_only):
    (folder / "intermediate").mkdir(exist_ok=True)


def make_query(folder, size, rng, count_only):
    """Test images in a random order, over again where there are fewer."""
    import numpy as np

    import images
    count = ROWS[size]
    random = np.random.default_rng(rng.getrandbits(64))
    if made():
        pixels = random.integers(0, 256, (count, 3, 32, 32), dtype=np.uint8)
    else:
        try:
            pixels, labels = images.load(source(), "test")
        except ValueError:
            print("%s: no images of Fashion-MNIST or CIFAR-10, or damaged ones" % source(), file=sys.stderr)
            sys.exit(65)
        chosen = np.concatenate([random.permutation(len(pixels)) for _ in range(-(-count // len(pixels)))])[:count]
        pixels, labels = pixels[chosen], labels[chosen]
    if small():
        found = classes_in_the_clear(pixels[:, :, ::4, ::4])
        if not made():
            print("%d of %d images are told right in the clear" % ((found == labels).sum(), count))
        labels = found
    with open(folder / "intermediate" / "test_pixels.txt", "w") as lines:
        for image in pixels:
            lines.write(" ".join("%.6f" % (value / 255) for value in image.ravel().tolist()) + "\n")
    (folder / "intermediate" / "test_labels.txt").write_text("".join("%d\n" % label for label in labels))


def classes_in_the_clear(pixels):
    import numpy as np

    import images
    import network
    weights = network.random_weights("relu", (4, 8), 1) if made() else np.load(os.environ["WEIGHTS"])
    scores, _ = network.in_the_clear(network.Model(weights), images.values(pixels))
    return scores.argmax(1)


def verify(data, io, size, count_only):
    return verdict.verdict(data / "intermediate" / "test_labels.txt", io / "encrypted_model_predictions.txt", "classes")
