# The common part of all stages, which they source by workload.sh with their arguments; it needs no other file.
# Gives size, io, data, keys and secret, relative to the folder in which the harness runs stages, and the commands below.
# A workload says what it does otherwise: sizes; said: how argument 1 says the size, a name, a number or the rows, or
# none; key_folder of io/SIZE; reported: the file in io/SIZE where the harness looks for the server's times.
# shellcheck shell=sh disable=SC2034 # the stages use what is set here
set -eu
umask 077 # a secret key, and what the client computes from plain data
: "${RANKS:=1}" "${MPIRUN:=mpirun}" "${PYTHON:=python3}"
: "${sizes:=single small medium large}" "${said:=number}" "${key_folder:=public_keys}"
: "${reported:=server_reported_steps.json}"
built=third_party/hebatch/install/bin/hebatch # by scripts/build_task.sh
if [ -z "${HEBATCH-}" ]; then
    HEBATCH=$(command -v hebatch || true)
    [ ! -x "$built" ] || HEBATCH=$built
fi
stage=${0##*/}

refuse() {
    code=$1
    shift
    echo "$stage: $*" >&2
    exit "$code"
}

[ -n "$HEBATCH" ] || refuse 69 "hebatch is neither built by scripts/build_task.sh nor on the PATH; HEBATCH says where it is"
case $RANKS in
    '' | *[!0-9]* | 0*) refuse 64 "RANKS is '$RANKS': a number of processes, at least 1, is wanted" ;;
esac

# The size that argument 1 says; words: how the sizes are said, in their order.
case $said in
    name) words=$sizes ;;
    number) words="0 1 2 3" ;;
    rows) words=$rows ;;
    none) words="" ;;
esac
size=""
rest=$sizes
for word in $words; do
    [ "$word" != "${1-}" ] || size=${rest%% *}
    rest=${rest#* }
done
[ -n "$size" ] || [ "$said" = none ] || refuse 64 "${1-}: no such size; there are $words"
data=datasets/$size
io=io/$size
keys=$io/$key_folder
secret=$io/secret_key/secret.h5
# HEBATCH_SERVER names a server of the party without the secret key: it gets jobs of that party's stages alone.
server=""
case $stage in
    server_*) server=${HEBATCH_SERVER-} ;;
esac
unset HEBATCH_SERVER

# Runs a command of hebatch on one rank; its log goes to io/SIZE/log.
hebatch() {
    "$HEBATCH" "$@" >>"$io/log" 2>&1 || failed
}

# On so many ranks as RANKS says; by the server, where there is one, on those that it has.
ranks() {
    if [ -n "$server" ]; then
        client=${HEBATCH%/*}/hebatch-client
        [ -x "$client" ] || client=$HEBATCH
        "$client" "$@" --server "$server" >>"$io/log" 2>&1 || failed
        return
    elif [ "$RANKS" = 1 ]; then
        hebatch "$@"
        return
    fi
    if [ "$(id -u)" = 0 ]; then # Open MPI refuses root unless told twice
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    oversubscribe=""
    if $MPIRUN --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then
        oversubscribe=--oversubscribe # it would refuse more ranks than cores; other launchers do not know the option
    fi
    # shellcheck disable=SC2086 # a command with its options; one or none
    $MPIRUN -n "$RANKS" $oversubscribe "$HEBATCH" "$@" >>"$io/log" 2>&1 || failed
}

failed() {
    code=$?
    echo "$stage: hebatch failed; the end of $io/log:" >&2
    # Behind the reason a launcher may say more.
    tail -n 40 "$io/log" | grep '^hebatch [a-z]*: ' >&2 || tail -n 5 "$io/log" >&2
    exit "$code"
}

# Keys, of which the secret one lies apart from what the server is given: make_keys OPTIONS of keygen.
make_keys() {
    hebatch keygen --quiet --out "$keys" "$@"
    mkdir -p "$io/secret_key"
    mv "$keys/secret.h5" "$secret"
}

# The server's times in reports of eval, by the labels of the suite's site: report_steps FILE.report.json.. Computing is the
# loop, which reads and writes beside it, and sums over all rows. A report has a member a line.
report_steps() {
    awk '
    FNR == 1 { files++ }
    /^ *"phases": [{]$/ { within = 1; reports++ }
    /^ *[}]/ { within = 0 }
    within {
        gsub(/[",:]/, "")
        seconds[$1] += $2
        found += $1 ~ /^(total|loop|totals|open|output|sync|commit)$/
    }
    END {
        if (!files || reports != files || found != 7 * files) {
            print "report_steps: a report has not all of its phases" >"/dev/stderr"
            exit 65
        }
        printf "{\"Total\": %.4f, \"Encrypted computation\": %.4f, \"I/O\": %.4f}\n", seconds["total"],
            seconds["loop"] + seconds["totals"],
            seconds["open"] + seconds["output"] + seconds["sync"] + seconds["commit"]
    }' "$@" >"$io/$reported"
}
