# All stages source this file first. PRESET and BLOCK are other parameters, and PIXELS another side of images, for
# tests with small networks.
# shellcheck shell=sh disable=SC2034 # stage.sh uses what is set here
model=${MODEL:-$(dirname -- "$here")/model}
: "${PRESET:=boot-16}" "${BLOCK:=16384}" "${GAP:=0.0156}" "${PIXELS:=32}"
insecure=""
case $PRESET in
    *-test) insecure=--insecure ;;
esac
. "$here/../stage.sh"
