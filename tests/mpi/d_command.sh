#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command trnsci-mpi, with daemons and without, on several hosts (a daemon each), and a rank that is killed.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/../e2e/tap"
# shellcheck source=tests/mpi/ranks
. "$(dirname "$0")/ranks"
cd "$work" || exit 1
mpi=$build/bin/trnsci-mpi

# ---- against the other command ----

code "draw by 3 ranks" 0 ranks 3 "$mpi" draw normal --shape 7000 --seed 5 --offset 3 --mean 2 --embedded -o ours.npy
"$cli" --embedded rand normal -n 7000 --seed 5 --offset 3 --mean 2 -o theirs.npy
same "draw: the file of trnsci-cli rand" "$(sum <theirs.npy)" "$(sum <ours.npy)"
code "draw of integers, a grid and blocks" 0 ranks 4 "$mpi" draw poisson --lam 3 --shape 60,50 --grid 2,2 --block 7,0 --embedded -o counts.npy
"$cli" --embedded rand poisson --lam 3 -n 3000 -o theirs.npy
same "draw: their bytes" "$(tail -c 24000 theirs.npy | sum)" "$(tail -c 24000 counts.npy | sum)"
# as_one WHAT RANKS SAMPLES "ARRAY" DRAW... : the data of the files of trnsci-mpi draw and of trnsci-cli rand
as_one() {
	what=$1 n_ranks=$2 samples=$3 array=$4
	shift 4
	# shellcheck disable=SC2086
	code "draw of $what" 0 ranks "$n_ranks" "$mpi" draw "$@" $array --seed 6 --embedded -o ours.npy
	"$cli" -q --embedded rand "$@" -n "$samples" --seed 6 -f raw -o theirs.raw
	same "draw of $what: the bytes of trnsci-cli rand" "$(sum <theirs.raw)" "$(tail -c "$(wc -c <theirs.raw)" ours.npy | sum)"
}
"$cli" -q --embedded rand uniform -n 7 --dtype f64 -o means.npy
as_one "a permutation" 2 10 "-n 10" permutation
as_one "a permutation of 0 items" 3 70 "--shape 7,10" permutation --items 0
as_one "weights" 2 100 "-n 100" categorical --weights 1,2.5,0.25
as_one "vectors" 3 40 "--shape 40,3" dirichlet --alpha 1,2,0.5 --dtype f64
as_one "counts of vectors" 3 40 "--shape 40,2" multinomial --trials 4503599627370495 --shares 1,3
as_one "an array as a parameter" 3 60 "--shape 60" normal --mean @means.npy --dtype f64
as_one "bounds beyond 2^53" 2 50 "-n 50" randint --low -9007199254740993 --high 9223372036854775807
as_one "a distribution with a shape of its own" 2 60 "--dims 6,10" gamma --shape 0.5
as_one "what was drawn on Trainium" 2 20 "-n 20" bits --generator threefry4x32_trn --layout trn24
as_one "a call of torch.cuda" 3 1000 "--shape 10,100" normal --layout torch_cuda
as_one "a call of JAX" 2 70 "--shape 7,10" uniform --layout jax_original --dtype f64
code "a list that is none" 2 ranks 2 "$mpi" draw categorical -n 5 --weights 1,x --embedded -o x.npy
like "states the parameter" '*--weights: got "1,x", allowed are numbers*' "$(cat err)"
code "a file of parameters that is missing" 74 ranks 2 "$mpi" draw normal -n 5 --mean @nothing.npy --embedded -o x.npy
code "a named stream without a daemon" 2 ranks 2 "$mpi" draw normal -n 5 --name jobs --embedded -o x.npy
like "names the rank" "*: rank 0: stream_draw: *" "$(cat err)"
same "names it once" 1 "$(grep -o 'rank 0: ' err | wc -l)"
for n in 1 3; do
	code "draw --sums by $n ranks" 0 ranks $n "$mpi" draw exponential --shape 1e5 --seed 9 --sums --embedded
	cp out "sums.$n"
done
same "the same sums by 1 and 3 ranks" "$(cat sums.1)" "$(cat sums.3)"
like "which are the distribution's" "count 100000*mean 1.00*variance 1.00*" "$(cat sums.3)"
code "draw of a grid for the transforms" 0 ranks 2 "$mpi" draw normal --shape 60,48 --seed 1 --embedded -o grid.npy
code "fft by 4 ranks in pencils" 0 ranks 4 "$mpi" fft grid.npy --grid 2,2 --embedded -o ours.npy
"$cli" --embedded fft grid.npy --axes 0,1 -o theirs.npy
same "fft: the bytes of trnsci-cli fft" "$(sum <theirs.npy)" "$(sum <ours.npy)"
code "fft --real" 0 ranks 3 "$mpi" fft grid.npy --real --embedded -o half.npy
"$cli" --embedded fft grid.npy --axes 0,1 --real -o theirs.npy
same "fft --real: the bytes of trnsci-cli fft" "$(sum <theirs.npy)" "$(sum <half.npy)"
code "fft --real --inverse" 0 ranks 2 "$mpi" fft half.npy --real --inverse --embedded -o again.npy
same "its shape is the first one's" "$(head -c 128 grid.npy)" "$(head -c 128 again.npy)"
code "a field by 3 ranks" 0 ranks 3 "$mpi" field --shape 24,15,20 --exponent 3.5 --std 2 --mean 1 --seed 4 --embedded -o ours.npy
"$cli" --embedded field --shape 24,15,20 --exponent 3.5 --std 2 --mean 1 --seed 4 -o theirs.npy
same "field: the file of trnsci-cli field" "$(sum <theirs.npy)" "$(sum <ours.npy)"
code "a field in pencils, not periodic" 0 ranks 4 "$mpi" field --shape 20,30 --grid 2,2 --covariance gaussian --length 1,2 --periodic=false \
	--dtype f64 --embedded -o ours.npy
"$cli" --embedded field --shape 20,30 --covariance gaussian --length 1,2 --periodic=false --dtype f64 -o field.npy
same "field: its bytes" "$(sum <field.npy)" "$(sum <ours.npy)"
code "a field of two spectra" 2 ranks 2 "$mpi" field --shape 20,30 --exponent 1 --covariance gaussian --embedded -o x.npy
like "states what is allowed" "*out_of_range: rank 0: field: more than one spectrum is given*" "$(cat err)"
code "bench" 0 ranks 2 "$mpi" bench --shape 64,64 --embedded
like "bench prints rows" "2 ranks, *normal f32 *c2c f32 * exchanges*" "$(cat out)"

# ---- wrong uses ----

if [ -n "${TRNSCI_FULL:-}" ]; then
	code "help" 0 ranks 1 "$mpi" help
	code "an unknown command" 2 ranks 1 "$mpi" nothing
	like "names those there are" "*allowed are draw, field, fft, bench*" "$(cat err)"
	code "an unknown option" 2 ranks 1 "$mpi" draw normal --nothing 3
	code "no shape" 2 ranks 1 "$mpi" draw normal -o x.npy
	code "an input that is missing" 74 ranks 2 "$mpi" fft nothing.npy --embedded -o x.npy
	code "an input of integers" 65 ranks 2 "$mpi" fft counts.npy --embedded -o x.npy
fi
code "a grid of other ranks" 2 ranks 2 "$mpi" draw normal --shape 8,8 --grid 3,1 --embedded -o x.npy
like "states how many there are" "*allowed is 2*" "$(cat err)"
code "a folder that is missing" 74 ranks 2 "$mpi" draw normal --shape 8 --embedded -o nowhere/x.npy
code "a limit of file sizes" 74 ranks 2 prlimit --fsize=33554432 "$mpi" draw normal --shape 10000000 --embedded -o large.npy
like "is named" "*file size limit*" "$(cat err)"
same "no file is left behind" "" "$(find . -name "*part*")"

# ---- hosts: rank 0 and rank 1 have a daemon each, rank 2 has none ----

start_daemon --state-dir "$work/state.0"
first_pid=$daemon_pid first=$socket socket=$work/e.sock
start_daemon --state-dir "$work/state.1"
second_pid=$daemon_pid second=$socket
cat >host <<'E2'
#!/bin/sh
case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
0) export TRNSCI_SOCKET="$first" ;;
1) export TRNSCI_SOCKET="$second" ;;
*) export TRNSCI_SOCKET="$work/no.sock" ;;
esac
exec "$@"
E2
chmod +x host
export first second work
code "fft on three hosts" 0 ranks 3 ./host "$mpi" fft grid.npy -o ours.npy
like "one of which has no daemon" "*1 of 3 ranks compute in the process*" "$(cat err)"
"$cli" --embedded fft grid.npy --axes 0,1 -o theirs.npy
same "the same bytes" "$(sum <theirs.npy)" "$(sum <ours.npy)"
mv ours.npy three_hosts.npy
code "a field on three hosts" 0 ranks 3 ./host "$mpi" field --shape 20,30 --covariance gaussian --length 1,2 --periodic=false --dtype f64 -o ours.npy
same "its bytes" "$(sum <field.npy)" "$(sum <ours.npy)"
TRNSCI_SOCKET=$first "$cli" stream create jobs >/dev/null
code "a named stream" 0 ranks 3 ./host "$mpi" draw normal --shape 1000 --name jobs -o one.npy
code "and again" 0 ranks 2 ./host "$mpi" draw normal --shape 1000 --name jobs -o two.npy
TRNSCI_SOCKET=$first "$cli" --json stream show jobs >show
seed=$(sed -n 's/.*"seed": "*\([0-9]*\).*/\1/p' show) id=$(sed -n 's/.*"stream": "*\([0-9]*\).*/\1/p' show)
"$cli" --embedded rand normal -n 1000 --seed "$seed" --stream "$id" --offset 1000 -o theirs.npy
same "whose second draw follows the first" "$(sum <theirs.npy)" "$(sum <two.npy)"

# ---- a rank that dies ----

sessions() {
	TRNSCI_SOCKET=$1 "$cli" --json status --clients | grep -c '"pid"'
}
[ -e err ] && rm err
ranks 3 ./host "$build/tests/mpi/victim" "$work" jobs >job.out 2>job.err </dev/null &
job=$!
await test -s pid.0 -a -s pid.1 -a -s pid.2
kill -9 "$(cat pid.1)"
wait "$job"
same "the job ends with an error" 1 "$(($? != 0))"
like "that names the rank" "*rank 1 *signal 9*" "$(cat job.err)"
gone() {
	! kill -0 "$(cat pid.0)" 2>/dev/null && ! kill -0 "$(cat pid.2)" 2>/dev/null
}
await gone
only_asker() {
	[ "$(sessions "$1")" = 1 ]
}
await only_asker "$first"
await only_asker "$second"
pass "the other ranks and all sessions are gone"
code "the named stream goes on" 0 ranks 2 ./host "$mpi" draw normal --shape 8 --name jobs -o three.npy
"$cli" --embedded rand normal -n 8 --seed "$seed" --stream "$id" --offset $((2000 + 512 * 512)) -o theirs.npy
same "behind what the killed job drew" "$(sum <theirs.npy)" "$(sum <three.npy)"
code "fft by the same daemons" 0 ranks 3 ./host "$mpi" fft grid.npy -q -o four.npy
same "has the same bytes" "$(sum <three_hosts.npy)" "$(sum <four.npy)"
daemon_pid=$first_pid
stop_daemon
same "the first daemon ends well" 0 "$daemon_status"
daemon_pid=$second_pid
stop_daemon
same "the second, too" 0 "$daemon_status"
finish
