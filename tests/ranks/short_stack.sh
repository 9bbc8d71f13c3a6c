#!/bin/sh
# The program's main commands with stacks of 256 KiB, of threads too: alone, and on two ranks, whose launcher keeps its own.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
cat >short <<'SH'
#!/bin/sh
ulimit -s 256 && exec "$HEBATCH" "$@"
SH
chmod +x short
export HEBATCH

# both CODE COMMAND...: alone, then on two ranks.
both() {
    wanted_code=$1
    shift
    expect "$wanted_code" ./short "$@"
    # shellcheck disable=SC2086
    expect "$wanted_code" $MPIRUN -n 2 ./short "$@" --force
}

expect 0 ./short keygen --n 4096 --bits 36,36,37 --plain 65537 --security-table 2018 --out keys --for 'y = poly(a*a, 1, 2); s = sum(a)'
table 40000 3 200 >in.csv
h5table in.h5 t "np.arange(300000, dtype='>i4').reshape(100000, 3) % 200"
both 0 encrypt --key keys/public.h5 in.csv a.heb
both 0 encrypt --key keys/secret.h5 in.h5:/t b.heb
both 0 eval --keys keys 's = sum(a); y = poly(2*a, 1, 2)' a=a.heb s=s.heb y=y.heb
both 0 decrypt --key keys/secret.h5 a.heb back.csv
same in.csv back.csv
both 0 decrypt --key keys/secret.h5 b.heb back.h5:/t
for command in "verify a.heb" "verify b.heb --key keys/secret.h5 --against in.h5:/t"; do
    # shellcheck disable=SC2086
    expect 0 ./short $command
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n 2 ./short $command
done
for command in "info a.heb" "info keys" "params show bfv-8192" "selftest" "doctor" "help language"; do
    # shellcheck disable=SC2086
    expect 0 ./short $command
done
expect 0 ./short params suggest 'y = x.c1^4' --table x=in.csv
expect 0 ./short bench --seconds 0 --params bfv-4096 pointwise
