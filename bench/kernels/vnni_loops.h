// Exact products of int8 rows and queries with AVX512_VNNI, which multiplies unsigned bytes by
// signed bytes. The loops make the bytes of a row unsigned by adding 128. This adds 128 times the
// sum of the query's bytes to each product; the loops subtract it again. n is a multiple of 64.

#include <immintrin.h>

static int vnni_sum(const signed char *x, long n) {
	int sum = 0;
	for (long j = 0; j < n; j++) sum += x[j];
	return sum;
}

static __m512i vnni_load(const signed char *p) { return _mm512_loadu_si512(p); }

static void vnni_pairs(long queries, long rows, long n, const signed char *x, const signed char *m,
		int *dst) {
	const __m512i flip = _mm512_set1_epi8(-128);
	for (long q = 0; q < queries; q++) {
		const int extra = 128 * vnni_sum(x + q * n, n);
		for (long i = 0; i < rows; i++) {
			__m512i a = _mm512_setzero_si512(), b = a;
			for (long j = 0; j + 64 <= n; j += 128) {
				a = _mm512_dpbusd_epi32(a, _mm512_xor_si512(vnni_load(m + i * n + j), flip),
						vnni_load(x + q * n + j));
				if (j + 128 <= n)
					b = _mm512_dpbusd_epi32(b,
							_mm512_xor_si512(vnni_load(m + i * n + j + 64), flip),
							vnni_load(x + q * n + j + 64));
			}
			dst[q * rows + i] = _mm512_reduce_add_epi32(_mm512_add_epi32(a, b)) - extra;
		}
	}
}

// vnni_tile multiplies four rows by four queries at a time. queries is a multiple of 4.
static void vnni_tile(long queries, long rows, long n, const signed char *x, const signed char *m,
		int *dst) {
	const __m512i flip = _mm512_set1_epi8(-128);
	const long whole = rows / 4 * 4;
	int extra[64];
	for (long q = 0; q < queries; q++) extra[q] = 128 * vnni_sum(x + q * n, n);
	for (long i = 0; i < whole; i += 4)
		for (long q = 0; q < queries; q += 4) {
			__m512i s[4][4];
#pragma GCC unroll 4
			for (int a = 0; a < 4; a++)
#pragma GCC unroll 4
				for (int b = 0; b < 4; b++) s[a][b] = _mm512_setzero_si512();
			for (long j = 0; j < n; j += 64) {
				__m512i w[4];
#pragma GCC unroll 4
				for (int b = 0; b < 4; b++) w[b] = vnni_load(x + (q + b) * n + j);
#pragma GCC unroll 4
				for (int a = 0; a < 4; a++) {
					__m512i v = _mm512_xor_si512(vnni_load(m + (i + a) * n + j), flip);
#pragma GCC unroll 4
					for (int b = 0; b < 4; b++) s[a][b] = _mm512_dpbusd_epi32(s[a][b], v, w[b]);
				}
			}
#pragma GCC unroll 4
			for (int b = 0; b < 4; b++) { // the sums of four rows at once
				__m512i lo = _mm512_add_epi32(_mm512_unpacklo_epi32(s[0][b], s[1][b]),
						_mm512_unpackhi_epi32(s[0][b], s[1][b]));
				__m512i hi = _mm512_add_epi32(_mm512_unpacklo_epi32(s[2][b], s[3][b]),
						_mm512_unpackhi_epi32(s[2][b], s[3][b]));
				__m512i all = _mm512_add_epi32(_mm512_unpacklo_epi64(lo, hi),
						_mm512_unpackhi_epi64(lo, hi));
				__m256i half = _mm256_add_epi32(_mm512_castsi512_si256(all),
						_mm512_extracti64x4_epi64(all, 1));
				__m128i sum = _mm_add_epi32(_mm256_castsi256_si128(half),
						_mm256_extracti128_si256(half, 1));
				_mm_storeu_si128((__m128i *)(dst + (q + b) * rows + i),
						_mm_sub_epi32(sum, _mm_set1_epi32(extra[q + b])));
			}
		}
	for (long q = 0; q < queries; q++)
		for (long i = whole; i < rows; i++) {
			int sum = 0;
			for (long j = 0; j < n; j++) sum += x[q * n + j] * m[i * n + j];
			dst[q * rows + i] = sum;
		}
}
