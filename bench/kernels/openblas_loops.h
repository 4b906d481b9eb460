// Loops that call OpenBLAS's functions the given number of times.

#include <cblas.h>

extern char *openblas_get_config(void);
extern char *openblas_get_corename(void);
extern void openblas_set_num_threads(int);

static float loop_sdot(long calls, int n, const float *x, const float *y) {
	volatile float sink;
	while (calls-- > 0) sink = cblas_sdot(n, x, 1, y, 1);
	return sink;
}

static void loop_saxpy(long calls, int n, float a, const float *x, float *y) {
	while (calls-- > 0) cblas_saxpy(n, a, x, 1, y, 1);
}

static void loop_sscal(long calls, int n, float a, float *y) {
	while (calls-- > 0) cblas_sscal(n, a, y, 1);
}

static void loop_sgemv(long calls, int rows, int n, const float *m, const float *x, float *dst) {
	while (calls-- > 0) cblas_sgemv(CblasRowMajor, CblasNoTrans, rows, n, 1, m, n, x, 1, 0, dst, 1);
}

static void loop_sgemm(long calls, int n, const float *x, const float *y, float *dst) {
	while (calls-- > 0)
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, x, n, y, n, 0, dst, n);
}
