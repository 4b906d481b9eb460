// Loops that evaluate Eigen's expressions the given number of times.

#ifdef __cplusplus
extern "C" {
#endif

const char *eigen_version();
const char *eigen_instructions();
float eigen_dot(long calls, long n, const float *x, const float *y);
float eigen_distance(long calls, long n, const float *x, const float *y);
void eigen_axpy(long calls, long n, float a, const float *x, float *y);
void eigen_scale(long calls, long n, float a, float *y);
void eigen_rows(long calls, long rows, long n, const float *m, const float *x, float *dst);
void eigen_products(long queries, long rows, long n, const float *x, const float *m, float *dst);
void eigen_gemvt(long calls, long rows, long n, const float *m, const float *x, float *dst);
void eigen_ger(long calls, long rows, long n, float a, const float *x, const float *y, float *m);
void eigen_gemm(long calls, long n, const float *x, const float *y, float *dst);

#ifdef __cplusplus
}
#endif
