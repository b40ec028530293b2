/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's generator on CUDA: torch.rand, torch.randn and torch.randint of device="cuda".
 *
 * A call of n elements runs T threads: 256 for each block, as many blocks as n needs and the card holds. Thread t draws from
 * subsequence t of cuRAND's Philox4x32-10, at the generator's offset. Its evaluation k gives `unroll` numbers, elements
 * t + T (unroll k + j). Source: PyTorch 2.7, aten/src/ATen/native/cuda/DistributionTemplates.h (calc_execution_policy and
 * distribution_elementwise_grid_stride_kernel); cuRAND 12, curand_uniform.h and curand_normal.h. */

/* Evaluates n elements from `begin` on, all of one evaluation and one place j in it; n is at most PIECE. */
static void torch_evaluate(const struct draw *draw, uint64_t evaluation, uint64_t thread, size_t n, rows4 x)
{
	const uint64_t counter = draw->layout->position / 4 + evaluation;

	for (size_t i = 0; i < n; i++) {
		x[0][i] = (uint32_t)counter;
		x[1][i] = (uint32_t)(counter >> 32);
		x[2][i] = (uint32_t)(thread + i);
		x[3][i] = 0; /* a card has fewer than 2^32 threads */
	}
	philox_blocks(draw->stream.seed, n, x);
}

/* Makes n numbers of place j from their blocks. */
typedef void torch_convert(const struct draw *draw, rows4 x, unsigned j, size_t n, void *out);

static void torch_fill(const struct draw *draw, uint64_t begin, size_t n, unsigned unroll, torch_convert *convert, void *out)
{
	const struct layout_call *call = draw->layout;
	const uint64_t needed = (call->n + 255) / 256, threads = 256 * (needed < call->blocks ? needed : call->blocks);
	const size_t size = dtype_size(draw->dtype);
	rows4 x;

	for (size_t at = 0, piece; at < n; at += piece) {
		const uint64_t element = begin + at, thread = element % threads, row = element / threads;

		piece = n - at < PIECE ? n - at : PIECE;
		piece = piece < threads - thread ? piece : (size_t)(threads - thread);
		torch_evaluate(draw, row / unroll, thread, piece, x);
		convert(draw, x, (unsigned)(row % unroll), piece, (char *)out + at * size);
	}
}

/* ---- torch.rand ---- */

static void torch_uniform_f32(const struct draw *draw, rows4 x, unsigned j, size_t n, void *ret_out)
{
	const float low = (float)draw->parameters[0].real, high = (float)draw->parameters[1].real, range = high - low;
	float *out = ret_out;

	for (size_t i = 0; i < n; i++) {
		const float value = fmaf(curand_uniform(x[j][i]), range, low);

		out[i] = value == high ? low : value;
	}
}

static void torch_uniform_f64(const struct draw *draw, rows4 x, unsigned j, size_t n, void *ret_out)
{
	const double low = draw->parameters[0].real, high = draw->parameters[1].real, range = high - low;
	double *out = ret_out;

	for (size_t i = 0; i < n; i++) {
		const double value = fma(curand_uniform_double(x[2 * j][i], x[2 * j + 1][i]), range, low);

		out[i] = value == high ? low : value;
	}
}

/* The bounds and their difference are rounded to the dtype, the numbers made in float32. */
#define TORCH_UNIFORM16(name, round, widen)                                                                                       \
	static void name(const struct draw *draw, rows4 x, unsigned j, size_t n, void *ret_out)                                   \
	{                                                                                                                         \
		const uint16_t low = round((float)draw->parameters[0].real), high = round((float)draw->parameters[1].real);       \
		const float from = widen(low), range = widen(round(widen(high) - from));                                          \
		uint16_t *out = ret_out;                                                                                          \
                                                                                                                                  \
		for (size_t i = 0; i < n; i++) {                                                                                  \
			const uint16_t value = round(fmaf(curand_uniform(x[j][i]), range, from));                                 \
                                                                                                                                  \
			out[i] = value == high ? low : value;                                                                     \
		}                                                                                                                 \
	}

TORCH_UNIFORM16(torch_uniform_f16, f16_of, f16_widen)
TORCH_UNIFORM16(torch_uniform_bf16, bf16_of, bf16_widen)

/* ---- torch.randn ---- */

static void torch_normal_f32(const struct draw *draw, rows4 x, unsigned j, size_t n, void *ret_out)
{
	const float mean = (float)draw->parameters[0].real, std = (float)draw->parameters[1].real;
	float normals[PIECE], *out = ret_out;

	curand_normals(x[j & 2], x[(j & 2) + 1], j & 1, n, normals);
	for (size_t i = 0; i < n; i++)
		out[i] = fmaf(normals[i], std, mean);
}

#define TORCH_NORMAL16(name, round)                                                                                               \
	static void name(const struct draw *draw, rows4 x, unsigned j, size_t n, void *ret_out)                                   \
	{                                                                                                                         \
		float normals[PIECE];                                                                                             \
		uint16_t *out = ret_out;                                                                                          \
                                                                                                                                  \
		torch_normal_f32(draw, x, j, n, normals);                                                                         \
		for (size_t i = 0; i < n; i++)                                                                                    \
			out[i] = round(normals[i]);                                                                               \
	}

TORCH_NORMAL16(torch_normal_f16, f16_of)
TORCH_NORMAL16(torch_normal_bf16, bf16_of)

static void torch_normal_f64(const struct draw *draw, rows4 x, unsigned j, size_t n, void *ret_out)
{
	const double mean = draw->parameters[0].real, std = draw->parameters[1].real;
	double normals[PIECE];

	curand_normals_double(x, j, n, normals);
	for (size_t i = 0; i < n; i++)
		normals[i] = fma(normals[i], std, mean);
	memcpy(ret_out, normals, n * sizeof *normals);
}

/* ---- torch.randint: the remainder of a word, which is not quite uniform; of two from a range of 2^28 on, the first one high ----
 */

static uint64_t torch_range(const struct draw *draw)
{
	return draw->parameters[1].natural - draw->parameters[0].natural;
}

#define TORCH_INTEGERS(name, type)                                                                                                \
	static void name##_words(const struct draw *draw, rows4 x, unsigned j, size_t n, void *ret_out)                           \
	{                                                                                                                         \
		const uint32_t range = (uint32_t)torch_range(draw);                                                               \
		const uint64_t low = draw->parameters[0].natural;                                                                 \
		type *out = ret_out;                                                                                              \
                                                                                                                                  \
		for (size_t i = 0; i < n; i++)                                                                                    \
			out[i] = (type)(x[j][i] % range + low);                                                                   \
	}                                                                                                                         \
                                                                                                                                  \
	static void name##_pairs(const struct draw *draw, rows4 x, unsigned j, size_t n, void *ret_out)                           \
	{                                                                                                                         \
		const uint64_t range = torch_range(draw), low = draw->parameters[0].natural;                                      \
		type *out = ret_out;                                                                                              \
                                                                                                                                  \
		for (size_t i = 0; i < n; i++) {                                                                                  \
			const uint64_t pair = (uint64_t)x[2 * j][i] << 32 | x[2 * j + 1][i];                                      \
                                                                                                                                  \
			out[i] = (type)((range ? pair % range : pair) + low);                                                     \
		}                                                                                                                 \
	}                                                                                                                         \
                                                                                                                                  \
	static void name(const struct draw *draw, uint64_t begin, size_t n, void *out)                                            \
	{                                                                                                                         \
		if (torch_range(draw) - 1 < LAYOUT_TORCH_WIDE_RANGE - 1)                                                          \
			torch_fill(draw, begin, n, 4, name##_words, out);                                                         \
		else                                                                                                              \
			torch_fill(draw, begin, n, 2, name##_pairs, out);                                                         \
	}

TORCH_INTEGERS(torch_integers_32, uint32_t)
TORCH_INTEGERS(torch_integers_64, uint64_t)

#define TORCH_WAY(name, unroll)                                                                                                   \
	static void name##_fill(const struct draw *draw, uint64_t begin, size_t n, void *out)                                     \
	{                                                                                                                         \
		torch_fill(draw, begin, n, unroll, name, out);                                                                    \
	}

TORCH_WAY(torch_uniform_f32, 4)
TORCH_WAY(torch_uniform_f64, 2)
TORCH_WAY(torch_uniform_f16, 4)
TORCH_WAY(torch_uniform_bf16, 4)
TORCH_WAY(torch_normal_f32, 4)
TORCH_WAY(torch_normal_f64, 2)
TORCH_WAY(torch_normal_f16, 4)
TORCH_WAY(torch_normal_bf16, 4)

static const struct layout_way torch_cuda_ways[] = {
	{DIST_UNIFORM, DTYPE_F32, torch_uniform_f32_fill, false},
	{DIST_UNIFORM, DTYPE_F64, torch_uniform_f64_fill, false},
	{DIST_UNIFORM, DTYPE_BF16, torch_uniform_bf16_fill, false},
	{DIST_UNIFORM, DTYPE_F16, torch_uniform_f16_fill, false},
	{DIST_NORMAL, DTYPE_F32, torch_normal_f32_fill, false},
	{DIST_NORMAL, DTYPE_F64, torch_normal_f64_fill, false},
	{DIST_NORMAL, DTYPE_BF16, torch_normal_bf16_fill, false},
	{DIST_NORMAL, DTYPE_F16, torch_normal_f16_fill, false},
	{DIST_RANDINT, DTYPE_I32, torch_integers_32, false},
	{DIST_RANDINT, DTYPE_I64, torch_integers_64, false},
	{DIST_RANDINT, DTYPE_U32, torch_integers_32, false},
	{DIST_RANDINT, DTYPE_U64, torch_integers_64, false},
	{DIST_COUNT, DTYPE_NONE, NULL, false},
};
