# What the scripts that show hebatch at work share; sourced by them.
# shellcheck shell=sh
: "${MPIRUN:=mpirun}"
if [ "$(id -u)" = 0 ]; then # Open MPI refuses root unless told twice
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
export HEBATCH_SHARE_GPU=1 # where there are fewer GPUs than ranks

say() {
    printf '\n== %s\n' "$*"
}

# A command as one would type it.
print_command() {
    printf '$'
    for word in "$@"; do
        case $word in
            *[!A-Za-z0-9._/=:,-]*) printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    echo
}

# Runs a command on so many ranks.
on_ranks() {
    ranks=$1
    shift
    option=""
    if $MPIRUN --version 2>&1 | grep -q 'Open MPI'; then
        option=--oversubscribe # it would refuse more ranks than cores; other launchers do not know the option
    fi
    # shellcheck disable=SC2086 # a command with its options; one or none
    $MPIRUN -n "$ranks" $option "$@"
}
