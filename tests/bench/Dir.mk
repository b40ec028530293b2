# SPDX-License-Identifier: Apache-2.0
# The bench: workers (tests/bench/worker.h), a table of rows and goals, and the programs that measure and print. PORTS.md
# has what bounds the kernels.
#
# Contract: NAME.c or peers/NAME.c becomes build/tests/bench/NAME; `user` sees the installed header and library only,
# `kernel` the archives of the library's inside, a peer what LIBS_NAME says.

BENCH := $(BUILD)/tests/bench
WORKER := $(BUILD)/obj/tests/bench/worker.o
FLAGS_worker = -std=c17 $(OPT) $(WARNINGS) $(SANFLAGS) -D_GNU_SOURCE -pthread -Itests -MMD -MF $@.d

LIBS_fftw := -lfftw3 -lfftw3f
LIBS_openblas := -lopenblas
LIBS_redis := -lhiredis
LIBS_vsl = -I$(BUILD)/peers/mkl/include -L$(BUILD)/peers/mkl/lib -lmkl_rt

$(BENCH)/user: tests/bench/user.c $(WORKER) $(SHARED)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS_worker) -Iclient/include -o $@ $< $(WORKER) -L$(BUILD)/lib -ltrnsci -Wl,-rpath,'$$ORIGIN/../../lib'

$(BENCH)/service $(BENCH)/threads: $(BENCH)/%: tests/bench/%.c $(BUILD)/obj/tests/bench/crowd.o $(SHARED)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS_worker) -Iclient/include -o $@ $< $(BUILD)/obj/tests/bench/crowd.o -L$(BUILD)/lib -ltrnsci -Wl,-rpath,'$$ORIGIN/../../lib'

$(BENCH)/wire_load: tests/bench/wire_load.c $(PROTO_ARCHIVE) $(LIB_ARCHIVE)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Itests -MF $@.d -o $@ $< $(PROTO_ARCHIVE) $(LIB_ARCHIVE) $(LIBS_msgpack) -lm

$(BENCH)/kernel: tests/bench/kernel.c $(WORKER) $(LIB_ARCHIVE)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Itests -MF $@.d -o $@ $< $(WORKER) $(LIB_ARCHIVE) -lm

$(BENCH)/probe: tests/bench/probe.c $(WORKER)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS_worker) -o $@ $< $(WORKER)

$(BENCH)/%: tests/bench/peers/%.c $(WORKER)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS_worker) -o $@ $< $(WORKER) $(LIBS_$*) -lm

# The same program with our libraries.
$(BENCH)/fftw_ours: tests/bench/peers/fftw.c $(WORKER) $(FFTW_LIBRARIES)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS_worker) -o $@ $< $(WORKER) -L$(FFTW_OUT) $(LIBS_fftw) -Wl,-rpath,'$$ORIGIN/../../lib/fftw' -lm

# As its users compile it.
$(BENCH)/%: tests/bench/peers/%.cc $(WORKER)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)g++ -O3 -march=native -Itests -MMD -MF $@.d -o $@ $< $(WORKER)

# A peer that is source is compiled by every compiler there is, and also with 512-bit vectors.
R123 := $(foreach cc,gcc clang,$(if $(shell command -v $(cc) 2>/dev/null),random123-$(cc) random123-$(cc)-512))
R123_gcc := -O3 -march=native -ffast-math
R123_clang := $(R123_gcc) -fveclib=libmvec

$(addprefix $(BENCH)/,$(R123)): $(BENCH)/random123-%: tests/bench/peers/random123.c $(WORKER)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)$(*:-512=) -std=gnu17 -w $(R123_$(*:-512=)) $(if $(findstring 512,$*),-mprefer-vector-width=512) -Itests \
		-MMD -MF $@.d -o $@ $< $(WORKER) -lmvec -lm

BENCH_WORKERS := $(addprefix $(BENCH)/,user kernel probe service threads wire_load fftw fftw_ours openblas mt19937 redis echo $(R123))

# make run-bench ROWS="small 'fft/c2c f32 *'" : some sections or rows; all of them replace FIGURES.md.
run-bench: all $(BENCH_WORKERS) python
	@BUILD=$(BUILD) $(if $(PYTHON_READY),BENCH_PYTHON=$(PYTHON)) tests/bench/bench $(ROWS)

# make run-bench-against ROWS="best-axes 'best-cached/c2c f32 *'" : some sections or rows beside the best peers.
run-bench-against: all $(BENCH_WORKERS) python
	@BUILD=$(BUILD) tests/bench/against $(ROWS)

# make run-bench-python PARTS="signals": the Python package beside numpy and scipy, some parts of it.
run-bench-python: python
	@PYTHONPATH=$(BUILD)/python TRNSCI_SOCKET=/nonexistent $(PYTHON) tests/bench/python.py $(PARTS)

# make run-bench-sweep SWEEP="--last 16 uniform 'fft 64'" : a part.
run-bench-sweep: all $(BENCH)/user
	@BUILD=$(BUILD) tests/bench/sweep $(SWEEP)

.PHONY: run-bench run-bench-against run-bench-python run-bench-sweep

# What knows the library's inside or header is kept building by the checks; tests/rules/bench.sh runs a row.
checks: $(addprefix $(BENCH)/,kernel user probe service threads wire_load)

# make run-bench-mpi ROWS="3d" ROUNDS=9 : transforms over 1 and 2 ranks beside FFTW's, an exchange beside MPI_Alltoall; one thread
# each. MPI.md has the figures of a run of all rows.
$(BENCH)/mpi/beside_fftw: tests/bench/mpi/beside_fftw.c $(MPI_SHARED)
	$(say) BENCH $@
	@mkdir -p $(@D)
	$(Q)$(MPI_CC) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(MPI_LINK) -Wl,-rpath,'$$ORIGIN/../../../lib' -lfftw3_mpi -lfftw3f_mpi -lfftw3 -lfftw3f -lm

run-bench-mpi: all $(BENCH)/mpi/beside_fftw
	@for n in 1 2; do tests/bench/mpi/start $$n $(BENCH)/mpi/beside_fftw $(or $(ROUNDS),9) $(ROWS) || exit; done

.PHONY: run-bench-mpi
