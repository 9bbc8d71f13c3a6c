# All stages source this file first: how images lie in ciphertexts, by the size, or as PACK says. Up to some
# hundred images take the least when a ciphertext holds eight of them, in blocks of 1024 slots, more when it holds one
# pixel of 8192.
# shellcheck shell=sh disable=SC2034,SC2154 # stage.sh uses what is set here, and gives size
model=${MODEL:-$(dirname -- "$here")/model/network.json}
. "$here/../stage.sh"
case $size in
    single | small) : "${PACK:=rows}" ;;
    *) : "${PACK:=columns}" ;;
esac
