# All stages source this file first. A face has PATCHES of PIXELS x PIXELS, as many as the checkpoint has networks. PRESET
# and BLOCK are other parameters, and PIXELS another side, for tests with small networks. LEVELS is how many levels inputs
# have: fewest, or all, which take five times the bytes and save a bootstrap.
# shellcheck shell=sh disable=SC2034,SC2154 # stage.sh uses what is set here
: "${PRESET:=boot-16}" "${BLOCK:=16384}" "${PIXELS:=32}" "${PATCHES:=4}" "${LEVELS:=fewest}"
insecure=""
case $PRESET in
    *-test) insecure=--insecure ;;
esac
reported=server_reported.json
. "$here/../stage.sh"
model=io/server_data
