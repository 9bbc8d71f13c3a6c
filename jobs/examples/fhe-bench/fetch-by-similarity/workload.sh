# All stages source this file first: counted is 1 where rows are counted and not fetched; PACK says how values lie in
# ciphertexts, and pack are options of it. By rows a ciphertext holds 128 rows of 128 columns. By columns it has one value of
# 16384 rows. By pairs it has one value of 65536 rows, two rows to a slot, in few limbs, and cosines are bootstrapped.
# shellcheck shell=sh disable=SC2034,SC2154 # stage.sh uses what is set here, and gives size and io
sizes="toy small medium large"
key_folder=keys
counted=0
for argument in "$@"; do
    [ "$argument" != --count_only ] || counted=1
done
. "$here/../stage.sh"
case $size-$counted in # so in shapes.py, too
    toy-*) : "${PACK:=rows}" ;;
    medium-1 | large-1) : "${PACK:=columns}" ;; # bootstrapped values are too coarse for sums of so many rows
    *) : "${PACK:=pairs}" ;;
esac
case $size in
    toy | small) columns=128 ;;
    medium) columns=256 ;;
    large) columns=512 ;;
esac
pack="--pack columns"
[ "$PACK" != rows ] || pack="--pack rows --block $columns"
case $PACK in
    rows | columns | pairs) ;;
    *) refuse 64 "PACK is '$PACK': rows, columns or pairs is wanted" ;;
esac

# By pairs: a preset that bootstraps, and the degree of the ring in which the query goes up; empty: that of the vectors.
[ "$PACK" = pairs ] || [ -z "${PRESET-}${RING-}" ] ||
    refuse 64 "PRESET and RING are for PACK=pairs, and here PACK is $PACK: give PACK=pairs, or neither"
: "${PRESET:=boot-16}" "${RING=4096}"
case $RING in
    *[!0-9]*) refuse 64 "RING is '$RING': the degree of a ring is wanted, as 4096, or nothing" ;;
esac
insecure=""
if [ "$PRESET" = boot-test ]; then # whose ring is the smallest that there is
    insecure=--insecure RING=""
fi
if [ "$counted" = 1 ]; then
    expression="s = rowsum(q*x); answer = sum(step(s - 0.75))"
    paired="s = rowsum(q*x); a = re(s); b = im(s); answer = sum(step(a - 0.75)) + sum(step(b - 0.75))"
else
    expression="s = rowsum(q*x); answer = step(s - 0.75)*p"
    paired="s = rowsum(q*x); a = re(s); b = im(s); answer = (step(a - 0.75)*(p.1, p.2, p.3, p.4), step(b - 0.75)*(p.5, p.6, p.7, p.8))"
fi
cosines="s=-1..1"
if [ "$PACK" = pairs ]; then
    expression=$paired cosines="s=-1.42..1.42,a=-1..1,b=-1..1"
fi
up=$io/ciphertexts_upload
down=$io/ciphertexts_download/results.bin
