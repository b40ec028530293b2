/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of transforms, as SHA-256 in tests/vectors/fft.txt: one for all variants whose multiply-adds are fused, one
 * for those that round twice. TRNSCI_WRITE=1 prints the lines of this CPU's variants instead. */
#include <inttypes.h>

#include "base/fpenv.h"
#include "fft/plan/real.h"
#include "fft/plan/series.h"
#include "fixture.h"
#include "harness/sha256.h"

enum { MOST_LENGTHS = 12 };

/* Lengths whose transforms are cut in the same way; 0 ends them. */
static const struct {
	const char *name;
	uint32_t n[MOST_LENGTHS + 1];
} classes[] = {
	{"tiny", {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15}},
	{"short", {16, 32, 64, 128}},
	{"mixed", {24, 36, 60, 90, 100, 143, 192, 240, 300, 360, 1000, 1215}},
	{"narrow", {126, 210, 250, 286, 500, 700, 1001, 1100, 1300, 1458, 2187, 2500}},
	{"cached", {256, 512, 768, 1024, 1920, 2048, 4096, 8192, 16384}},
	{"long", {32768, 65536, 100000, 131072, 294912, 1 << 21, 160 * 162 * 162}},
	{"prime", {17, 127, 997, 4099, 65537}},
};

enum transform { C2C, C2C_INVERSE, R2C, C2R, DCT1, DCT2, DCT3, DCT4, DST1, DST2, DST3, DST4, TRANSFORMS };

static const char *const names[] = {"c2c",  "c2c-inverse", "r2c",  "c2r",  "dct1", "dct2",
				    "dct3", "dct4",        "dst1", "dst2", "dst3", "dst4"};

static bool is_series(enum transform transform)
{
	return transform >= DCT1;
}

/* The series do their own work around a complex transform, so fewer lengths of them are enough. */
static bool takes(enum transform transform, uint32_t n)
{
	return !is_series(transform) || (n >= 2 && n <= 4099);
}

static struct fft_plan *create(enum transform transform, uint32_t n, enum fft_precision precision, uint32_t features)
{
	struct fft_plan *plan = NULL;

	if (is_series(transform))
		assert_int_equal(fft_plan_create_series((enum fft_series)(transform - DCT1), false, n, precision,
							features, &plan),
				 0);
	else if (transform >= R2C)
		assert_int_equal(fft_plan_create_real(n, precision, features, &plan), 0);
	else
		return plan_new(n, precision, features);
	plan_finish(plan);
	return plan;
}

static bool is_long(size_t class)
{
	return classes[class].n[0] > 16384;
}

/* Adds all of a short result, of a long one every 17th line: hashing it would take longer than the transform. */
static void add_result(struct sha256 *sha, const char *y, size_t bytes)
{
	enum { SHORT_BYTES = 1 << 17, LINE = 64, STEP = 17 * LINE };

	for (size_t at = 0; at < bytes; at += bytes > SHORT_BYTES ? STEP : LINE)
		sha256_add(sha, y + at, bytes - at < LINE ? bytes - at : LINE);
}

/* Adds the results of three transforms, or of a single long one, so that some run together and some alone. */
static void add_transforms(struct sha256 *sha, enum transform transform, uint32_t n, enum fft_precision precision,
			   uint32_t features)
{
	const size_t reals[2] = {2 * (size_t)n, 2 * ((size_t)n / 2 + 1)}, batch = n > 16384 ? 1 : 3;
	const size_t in = is_series(transform) || transform == R2C ? n : reals[transform == C2R];
	const size_t out = is_series(transform) || transform == C2R ? n : reals[transform == R2C];
	const size_t in_per = is_series(transform) || transform == R2C ? 1 : 2;
	const size_t out_per = is_series(transform) || transform == C2R ? 1 : 2;
	struct fft_plan *plan = create(transform, n, precision, features);
	void *x = guarded_new(batch * in * real_bytes(precision)), *y = guarded_new(batch * out * real_bytes(precision));
	struct fft_call call = {.in = x, .out = y, .in_stride = 1, .out_stride = 1, .in_distance = in / in_per,
				.out_distance = out / out_per, .batch = batch, .scale = 1};
	uint64_t state = fixture_seed;

	call.inverse = transform == C2C_INVERSE || transform == C2R;
	call.scale = call.inverse ? 1.0 / n : 1;
	real_fill(precision, x, batch * in, &state);
	run_guarded(plan, &call);
	add_result(sha, y, batch * out * real_bytes(precision));
	guarded_free(x, batch * in * real_bytes(precision), "input");
	guarded_free(y, batch * out * real_bytes(precision), "output");
	fft_plan_free(plan);
}

static bool hash_class(enum transform transform, size_t class, enum fft_precision precision, uint32_t features,
		       char ret_text[SHA256_TEXT_BYTES])
{
	struct sha256 sha;
	bool any = false;

	sha256_begin(&sha);
	for (const uint32_t *n = classes[class].n; *n; n++)
		if (takes(transform, *n)) {
			add_transforms(&sha, transform, *n, precision, features);
			any = true;
		}
	sha256_end(&sha, ret_text);
	return any;
}

/* Returns whether the file has this line. */
static bool is_known(const char *line)
{
	FILE *const file = fopen("tests/vectors/fft.txt", "r");
	char known[200];
	bool found = false;

	assert_non_null(file);
	while (!found && fgets(known, sizeof known, file))
		found = strcmp(known, line) == 0;
	fclose(file);
	return found;
}

static void check_variant(const char *name, bool fused, uint32_t features, enum fft_precision precision)
{
	char text[SHA256_TEXT_BYTES], line[200];

	for (enum transform transform = 0; transform < TRANSFORMS; transform++)
		for (size_t class = 0; class < sizeof classes / sizeof *classes; class++) {
			if (SANITIZED && is_long(class))
				continue; /* slow, and check_layout and check_reuse have long ones */
			if (!hash_class(transform, class, precision, features, text))
				continue;
			snprintf(line, sizeof line, "%s %s %s %s %s\n", names[transform],
				 precision == FFT_F32 ? "f32" : "f64", classes[class].name, fused ? "fused" : "plain",
				 text);
			if (getenv("TRNSCI_WRITE"))
				printf("%s", line);
			else if (!is_known(line))
				fail_msg("%s: not in tests/vectors/fft.txt: %s", name, line);
		}
}

static void check_bytes(void **state)
{
	size_t count;
	const struct fft_kernel *const *kernels = fft_kernels(&count);

	(void)state;
	fpenv_enter();
	for (size_t i = 0; i < count; i++)
		if (kernels[i]->needs & ~cpu_detect()) {
			printf("# not on this CPU: %s\n", kernels[i]->name);
		} else {
			check_variant(kernels[i]->name, kernels[i]->fused, kernels[i]->needs, FFT_F32);
			check_variant(kernels[i]->name, kernels[i]->fused, kernels[i]->needs, FFT_F64);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_bytes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
