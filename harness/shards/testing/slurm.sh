#!/usr/bin/env bash
# A private Slurm of virtual nodes on this machine, for tests: on the loopback interface, as whoever
# calls it, without systemd, control groups or a database.
#
#   slurm.sh start FOLDER [NODES]   prints the path of its slurm.conf (SLURM_CONF); 2 nodes, n1 and n2
#   slurm.sh kill FOLDER NODE       a node dies with all that it runs; Slurm is told
#   slurm.sh again FOLDER NODE      the node is back
#   slurm.sh stop FOLDER            ends it and removes FOLDER
#
# Exit 77 where Slurm isn't installed (Debian: munge slurmctld slurmd slurm-client). NSOP_TEST_PROGRAMS:
# the folder of its daemons, for tests of what happens without them.
set -euo pipefail
what=$1
folder=$(realpath -m "$2")
export SLURM_CONF=$folder/slurm.conf
daemons=${NSOP_TEST_PROGRAMS:-/usr/sbin}
for program in "$daemons"/{munged,slurmctld,slurmd} sinfo; do
  command -v "$program" >/dev/null || {
    echo "slurm.sh: $program is not installed (Debian: munge slurmctld slurmd slurm-client)" >&2
    exit 77
  }
done

write_configuration() {
  local nodes=$1 me host base number
  me=$(id -un)
  host=$(uname -n)
  host=${host%%.*}
  base=$((20000 + RANDOM % 20000))
  cat <<END
ClusterName=nsop
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/munge/socket
SlurmUser=$me
SlurmdUser=$me
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd.%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.%n.log
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/linear
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=10000
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SlurmdTimeout=30
KillWait=2
MinJobAge=600
MaxArraySize=10001
MaxJobCount=40
END
  for ((number = 1; number <= nodes; ++number)); do
    echo "NodeName=n$number NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + number)) CPUs=1 RealMemory=1000"
  done
  echo "PartitionName=bench Nodes=n[1-$nodes] Default=YES MaxTime=60 State=UP OverSubscribe=EXCLUSIVE"
}

end_programs() {
  local file
  for file in "$folder"/run/*.pid; do
    if [[ -s $file ]]; then kill -9 "$(<"$file")" 2>/dev/null || true; fi
  done
}

# Until so many nodes are idle.
await_nodes() {
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    if [[ $(sinfo -h -N -o %T 2>/dev/null | grep -c idle) -ge $1 ]]; then return; fi
    sleep 0.1
  done
  echo "slurm.sh: the nodes don't come up" >&2
  tail -n 5 "$folder"/log/*.log >&2
  return 5
}

case $what in
  start)
    nodes=${3:-2}
    mkdir -p "$folder"/{run,log,state,munge}
    chmod 755 "$folder" "$folder/munge"
    (umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
    "$daemons/munged" --key-file="$folder/munge/key" --socket="$folder/munge/socket" --num-threads=2 \
      --pid-file="$folder/run/munged.pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >&2
    write_configuration "$nodes" >"$SLURM_CONF"
    "$daemons/slurmctld" -f "$SLURM_CONF" >&2
    for ((number = 1; number <= nodes; ++number)); do
      mkdir -p "$folder/spool.n$number"
      "$daemons/slurmd" -N "n$number" -f "$SLURM_CONF" >&2
    done
    await_nodes "$nodes" || { end_programs && exit 5; }
    echo "$SLURM_CONF"
    ;;
  kill)
    kill -9 "$(<"$folder/run/slurmd.$3.pid")"
    # What it runs has its name and this cluster's in the environment.
    while read -r file; do
      process=${file#/proc/}
      if grep -qzx "SLURM_CONF=$SLURM_CONF" "$file" 2>/dev/null; then kill -9 "${process%/environ}" || true; fi
    done < <(grep -lzx "SLURMD_NODENAME=$3" /proc/[0-9]*/environ 2>/dev/null)
    scontrol update nodename="$3" state=down reason=killed
    ;;
  again)
    "$daemons/slurmd" -N "$3" -f "$SLURM_CONF"
    for ((tries = 0; tries < 100; ++tries)); do
      [[ $(sinfo -h -n "$3" -o %T) != idle ]] || exit 0
      sleep 0.1
    done
    echo "slurm.sh: $3 doesn't come back" >&2 && exit 5
    ;;
  stop)
    if [[ -s $folder/run/slurmctld.pid ]]; then # else nobody answers
      scancel --state=PENDING --me 2>/dev/null || true
      scancel --state=RUNNING --signal=KILL --full --me 2>/dev/null || true
      for ((tries = 0; tries < 30; ++tries)); do
        [[ -n $(squeue -h 2>/dev/null) ]] || break
        sleep 0.1
      done
    fi
    end_programs
    rm -rf "$folder"
    ;;
  *) echo "slurm.sh: expected start, kill, again or stop" >&2 && exit 2 ;;
esac
