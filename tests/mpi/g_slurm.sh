#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Under Slurm (slurmctld, slurmd, munge; root): two nodes of one machine, in a network namespace, each with a daemon of its own.
# Part of make check-full (TRNSCI_FULL=1).
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/../e2e/tap"
# shellcheck source=tests/mpi/ranks
. "$(dirname "$0")/ranks"
for tool in slurmctld slurmd srun munged; do
	if [ -z "${TRNSCI_FULL:-}" ] || [ "$(id -u)" != 0 ] || ! command -v $tool >/dev/null; then
		echo "1..0 # SKIP part of make check-full; needs root, slurmctld, slurmd, slurm-client and munge"
		exit 0
	fi
done
if [ -z "${IN_NAMESPACE:-}" ]; then
	rm -rf "$work"
	exec env -u TMPDIR IN_NAMESPACE=1 unshare -n "$0"
fi
cd "$work" || exit 1
mkdir run logs state spool.h0 spool.h1 tmp.h0 tmp.h1
ip link set lo up
ip link add v0 type veth peer name v1 && ip addr add 192.0.2.1/24 dev v0 && ip link set v0 up && ip link set v1 up
host=$(hostname -s)
head -c 128 /dev/urandom >munge.key
chmod 400 munge.key
cat >slurm.conf <<C
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/run/munge.sock
CredType=cred/munge
SlurmctldPidFile=$work/run/ctld.pid
SlurmdPidFile=$work/run/%n.pid
SlurmctldLogFile=$work/logs/ctld.log
SlurmdLogFile=$work/logs/%n.log
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPort=16817
SrunPortRange=60001-60100
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
TmpFS=$work/tmp.%n
NodeName=h0 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=4 RealMemory=2000 State=UNKNOWN
NodeName=h1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=4 RealMemory=2000 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=10 State=UP
C
export SLURM_CONF="$work/slurm.conf" first="$work/d.sock" second="$work/e.sock"
munged --force -F -S "$work/run/munge.sock" --key-file="$work/munge.key" --pid-file="$work/run/munged.pid" \
	--log-file="$work/logs/munged.log" --seed-file="$work/run/seed" >/dev/null 2>&1 </dev/null &
munge_pid=$!
await test -S "$work/run/munge.sock"
slurmctld -D -i >logs/c.out 2>&1 </dev/null &
control_pid=$!
slurmd -D -N h0 >logs/h0.out 2>&1 </dev/null &
node_pid=$!
slurmd -D -N h1 >logs/h1.out 2>&1 </dev/null &
other_pid=$!
start_daemon --state-dir "$work/state.h0"
first_pid=$daemon_pid socket=$second
start_daemon --state-dir "$work/state.h1"
end_all() {
	kill "$node_pid" "$other_pid" "$control_pid" "$munge_pid" 2>/dev/null
	wait "$node_pid" "$other_pid" "$control_pid" "$munge_pid"
	kill "$first_pid" 2>/dev/null
	clean_up
}
trap end_all EXIT
idle() {
	[ "$(sinfo -h -N -o %t 2>/dev/null | grep -c idle)" = 2 ]
}
await idle
cat >on_host <<'E2'
#!/bin/sh
case $SLURMD_NODENAME in h0) export TRNSCI_SOCKET="$first" ;; *) export TRNSCI_SOCKET="$second" ;; esac
exec "$@"
E2
chmod +x on_host
mpi=$build/bin/trnsci-mpi
unset OMPI_MCA_btl
"$cli" --embedded rand normal -n 3600 --seed 4 -o theirs.npy
code "srun of 4 tasks on 2 nodes" 0 timeout 60 srun --mpi=pmix -N 2 -n 4 -t 1 ./on_host "$mpi" draw normal --shape 3600 --seed 4 -o ours.npy
same "the bytes of one process" "$(sum <theirs.npy)" "$(sum <ours.npy)"
same "every rank found its host's daemon" "" "$(cat err)"
cat >job <<E2
#!/bin/sh
#SBATCH -N 2
#SBATCH -n 4
#SBATCH -o $work/job.out
srun --mpi=pmix "$work/on_host" "$mpi" draw normal --shape 60,60 --seed 4 -o "$work/grid.npy"
srun --mpi=pmix "$work/on_host" "$mpi" fft "$work/grid.npy" -o "$work/spectrum.npy"
echo nodes \$SLURM_JOB_NUM_NODES
E2
code "sbatch" 0 timeout 60 sbatch --wait job
like "on both nodes" "*nodes 2*" "$(cat job.out)"
"$cli" --embedded fft grid.npy --axes 0,1 -o theirs.npy
same "its spectrum is that of one process" "$(sum <theirs.npy)" "$(sum <spectrum.npy)"
finish
