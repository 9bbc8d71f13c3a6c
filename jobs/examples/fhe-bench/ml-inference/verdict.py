"""The verdict on classes of images: one image's must be right, of several 90 %."""


def verdict(labels, answers, what):
    """(whether they are right, the reason, the members of results) of files: a number a line."""
    wanted = labels.read_text().split()
    found = answers.read_text().split("\n")
    if found[-1:] != [""] or len(found) - 1 != len(wanted):
        return False, "%d lines for %d images" % (len(found) - 1, len(wanted))
    right = sum(a == b for a, b in zip(wanted, found))
    quality = {"correct_predictions": right, "total_samples": len(wanted), "accuracy": right / len(wanted)}
    text = "%d of %d %s are right, %.2f %%" % (right, len(wanted), what, 100 * right / len(wanted))
    return right >= (1 if len(wanted) == 1 else 0.9 * len(wanted)), text, {"Encrypted model quality": quality}
