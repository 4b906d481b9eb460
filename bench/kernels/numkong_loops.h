// Loops that call NumKong's functions the given number of times.

#include <stdlib.h>

#include <numkong/numkong.h>

static double numkong_loop_dot(long calls, size_t n, const float *x, const float *y) {
	volatile double sink = 0;
	while (calls-- > 0) {
		nk_f64_t sum;
		nk_dot_f32(x, y, n, &sum);
		sink = sum;
	}
	return sink;
}

static double numkong_loop_distance(long calls, size_t n, const float *x, const float *y) {
	volatile double sink = 0;
	while (calls-- > 0) {
		nk_f64_t sum;
		nk_sqeuclidean_f32(x, y, n, &sum);
		sink = sum;
	}
	return sink;
}

// NumKong computes the angular distance, which is 1 - the cosine.
static double numkong_loop_cosine(long calls, size_t n, const float *x, const float *y) {
	volatile double sink = 0;
	while (calls-- > 0) {
		nk_f64_t distance;
		nk_angular_f32(x, y, n, &distance);
		sink = 1 - distance;
	}
	return sink;
}

static double numkong_loop_int8_dot(long calls, size_t n, const signed char *x,
		const signed char *y) {
	volatile double sink = 0;
	while (calls-- > 0) {
		nk_i32_t sum;
		nk_dot_i8((const nk_i8_t *)x, (const nk_i8_t *)y, n, &sum);
		sink = sum;
	}
	return sink;
}

static void numkong_int8_pairs(size_t queries, size_t rows, size_t n, const signed char *x,
		const signed char *m, int *dst) {
	for (size_t q = 0; q < queries; q++)
		for (size_t i = 0; i < rows; i++)
			nk_dot_i8((const nk_i8_t *)m + i * n, (const nk_i8_t *)x + q * n, n, dst + q * rows + i);
}

// NumKong's matrix products read one matrix, here the queries, in a packed layout. Their results
// are ordered by rows; the loop stores them ordered by queries.
static void numkong_int8_packed(size_t queries, size_t rows, size_t n, const signed char *x,
		const signed char *m, int *dst) {
	static void *packed;
	static size_t size;
	static nk_i32_t sums[64 * 64];
	size_t need = nk_dots_packed_size_i8(queries, n);
	if (need > size) {
		free(packed);
		size = (need + 63) / 64 * 64;
		packed = aligned_alloc(64, size);
	}
	nk_dots_pack_i8((const nk_i8_t *)x, queries, n, n, packed);
	for (size_t i = 0; i < rows; i += 64) {
		const size_t some = rows - i < 64 ? rows - i : 64;
		nk_dots_packed_i8((const nk_i8_t *)m + i * n, packed, sums, some, queries, n, n,
				queries * sizeof(nk_i32_t));
		for (size_t q = 0; q < queries; q++)
			for (size_t k = 0; k < some; k++) dst[q * rows + i + k] = sums[k * queries + q];
	}
}

static void numkong_configure(void) { nk_configure_thread(nk_capabilities()); }

#define TEXT(x) #x
#define VALUE(x) TEXT(x)
static const char *numkong_version(void) {
	return VALUE(NK_VERSION_MAJOR) "." VALUE(NK_VERSION_MINOR) "." VALUE(NK_VERSION_PATCH);
}
