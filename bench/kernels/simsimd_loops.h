// SimSIMD's functions in loops of so many calls.

#include <simsimd/simsimd.h>

static double simsimd_loop_dot(long calls, size_t n, const float *x, const float *y) {
	volatile double sink = 0;
	while (calls-- > 0) {
		simsimd_distance_t d;
		simsimd_dot_f32(x, y, n, &d);
		sink = d;
	}
	return sink;
}

static double simsimd_loop_distance(long calls, size_t n, const float *x, const float *y) {
	volatile double sink = 0;
	while (calls-- > 0) {
		simsimd_distance_t d;
		simsimd_l2sq_f32(x, y, n, &d);
		sink = d;
	}
	return sink;
}

#define TEXT(x) #x
#define VALUE(x) TEXT(x)
static const char *simsimd_version(void) {
	return VALUE(SIMSIMD_VERSION_MAJOR) "." VALUE(SIMSIMD_VERSION_MINOR) "." VALUE(
		SIMSIMD_VERSION_PATCH);
}
