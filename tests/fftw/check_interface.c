/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around transforms: plans that there cannot be, flags, other arrays, Fortran's names, threads, fork, wisdom, memory. */
#include <fenv.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "both.h"
#include "harness/wait.h"

enum { N = 48, MANY = 2048 };

typedef fftw_complex pair;

static double left[4 * MANY], right[4 * MANY], other[4 * MANY];

static void fill(double *x, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++)
		x[i] = reference_sample(&seed);
}

static void check_near(const double *got, const double *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!(fabs(got[i] - expected[i]) <= 1e-12))
			fail_msg("element %zu: expected %.17g, got %.17g", i, expected[i], got[i]);
}

static void check_plan(fftw_plan plan, bool expected, const char *what)
{
	if ((plan != NULL) != expected)
		fail_msg("%s: expected %s", what, expected ? "a plan" : "NULL");
	fftw_destroy_plan(plan);
}

/* The rows are those in which FFTW 3.3.10 has the same. */
static void check_refusals(void **state)
{
	const int n[2] = {4, 8}, row[2] = {1, 8}, column[2] = {8, 1};
	const fftw_iodim dim = {8, 1, 1}, none = {0, 1, 1}, minus = {-1, 1, 1};
	pair *in = (pair *)left, *out = (pair *)right;
	const unsigned keeps = FFTW_ESTIMATE | FFTW_PRESERVE_INPUT;

	(void)state;
	check_plan(fftw_plan_dft_1d(0, in, out, -1, 0), false, "no elements");
	check_plan(fftw_plan_dft_1d(-1, in, out, -1, 0), false, "fewer than no elements");
	check_plan(fftw_plan_dft(-1, n, in, out, -1, 0), false, "a negative rank");
	check_plan(fftw_plan_dft(0, n, in, out, -1, 0), true, "rank 0");
	check_plan(fftw_plan_many_dft(1, n, 0, in, NULL, 1, 4, out, NULL, 1, 4, -1, 0), true, "no transforms");
	check_plan(fftw_plan_many_dft(1, n, -1, in, NULL, 1, 4, out, NULL, 1, 4, -1, 0), false, "fewer than none");
	check_plan(fftw_plan_guru_dft(1, &dim, 1, &none, in, out, -1, 0), true, "an empty batch");
	check_plan(fftw_plan_guru_dft(1, &dim, 1, &minus, in, out, -1, 0), false, "a negative batch");
	check_plan(fftw_plan_guru_dft(1, &none, 0, NULL, in, out, -1, 0), false, "guru without elements");
	check_plan(fftw_plan_guru_dft(1, &dim, -1, NULL, in, out, -1, 0), false, "a negative rank of the batch");
	check_plan(fftw_plan_r2r_1d(1, left, right, FFTW_REDFT00, 0), false, "REDFT00 of 1");
	check_plan(fftw_plan_r2r_1d(2, left, right, FFTW_REDFT00, 0), true, "REDFT00 of 2");
	check_plan(fftw_plan_r2r_1d(4, left, right, (fftw_r2r_kind)(FFTW_RODFT11 + 1), 0), false, "no kind");
	check_plan(fftw_plan_dft_c2r(2, n, in, right, keeps), false, "c2r of two axes that keeps its input");
	check_plan(fftw_plan_dft_c2r(2, n, in, left, keeps), true, "the same in place");
	check_plan(fftw_plan_dft_c2r(2, row, in, right, keeps), true, "the same of one row");
	check_plan(fftw_plan_dft_c2r(2, column, in, right, keeps), false, "the same of one column");
	check_plan(fftw_plan_dft_1d(8, in, out, -1, FFTW_WISDOM_ONLY), true, "by wisdom only");
	check_plan(fftw_plan_dft_1d((1 << 30) + 1, NULL, NULL, -1, FFTW_ESTIMATE), false, "a length beyond lib/fft's");
	check_plan(fftw_plan_dft_1d(8, NULL, NULL, -1, FFTW_ESTIMATE), true, "no arrays");
}

/* Every sign but that of forward is backward. */
static void check_signs(void **state)
{
	static const int signs[] = {0, 1, 2, -2};

	(void)state;
	fill(left, 2 * N, 3);
	fftw_plan backward = fftw_plan_dft_1d(N, (pair *)left, (pair *)other, FFTW_BACKWARD, FFTW_ESTIMATE);
	fftw_execute(backward);
	fftw_destroy_plan(backward);
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		fftw_plan plan = fftw_plan_dft_1d(N, (pair *)left, (pair *)right, signs[i], FFTW_ESTIMATE);

		memset(right, 0, sizeof right);
		fftw_execute(plan);
		assert_memory_equal(right, other, 2 * N * sizeof *right);
		fftw_destroy_plan(plan);
	}
}

static void check_kept_input(void **state)
{
	fftw_plan plan = fftw_plan_dft_c2r_1d(N, (pair *)left, right, FFTW_PRESERVE_INPUT);

	(void)state;
	fill(left, 2 * MANY, 1);
	memcpy(other, left, sizeof left);
	fftw_execute(plan);
	assert_memory_equal(left, other, sizeof left);
	fftw_destroy_plan(plan);
}

/* A plan for some arrays, run with others of any alignment, of interleaved and of split numbers. */
static void check_other_arrays(void **state)
{
	fftw_plan plan = fftw_plan_dft_1d(N, (pair *)left, (pair *)right, FFTW_BACKWARD, FFTW_ESTIMATE);
	const fftw_iodim dim = {N, 1, 1};
	fftw_plan split = fftw_plan_guru_split_dft(1, &dim, 0, NULL, left, left + N, right, right + N, FFTW_ESTIMATE);

	(void)state;
	fill(left, 2 * N, 2);
	fftw_execute(plan);
	memcpy(other + 1, left, 2 * N * sizeof *left);
	fftw_execute_dft(plan, (pair *)(other + 1), (pair *)(other + MANY + 1));
	assert_memory_equal(other + MANY + 1, right, 2 * N * sizeof *right);
	/* The same by exchanged parts, forwards. */
	for (size_t i = 0; i < N; i++) {
		other[i] = left[2 * i];
		other[MANY + i] = left[2 * i + 1];
	}
	fftw_execute_split_dft(split, other + MANY, other, other + 2 * MANY, other + 3 * MANY);
	for (size_t i = 0; i < N; i++) {
		check_near(&other[2 * MANY + i], &right[2 * i + 1], 1);
		check_near(&other[3 * MANY + i], &right[2 * i], 1);
	}
	fftw_destroy_plan(plan);
	fftw_destroy_plan(split);
}

/* Fortran lists the nearest axis first, and passes addresses. */
void dfftw_plan_dft_2d_(fftw_plan *p, const int *nx, const int *ny, pair *in, pair *out, const int *sign, const int *flags);
void dfftw_plan_r2r__(fftw_plan *p, const int *rank, const int *n, double *in, double *out, const int *kinds, const int *flags);
void dfftw_plan_many_dft_r2c_(fftw_plan *p, const int *rank, const int *n, const int *howmany, double *in, const int *inembed,
			      const int *istride, const int *idist, pair *out, const int *onembed, const int *ostride,
			      const int *odist, const int *flags);
void dfftw_execute_(fftw_plan const *p);
void dfftw_destroy_plan__(fftw_plan const *p);
void dfftw_init_threads_(int *ret_ok);
void sfftw_plan_dft_1d_(fftwf_plan *p, const int *n, fftwf_complex *in, fftwf_complex *out, const int *sign, const int *flags);
void sfftw_destroy_plan_(fftwf_plan const *p);

static void run_both(fftw_plan plan, fftw_plan fortran, size_t reals)
{
	fill(left, reals, 3);
	assert_non_null(plan);
	assert_non_null(fortran);
	memset(right, 0, sizeof right);
	fftw_execute(plan);
	memcpy(other, right, sizeof right);
	fill(left, reals, 3);
	memset(right, 0, sizeof right);
	dfftw_execute_(&fortran);
	assert_memory_equal(right, other, sizeof right);
	fftw_destroy_plan(plan);
	dfftw_destroy_plan__(&fortran);
}

static void check_fortran(void **state)
{
	const int x = 6, y = 10, rank = 2, sign = FFTW_BACKWARD, flags = FFTW_ESTIMATE, lengths[2] = {6, 10}, one = 1, two = 2;
	const int kinds[2] = {FFTW_REDFT10, FFTW_DHT}, in_embed[2] = {7, 11}, out_embed[2] = {5, 12}, in_dist = 77, out_dist = 60;
	fftw_plan plan;
	fftwf_plan single;
	int ok = 0;

	(void)state;
	dfftw_plan_dft_2d_(&plan, &x, &y, (pair *)left, (pair *)right, &sign, &flags);
	run_both(fftw_plan_dft_2d(10, 6, (pair *)left, (pair *)right, sign, FFTW_ESTIMATE), plan, 2 * 60);
	dfftw_plan_r2r__(&plan, &rank, lengths, left, right, kinds, &flags);
	run_both(fftw_plan_r2r_2d(10, 6, left, right, FFTW_DHT, FFTW_REDFT10, FFTW_ESTIMATE), plan, 60);
	dfftw_plan_many_dft_r2c_(&plan, &rank, lengths, &two, left, in_embed, &one, &in_dist, (pair *)right, out_embed, &one,
				 &out_dist, &flags);
	run_both(fftw_plan_many_dft_r2c(2, (int[]){10, 6}, 2, left, (int[]){11, 7}, 1, 77, (pair *)right, (int[]){12, 5}, 1, 60,
					FFTW_ESTIMATE),
		 plan, 2 * 77);
	dfftw_init_threads_(&ok);
	assert_int_equal(ok, 1);
	sfftw_plan_dft_1d_(&single, &x, (fftwf_complex *)left, (fftwf_complex *)right, &sign, &flags);
	assert_non_null(single);
	sfftw_destroy_plan_(&single);
}

/* Plans, runs and ends plans of some lengths again and again; the first result is the one to have. */
static void *plan_and_run(void *arg)
{
	const unsigned at = *(unsigned *)arg;
	double *x = fftw_malloc(4 * MANY * sizeof *x), *y = x + 2 * MANY, sums[8] = {0};

	for (unsigned i = 0; i < 200; i++) {
		const int n = 16 << (i + at) % 8;
		fftw_plan plan = fftw_plan_dft_1d(n > MANY ? MANY : n, (pair *)x, (pair *)y, FFTW_FORWARD, FFTW_MEASURE);

		fill(x, 2 * (size_t)n, 4);
		fftw_execute(plan);
		fftw_destroy_plan(plan);
		if (sums[(i + at) % 8] != 0 && sums[(i + at) % 8] != y[3])
			return NULL;
		sums[(i + at) % 8] = y[3];
	}
	fftw_free(x);
	return arg;
}

static void check_concurrent(void **state)
{
	pthread_t threads[4];
	unsigned at[4] = {0, 1, 2, 3};
	void *ret;

	(void)state;
	fftw_make_planner_thread_safe();
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, plan_and_run, &at[i]), 0);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], &ret);
		assert_non_null(ret);
	}
}

/* One plan with memory of its own, by several threads at once. */
static struct {
	fftw_plan plan;
	double *in, *expected;
} shared_plan;

enum { LONG = 1 << 16 };

static void *run_shared(void *arg)
{
	double *out = fftw_malloc(2 * LONG * sizeof *out);

	for (unsigned i = 0; i < 5; i++) {
		memset(out, 0, 2 * LONG * sizeof *out);
		fftw_execute_dft(shared_plan.plan, (pair *)shared_plan.in, (pair *)out);
		if (memcmp(out, shared_plan.expected, 2 * LONG * sizeof *out) != 0)
			return NULL;
	}
	fftw_free(out);
	return arg;
}

static void check_shared_plan(void **state)
{
	pthread_t threads[3];
	void *ret;

	(void)state;
	shared_plan.in = fftw_malloc(2 * LONG * sizeof(double));
	shared_plan.expected = fftw_malloc(2 * LONG * sizeof(double));
	fftw_plan_with_nthreads(2);
	assert_int_equal(fftw_planner_nthreads(), 2);
	shared_plan.plan = fftw_plan_dft_1d(LONG, (pair *)shared_plan.in, (pair *)shared_plan.expected, FFTW_FORWARD, FFTW_ESTIMATE);
	fftw_plan_with_nthreads(1);
	fill(shared_plan.in, 2 * LONG, 5);
	fftw_execute(shared_plan.plan);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_shared, &threads), 0);
	for (unsigned i = 0; i < 3; i++) {
		pthread_join(threads[i], &ret);
		assert_non_null(ret);
	}
}

static void transform_in_mode(int rounding, int n, double *out)
{
	fftw_plan plan;

	fftw_cleanup();
	fesetround(rounding);
	plan = fftw_plan_dft_1d(n, (pair *)left, (pair *)out, FFTW_FORWARD, FFTW_ESTIMATE);
	fftw_execute(plan);
	fesetround(FE_TONEAREST);
	fftw_destroy_plan(plan);
}

/* A plan that is made while the program rounds otherwise is the same. */
static void check_rounding_modes(void **state)
{
	static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}, lengths[] = {64, 97, 1000, 1009, 2048};

	(void)state;
	fill(left, 2 * MANY, 11);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		transform_in_mode(FE_TONEAREST, lengths[i], right);
		for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
			transform_in_mode(modes[k], lengths[i], other);
			if (memcmp(right, other, (size_t)lengths[i] * sizeof(pair)) != 0)
				fail_msg("%d points: another plan in rounding mode %d", lengths[i], modes[k]);
		}
	}
}

/* The child has none of the threads, and the lock of nobody. */
static void check_fork(void **state)
{
#ifdef __SANITIZE_THREAD__
	const bool forks = false; /* the sanitizer ends a child that starts threads */
#else
	const bool forks = true;
#endif
	double *out = fftw_malloc(2 * LONG * sizeof *out);
	int status;
	pid_t child;

	(void)state;
	child = fork();
	if (child == 0 && !forks)
		_exit(0);
	if (child == 0) {
		fftw_plan plan;

		alarm(60);
		fftw_execute_dft(shared_plan.plan, (pair *)shared_plan.in, (pair *)out);
		fftw_plan_with_nthreads(2);
		plan = fftw_plan_dft_1d(LONG, (pair *)shared_plan.in, (pair *)out, FFTW_FORWARD, FFTW_ESTIMATE);
		fftw_execute(plan);
		_exit(memcmp(out, shared_plan.expected, 2 * LONG * sizeof *out) != 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	fftw_free(out);
	fftw_destroy_plan(shared_plan.plan);
	fftw_free(shared_plan.in);
	fftw_free(shared_plan.expected);
	fftw_cleanup_threads();
	assert_int_equal(fftw_planner_nthreads(), 1);
}

static unsigned count_threads(void)
{
	char text[4096];
	FILE *file = fopen("/proc/self/status", "r");
	unsigned count = 0;

	assert_non_null(file);
	while (fgets(text, sizeof text, file))
		sscanf(text, "Threads: %u", &count);
	fclose(file);
	return count;
}

/* No thread before a plan for several runs. */
static void check_no_threads(void **state)
{
	const unsigned before = count_threads();
	fftw_plan plan;

	(void)state;
	assert_int_equal(fftw_init_threads(), 1);
	fftw_plan_with_nthreads(4);
	plan = fftw_plan_dft_1d(N, (pair *)left, (pair *)right, FFTW_FORWARD, FFTW_MEASURE);
	fftw_execute(plan);
	fftw_destroy_plan(plan);
	fftw_plan_with_nthreads(1);
	assert_int_equal(count_threads(), before);
}

/* Returns a plan that has run with so many threads. */
static fftw_plan run_threads(int threads)
{
	pair *in = fftw_alloc_complex(LONG), *out = fftw_alloc_complex(LONG);
	fftw_plan plan;

	memset(in, 0, LONG * sizeof *in);
	fftw_plan_with_nthreads(threads);
	plan = fftw_plan_dft_1d(LONG, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
	fftw_execute(plan);
	fftw_plan_with_nthreads(1);
	fftw_free(in);
	fftw_free(out);
	return plan;
}

/* A thread that was joined may be counted until the kernel has removed it. The thread sanitizer adds one of its own. */
static void check_count(unsigned least, unsigned most)
{
#ifdef __SANITIZE_THREAD__
	most++;
#endif
	AWAIT(count_threads() <= most);
	assert_in_range(count_threads(), least, most);
}

/* Threads end with the plans that have them: of many numbers of threads, those of the last one are left at most. */
static void check_threads_end(void **state)
{
	enum { MOST = 24 };
	const unsigned before = count_threads();
	fftw_plan plans[MOST + 1], again;

	(void)state;
	for (int threads = 2; threads <= MOST; threads++) {
		fftw_destroy_plan(run_threads(threads));
		check_count(before + 1, before + (unsigned)threads);
	}
	for (int threads = 2; threads <= 4; threads++)
		plans[threads] = run_threads(threads);
	check_count(before + 1 + 2 + 3, before + 2 + 3 + 4 + MOST);
	again = run_threads(3);
	fftw_destroy_plan(plans[4]);
	fftw_destroy_plan(plans[3]);
	check_count(before + 1 + 2 + 3, before + 2 + 3 + 4);
	fftw_destroy_plan(again);
	check_count(before + 1 + 2, before + 2 + 3);
	fftw_destroy_plan(plans[2]);
	check_count(before + 1, before + 2);
	fftw_cleanup_threads();
	check_count(before, before);
}

static void write_char(char c, void *data)
{
	char **at = data;

	*(*at)++ = c;
}

static int read_char(void *data)
{
	const char **at = data;

	return **at ? *(*at)++ : EOF;
}

static void check_wisdom(void **state)
{
	char *text = fftw_export_wisdom_to_string(), written[512], *end = written;
	const char *at = text;
	char name[] = "/tmp/check_interface.XXXXXX";
	const int fd = mkstemp(name);
	FILE *file = fdopen(fd, "w+");

	(void)state;
	fftw_forget_wisdom();
	fftw_export_wisdom(write_char, &end);
	*end = 0;
	assert_string_equal(written, text);
	assert_int_equal(fftw_import_wisdom_from_string(text), 1);
	assert_int_equal(fftw_import_wisdom(read_char, &at), 1);
	assert_int_equal(fftwf_import_wisdom_from_string("(fftw-3.3.8 fftwf_wisdom #x1 #x2\n (fftwf_codelet_n1_8 0 #x1)\n)\n"), 1);
	assert_int_equal(fftw_import_wisdom_from_string(""), 0);
	assert_int_equal(fftw_import_wisdom_from_string("(fftw-3.3.8 fftw_wisdom"), 0);
	assert_int_equal(fftw_import_wisdom_from_string("wisdom"), 0);
	fftw_export_wisdom_to_file(file);
	rewind(file);
	assert_int_equal(fftw_import_wisdom_from_file(file), 1);
	fclose(file);
	assert_int_equal(fftw_export_wisdom_to_filename(name), 1);
	assert_int_equal(fftw_import_wisdom_from_filename(name), 1);
	unlink(name);
	assert_int_equal(fftw_import_wisdom_from_filename(name), 0);
	assert_int_equal(fftw_export_wisdom_to_filename("/nonexistent/wisdom"), 0);
	free(text);
}

static void check_reports(void **state)
{
	fftw_plan plan = fftw_plan_dft_2d(8, 6, (pair *)left, (pair *)right, FFTW_FORWARD, FFTW_ESTIMATE);
	char *text = fftw_sprint_plan(plan), printed[512] = {0};
	FILE *file = tmpfile();
	double add, multiply, fused;

	(void)state;
	fftw_fprint_plan(plan, file);
	rewind(file);
	assert_int_equal(fread(printed, 1, sizeof printed - 1, file), strlen(text));
	assert_string_equal(printed, text);
	assert_non_null(strstr(text, "8 x 6"));
	fftw_flops(plan, &add, &multiply, &fused);
	assert_true(add > 0 && multiply > 0 && fused >= 0);
	assert_true(fftw_cost(plan) > 0 && fftw_estimate_cost(plan) > 0);
	fclose(file);
	free(text);
	fftw_destroy_plan(plan);
	fftw_destroy_plan(NULL);
}

static void check_memory(void **state)
{
	double *x = fftw_alloc_real(3);
	fftw_complex *z = fftw_alloc_complex(5);
	void *none = fftw_malloc(0);

	(void)state;
	assert_int_equal(fftw_alignment_of(x), 0);
	assert_int_equal(fftw_alignment_of((double *)z), 0);
	assert_int_not_equal(fftw_alignment_of(x + 1), 0);
	assert_null(fftw_alloc_complex(SIZE_MAX / 2));
	fftw_free(x);
	fftw_free(z);
	fftw_free(none);
	fftw_free(NULL);
}

/* What libraries promise by their data. */
static void check_version(void **state)
{
	(void)state;
	assert_int_equal(strncmp(fftw_version, "fftw-3.3.", 9), 0);
	assert_int_equal(strncmp(fftwf_version, "fftw-3.3.", 9), 0);
	assert_true(strlen(fftw_cc) > 0 && strlen(fftw_codelet_optim) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_no_threads), cmocka_unit_test(check_threads_end), cmocka_unit_test(check_refusals), cmocka_unit_test(check_signs),	cmocka_unit_test(check_kept_input),
		cmocka_unit_test(check_other_arrays), cmocka_unit_test(check_fortran),	cmocka_unit_test(check_concurrent),
		cmocka_unit_test(check_shared_plan), cmocka_unit_test(check_rounding_modes), cmocka_unit_test(check_fork),	cmocka_unit_test(check_wisdom),
		cmocka_unit_test(check_reports),     cmocka_unit_test(check_memory),	cmocka_unit_test(check_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
