# All stages source this file first: counted is 1 where rows are counted and not fetched; pack says how values lie
# in ciphertexts. By rows a ciphertext holds 128 rows of 128 columns, which takes a twelfth of the bytes for a thousand rows;
# by columns each has one value of 16384 rows, and steps are computed for all of them at once.
# shellcheck shell=sh disable=SC2034,SC2154 # stage.sh uses what is set here, and gives size and io
sizes="toy small medium large"
key_folder=keys
counted=0
for argument in "$@"; do
    [ "$argument" != --count_only ] || counted=1
done
. "$here/../stage.sh"
case $size in
    toy) : "${PACK:=rows}" ;;
    *) : "${PACK:=columns}" ;;
esac
case $size in
    toy | small) columns=128 ;;
    medium) columns=256 ;;
    large) columns=512 ;;
esac
pack="--pack columns"
[ "$PACK" = columns ] || pack="--pack rows --block $columns"
up=$io/ciphertexts_upload
down=$io/ciphertexts_download/results.bin
