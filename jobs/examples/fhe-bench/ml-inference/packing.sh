# How images lie in ciphertexts, by the size, or as PACK says; sourced by stages, behind ../stage.sh. Up to some hundred
# images take the least when a ciphertext holds eight of them, in blocks of 1024 slots, more when it holds one pixel of
# 8192.
# shellcheck shell=sh disable=SC2154 # size: of ../stage.sh
case $size in
    single | small) : "${PACK:=rows}" ;;
    *) : "${PACK:=columns}" ;;
esac
