# All stages source this file first.
# shellcheck shell=sh disable=SC2034 # stage.sh uses what is set here
rows="1 1000 100000 10000000"
: "${said:=name}"
. "$here/../stage.sh"
