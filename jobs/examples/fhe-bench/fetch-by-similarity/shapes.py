"""How large the workload is, and where its files are, of the stages in Python."""
import os
import pathlib
import sys

SIZES = ["toy", "small", "medium", "large"]
SHAPE = {"toy": (1000, 128), "small": (50000, 128), "medium": (10**6, 256), "large": (2 * 10**7, 512)}
PAYLOAD = 7
LARGEST = 511  # number of a payload
AT_ONCE = 1 << 16  # rows
PART = int(os.environ.get("PART", 1 << 18))  # rows that are counted in one sum: of more, errors could add up to a half


def asked():
    """(size, its folder of data, the client's own folder of results, whether rows are counted, whether two rows go to a
    slot: as workload.sh has it)"""
    if len(sys.argv) < 2 or sys.argv[1] not in map(str, range(len(SIZES))):
        sys.exit("%s: a number of a size is wanted, 0 to %d" % (sys.argv[0], len(SIZES) - 1))
    size = SIZES[int(sys.argv[1])]
    counted = "--count_only" in sys.argv[2:]
    pack = os.environ.get("PACK") or (
        "rows" if size == "toy" else "columns" if counted and size in ("medium", "large") else "pairs")
    return size, pathlib.Path("datasets", size), pathlib.Path("io", size, "client"), counted, pack == "pairs"
