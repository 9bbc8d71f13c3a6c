#!/bin/sh
# ask: what it proposes where a question is expensive, or cannot be asked as it is.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

"$PYTHON" -c 'import random
r = random.Random(1)
print("patient id,ward,age,cost,admitted,amount,kind")
for i in range(400):
    day = f"{r.randrange(2022, 2025)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}"
    print(f"{i},w{i % 6},{i % 100},{r.randrange(10**6) / 100},{day},{i * 7500 - 500000},k{i % 3}")' >stays.csv

# asked QUESTION [OPTIONS]: what a dry run says.
asked() {
    expect 0 "$HEBATCH" ask "$1" stays.csv --dir none --dry-run
}

# A condition that is expensive is told before keys are made, with the option and the question that are cheaper: pasted,
# they give the same answer.
asked "count(admitted >= '2024-06-01')"
complains "expensive: admitted >= '2024-06-01' takes .* MiB of .* MiB of keys, .*; cheaper: before encryption make a"
complains ": --derive \"holds=admitted >= '2024-06-01'\", and ask 'count(holds)'$"
asked 'groupby(ward, count(65 < age and ward == '\''w1'\''))'
complains ": --derive 'holds=age > 65' --derive \"holds2=ward == 'w1'\", and ask 'groupby(ward, count(holds and holds2))'$"
expect 0 "$HEBATCH" ask 'groupby(ward, count(holds and holds2))' stays.csv --derive 'holds=age > 65' \
    --derive "holds2=ward == 'w1'" --dir cheap
"$PYTHON" - out <<'EOF' || fail "another answer of the cheaper question"
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))[1:]
wanted = {f"w{w}": sum(i % 100 > 65 and w == 1 for i in range(400) if i % 6 == w) for w in range(6)}
assert {a: int(b) for a, b in rows} == wanted, (rows, wanted)
EOF
# So is a refusal, and groups of a wide range, of which bins are made. A mean without a condition has no cheaper way.
refuse 64 "values .* are too many .*; this can be computed: --derive 'holds=amount > 2000000', and ask 'count(holds)'$" \
    "$HEBATCH" ask 'count(amount > 2000000)' stays.csv --dir none
grep -q 'digits(' err && fail "digits are advised where a column of 0 and 1 is cheaper"
refuse 64 "this can be computed: --derive 'bins=bin(amount, 500000)', and ask 'groupby(bins, count())'$" \
    "$HEBATCH" ask 'groupby(amount, count())' stays.csv --dir none
asked 'groupby("patient id", mean(cost))'
complains "expensive: the range of the groups .*: --derive 'bins=bin(\"patient id\", 50)', and ask 'groupby(bins, mean(cost))'$"
asked 'groupby(ward, mean(cost*cost*age))'
grep -q -e expensive -e derive err && fail "advice where nothing is cheaper"
true
