#!/bin/sh
# One round trip under valgrind's memcheck: no invalid access, no use of unset memory, no definite leak of our own.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

checked() {
    expect 0 valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite --suppressions="$SUPPRESSIONS" "$HEBATCH" "$@"
}

# shellcheck disable=SC2086
checked keygen $CHAIN --out keys --relin
checked keygen --key keys/secret.h5 --relin --rotations -3
table 1500 2 30000 >in.csv
printf 'a,b\n1,2\n' >one.csv
checked encrypt --key keys/public.h5 in.csv public.heb
checked encrypt --key keys/secret.h5 --pack rows in.csv secret.heb
checked decrypt --key keys/secret.h5 public.heb public.csv
same in.csv public.csv
checked verify secret.heb --key keys/secret.h5 --against in.csv
checked eval --keys keys 'y = rotate(2 * a, -3) + w - one; z = -a + y' a=public.heb w=in.csv one=one.csv y=y.heb z=z.heb \
    --queues 2
checked info y.heb
