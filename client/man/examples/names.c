/* SPDX-License-Identifier: Apache-2.0 */
/* Examples that need no session: errors, dtypes, sources, lengths, the table of operations, the self-test.
 *
 * The pages of section 3 show what stands between "example: NAME ..." and "end". A line of output stands behind "prints". */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <trnsci/trnsci.h>

static void errors(void)
{
	/* example: trnsci_error_name trnsci_strerror trnsci_error_is_transient trnsci_error_code */
	int r = -TRNSCI_LIMIT; /* what a function returned */

	printf("%s: %s\n", trnsci_error_name(r),
	       trnsci_strerror(
		       r)); /* prints limit: a quota or limit would be exceeded */
	if (trnsci_error_is_transient(r))
		printf("Try again later.\n"); /* prints Try again later. */
	/* end */
}

static void version(void)
{
	/* example: trnsci_version */
	printf("libtrnsci %s\n", trnsci_version()); /* prints libtrnsci ... */
	/* end */
}

static void dtypes(void)
{
	/* example: trnsci_dtype trnsci_dtype_parse trnsci_dtype_name trnsci_dtype_size */
	enum trnsci_dtype dtype = trnsci_dtype_parse("float32");

	if (dtype == TRNSCI_DTYPE_NONE)
		errx(1, "no such dtype");
	printf("%s has %zu bytes\n", trnsci_dtype_name(dtype),
	       trnsci_dtype_size(dtype)); /* prints f32 has 4 bytes */
	/* end */
}

static void sources(void)
{
	/* example: trnsci_source trnsci_source_seed trnsci_source_label trnsci_source_fold_in trnsci_source_split */
	const struct trnsci_source run = trnsci_source_seed(2026);
	struct trnsci_source weights, layer, worker;

	if (trnsci_source_label(&run, "weights", 7, &weights) ||
	    trnsci_source_fold_in(&weights, 3,
				  &layer) || /* layer 3 of the weights */
	    trnsci_source_split(
		    &run, 0, &worker)) /* the first of any number of workers */
		errx(1, "no such generator");
	layer.offset = 1000; /* begin at its sample 1000 */
	/* end */
	if (!memcmp(&weights, &layer, sizeof layer) ||
	    !memcmp(&worker, &run, sizeof run))
		errx(1, "derived sources are their parents");
}

static void parts(void)
{
	/* example: trnsci_rank_part */
	uint64_t begin, end;

	for (uint64_t rank = 0; trnsci_rank_part(10, rank, 3, &begin, &end);
	     rank++)
		printf("%" PRIu64 "-%" PRIu64 " ", begin, end - 1);
	printf("samples of each rank\n"); /* prints 0-2 3-5 6-9 samples of each rank */
	/* end */
}

static void lengths(void)
{
	/* example: trnsci_next_fast_length */
	printf("%" PRIu64 "\n",
	       trnsci_next_fast_length(1009, false)); /* prints 1014 */
	/* end */

	/* example: trnsci_fftfreq */
	double hertz[5]; /* of a real transform of 8 samples, 1000 a second */

	if (trnsci_fftfreq(8, 1 / 1000.0, true, hertz))
		errx(1, "bad length or spacing");
	printf("%g %g ... %g\n", hertz[0], hertz[1],
	       hertz[4]); /* prints 0 125 ... 500 */
	/* end */
}

static void operations(void)
{
	/* example: trnsci_operation_at trnsci_operation_info */
	struct trnsci_operation_info operation;

	for (size_t i = 0; trnsci_operation_at(i, &operation) == 0; i++)
		if (!strcmp(operation.category, "points"))
			printf("%s ", operation.name);
	printf("are point sets\n"); /* prints sobol halton ... are point sets */
	/* end */
}

static void parameters(void)
{
	/* example: trnsci_operation_parameter trnsci_parameter_info */
	struct trnsci_parameter_info parameter;

	for (size_t i = 0;
	     trnsci_operation_parameter("scale", i, &parameter) == 0; i++)
		if (!strcmp(parameter.type, "f64"))
			printf("%s=%s ", parameter.name,
			       parameter.fallback ? parameter.fallback
						  : "(required)");
	printf("are its numbers\n"); /* prints by=1 plus=0 are its numbers */
	/* end */
}

static void generators(void)
{
	/* example: trnsci_generator_at trnsci_generator_info */
	struct trnsci_generator_info generator;

	for (size_t i = 0; trnsci_generator_at(i, &generator) == 0; i++)
		printf("%s ", generator.name);
	printf("\n"); /* prints threefry4x32 philox4x32 ... */
	/* end */
}

/* example: trnsci_selftest trnsci_check */
static void print_failure(void *arg, const struct trnsci_check *check)
{
	(void)arg;
	if (!check->passed && !check->skipped)
		printf("%s, %s: %s\n", check->subject, check->name,
		       check->detail);
}
/* end */

static void selftest(void)
{
	/* example: trnsci_selftest trnsci_check */
	int failed = trnsci_selftest("kernels", NULL, print_failure, NULL);

	if (failed < 0)
		errx(1, "selftest: %s", trnsci_strerror(failed));
	printf("%d rows failed\n", failed); /* prints 0 rows failed */
	/* end */
}

int main(void)
{
	errors();
	version();
	dtypes();
	sources();
	parts();
	lengths();
	operations();
	parameters();
	generators();
	selftest();
	return 0;
}
