# The common part of the scripts that show hebatch at work, which they source.
# shellcheck shell=sh
: "${MPIRUN:=mpirun}"
if [ "$(id -u)" = 0 ]; then # Open MPI refuses root unless told twice
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
export HEBATCH_SHARE_GPU=1 # where there are fewer GPUs than ranks

say() {
    printf '\n== %s\n' "$*"
}

# check_ranks RANKS: the launcher that it goes to would need many words for what is wrong with it.
check_ranks() {
    case $1 in
        '' | *[!0-9]* | 0*)
            echo "RANKS is '$1': a number of processes, at least 1, is wanted" >&2
            exit 64
            ;;
    esac
}

# reasons LOG: why hebatch failed, by the end of its log, where a launcher may say more behind that.
reasons() {
    tail -n 40 "$1" | grep '^hebatch [a-z]*: ' >&2 || tail -n 5 "$1" >&2
}

# A command as one would type it. A long word may be shown as the file that holds it, one of `contents`.
# shellcheck disable=SC2016 # shown as it is
print_command() {
    printf '$'
    for word in "$@"; do
        for file in ${contents-}; do
            [ ! -e "$file" ] || [ "$word" != "$(cat "$file")" ] || {
                printf ' "$(cat %s)"' "$file"
                continue 2
            }
        done
        case $word in
            *[!A-Za-z0-9._/=:,-]*) printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    echo
}

# Open MPI would refuse more ranks than cores without this option, which other launchers do not know.
launch_option() {
    ! $MPIRUN --version 2>&1 | grep -q 'Open MPI\|OpenRTE' || echo --oversubscribe
}

# Runs a command on so many ranks.
on_ranks() {
    ranks=$1
    shift
    # shellcheck disable=SC2046,SC2086 # a command with its options; one or none
    $MPIRUN -n "$ranks" $(launch_option) "$@"
}
