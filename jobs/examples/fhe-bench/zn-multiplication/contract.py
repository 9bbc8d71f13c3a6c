"""Zn-multiplication as the suite has it: pairs of 64-bit numbers, a decimal a line, and their products mod 2^64."""
ROWS = {"single": 1, "small": 1000, "medium": 10**5, "large": 10**7}
LARGEST = 2**64 - 1
EXTREMES = [(LARGEST, LARGEST), (LARGEST, 1), (0, LARGEST), (2**63, 2)]


def make_dataset(folder, size, rng, count_only):
    """Random pairs; those of which the extremes of 64 bits are made first, where there is more than one."""
    fixed = EXTREMES if ROWS[size] > 1 else []
    with open(folder / "lhs.txt", "w") as lhs, open(folder / "rhs.txt", "w") as rhs:
        for a, b in fixed:
            lhs.write("%d\n" % a)
            rhs.write("%d\n" % b)
        for _ in range(ROWS[size] - len(fixed)):
            lhs.write("%d\n" % rng.getrandbits(64))
            rhs.write("%d\n" % rng.getrandbits(64))


def verify(data, io, size, count_only):
    rows = 0
    with open(data / "lhs.txt") as lhs, open(data / "rhs.txt") as rhs, open(io / "cleartext_output" / "out.txt") as out:
        for a, b in zip(lhs, rhs):
            rows += 1
            line = out.readline()
            if line.strip() != str(int(a) * int(b) & LARGEST):
                return False, "row %d is '%s'" % (rows, line.strip())
        if out.readline():
            return False, "there are more than %d rows" % rows
    return rows == ROWS[size], "%d products are right" % rows
