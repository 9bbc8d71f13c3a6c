# All stages source this file first. It decides how images lie in ciphertexts, by the size, or as PACK says. Up to a
# thousand images take the fewest bytes when a ciphertext holds eight of them, in blocks of 1024 slots. More take the
# least time when it holds one pixel of 8192.
# shellcheck shell=sh disable=SC2034,SC2154 # stage.sh uses what is set here, and gives size
model=${MODEL:-$(dirname -- "$here")/model/network.json}
. "$here/../stage.sh"
case $size in
    single | small | medium) : "${PACK:=rows}" ;;
    *) : "${PACK:=columns}" ;;
esac
