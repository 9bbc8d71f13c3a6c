# Sourced by the tests here, after the harness: a Slurm of one node on the loopback, with its own munge, state and ports, all
# of it in this script's folder, and ended with the script. No cgroups, no accounting, no daemon of the system.
# shellcheck shell=sh disable=SC2154 # the harness sets work
cluster=$work/cluster
for program in setpriv munged slurmctld slurmd srun sbatch squeue scancel scontrol; do
    command -v $program >/dev/null || {
        echo "skipped: no $program (jobs/install-dependencies --tests)" >&2
        exit 77
    }
done

daemons=""
end_cluster() {
    for daemon in $daemons; do
        kill -TERM "$daemon" 2>/dev/null
    done
    for daemon in $daemons; do
        wait "$daemon" 2>/dev/null
    done
}
# Steps of jobs that still run outlive slurmd: they are cancelled first.
trap 'end_jobs; end_cluster; rm -rf "$work"' EXIT
end_jobs() {
    while [ -n "$(squeue -h 2>/dev/null)" ]; do
        scancel --quiet --user="$(id -un)" 2>/dev/null # also one that came since
        sleep 0.2
    done
}
no_jobs() {
    while [ -n "$(squeue -h 2>/dev/null)" ]; do sleep 0.2; done
}

# daemon NAME COMMAND...: in the foreground, so that its end can be waited for; it does not outlive this script.
daemon() {
    log=$cluster/$1.out
    shift
    setpriv --pdeathsig TERM "$@" >"$log" 2>&1 &
    daemons="$! $daemons"
}

configure() {
    mkdir -p "$cluster/state" "$cluster/spool"
    chmod 700 "$cluster"
    # shellcheck disable=SC2046 # two numbers
    set -- $("$PYTHON" -c 'import socket
s = [socket.socket() for _ in range(2)]
for x in s: x.bind(("127.0.0.1", 0))
print(*[x.getsockname()[1] for x in s])')
    [ $# = 2 ] || fail "no free ports"
    cat >"$cluster/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$1
SlurmdPort=$2
AuthType=auth/munge
CredType=cred/munge
# cred_expire: a job that was requeued waits that long; 5 is the least, two minutes the default
AuthInfo=socket=$cluster/munge.socket,cred_expire=5
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
SlurmdDebug=debug
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=4 RealMemory=4000 State=UNKNOWN
PartitionName=usual Nodes=ALL Default=YES MaxTime=10 State=UP
PartitionName=other Nodes=ALL MaxTime=10 State=UP
CONF
    mkdir "$cluster/pmix" "$cluster/shared"
    # Folders of this cluster alone: files of a step have its number as their name, and another cluster of this host may
    # have the same number.
    export SLURM_CONF="$cluster/slurm.conf" SLURM_PMIX_TMPDIR="$cluster/pmix" \
        OMPI_MCA_btl_vader_backing_directory="$cluster/shared"
    head -c 1024 /dev/urandom >"$cluster/munge.key"
    chmod 600 "$cluster/munge.key"
}

begin_cluster() {
    configure
    daemon munged munged --foreground --force --socket="$cluster/munge.socket" --key-file="$cluster/munge.key" \
        --pid-file="$cluster/munge.pid" --log-file="$cluster/munge.log" --seed-file="$cluster/munge.seed"
    until [ -S "$cluster/munge.socket" ]; do
        kill -0 "${daemons%% *}" 2>/dev/null || fail "munged: $(cat "$cluster/munged.out")"
        sleep 0.1
    done
    daemon slurmctld slurmctld -D -c
    daemon slurmd slurmd -D -c
    until [ "$(sinfo -h -o %T 2>/dev/null | head -n 1)" = idle ]; do
        for program in $daemons; do
            kill -0 "$program" 2>/dev/null || fail "Slurm: $(cat "$cluster"/*.out "$cluster"/slurm*.log | tail -n 20)"
        done
        sleep 0.2
    done
}

# job_field JOB NAME: of what scontrol knows of it.
job_field() {
    scontrol show job -o "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

# until_state JOB STATE: fails when the job ends otherwise.
until_state() {
    while :; do
        state=$(job_field "$1" JobState)
        case $state in
        "$2") return ;;
        COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL | OUT_OF_MEMORY | BOOT_FAIL)
            fail "job $1 is $state, not $2: $(cat ./*.log)" ;;
        esac
        sleep 0.2
    done
}
