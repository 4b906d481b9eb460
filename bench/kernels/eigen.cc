//go:build eigen

#include <Eigen/Core>

#include "eigen.h"

using In = Eigen::Map<const Eigen::VectorXf>;
using Out = Eigen::Map<Eigen::VectorXf>;
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const RowMajor>;
using OutRows = Eigen::Map<RowMajor>;

const char *eigen_version() {
#define TEXT(x) #x
#define VALUE(x) TEXT(x)
	return VALUE(EIGEN_WORLD_VERSION) "." VALUE(EIGEN_MAJOR_VERSION) "." VALUE(
	    EIGEN_MINOR_VERSION);
}

const char *eigen_instructions() { return Eigen::SimdInstructionSetsInUse(); }

float eigen_dot(long calls, long n, const float *x, const float *y) {
	volatile float sink = 0;
	while (calls-- > 0) sink = In(x, n).dot(In(y, n));
	return sink;
}

float eigen_distance(long calls, long n, const float *x, const float *y) {
	volatile float sink = 0;
	while (calls-- > 0) sink = (In(x, n) - In(y, n)).squaredNorm();
	return sink;
}

// seen keeps the compiler from merging the calls of a loop, whose results are in y.
static void seen(float *y) { asm volatile("" : : "r"(y) : "memory"); }

void eigen_axpy(long calls, long n, float a, const float *x, float *y) {
	for (; calls > 0; calls--) {
		Out(y, n) += a * In(x, n);
		seen(y);
	}
}

void eigen_scale(long calls, long n, float a, float *y) {
	for (; calls > 0; calls--) {
		Out(y, n) *= a;
		seen(y);
	}
}

void eigen_rows(long calls, long rows, long n, const float *m, const float *x, float *dst) {
	for (; calls > 0; calls--) {
		Out(dst, rows).noalias() = Rows(m, rows, n) * In(x, n);
		seen(dst);
	}
}

void eigen_products(long queries, long rows, long n, const float *x, const float *m, float *dst) {
	OutRows(dst, queries, rows).noalias() = Rows(x, queries, n) * Rows(m, rows, n).transpose();
}

void eigen_gemvt(long calls, long rows, long n, const float *m, const float *x, float *dst) {
	for (; calls > 0; calls--) {
		Out(dst, n).noalias() = Rows(m, rows, n).transpose() * In(x, rows);
		seen(dst);
	}
}

void eigen_ger(long calls, long rows, long n, float a, const float *x, const float *y, float *m) {
	for (; calls > 0; calls--) {
		OutRows(m, rows, n).noalias() += a * In(x, rows) * In(y, n).transpose();
		seen(m);
	}
}

void eigen_gemm(long calls, long n, const float *x, const float *y, float *dst) {
	for (; calls > 0; calls--) {
		OutRows(dst, n, n).noalias() = Rows(x, n, n) * Rows(y, n, n);
		seen(dst);
	}
}
