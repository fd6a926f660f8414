#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A Slurm cluster of three nodes on this computer, for tests: munged, slurmctld and three slurmd, all on loopback, with all
# their files in FOLDER. One node is one processor.
#
#   cluster.sh start FOLDER PORT   ports PORT to PORT + 3; then use FOLDER/slurm.conf as SLURM_CONF
#   cluster.sh controller FOLDER   starts the controller again
#   cluster.sh stop FOLDER         ends what start began
#
# Exit status 0: done; 1: the nodes are not ready after 30 s; 2: bad use.
set -eu
if [ $# -lt 2 ]; then
  sed -n '/^#   cluster/,/^# Exit/p' "$0" >&2
  exit 2
fi
verb=$1 folder=$2
PATH=$PATH:/usr/sbin
export SLURM_CONF="$folder/slurm.conf"

start() {
  port=$1 host=$(hostname) user=$(id -un)
  case $port in
    '' | *[!0-9]*)
      echo "cluster.sh: '$port' is no port" >&2
      exit 2
      ;;
  esac
  mkdir -p "$folder/munge" "$folder/state" "$folder/log"
  chmod 700 "$folder/munge"
  dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 2> "$folder/log/dd"
  chmod 400 "$folder/munge/key"
  munged --force --socket="$folder/munge.socket" --key-file="$folder/munge/key" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --num-threads=2 2> "$folder/log/munged"
  cat > "$SLURM_CONF" << END
ClusterName=tessera
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=$port
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SlurmdTimeout=5
KillWait=2
MessageTimeout=5
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,default_queue_depth=1000
NodeName=node[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
  slurmctld -f "$SLURM_CONF" 2>> "$folder/log/start"
  for node in node1 node2 node3; do slurmd -f "$SLURM_CONF" -N "$node" 2>> "$folder/log/start"; done
  for _ in $(seq 60); do
    [ "$(sinfo --noheader --Node --states=idle 2>> "$folder/log/start" | wc -l)" -lt 3 ] || exit 0
    sleep 0.5
  done
  echo "cluster.sh: the nodes are not ready after 30 s; their logs are in $folder/log" >&2
  exit 1
}

case $verb in
  start) start "${3:-}" ;;
  controller) slurmctld -f "$SLURM_CONF" 2>> "$folder/log/start" ;;
  stop)
    for pid in "$folder"/*.pid "$folder/munge/pid"; do
      [ ! -f "$pid" ] || kill "$(cat "$pid")" 2>> "$folder/log/stop" || true
    done
    ;;
  *)
    echo "cluster.sh: '$verb' is neither start, controller nor stop" >&2
    exit 2
    ;;
esac
