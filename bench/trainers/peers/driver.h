// Functions that the drivers of peers in C and C++ share, and the protocol of all drivers. A driver loads a file of rows,
// prints "ready" and the peer's version, and then trains on every request. A request is a line: method, lambda, effort, seed.
// The answer is a line of JSON, with the number of values or an error, and the values as doubles: the weight vectors one after
// the other, or predictions.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
	int64_t rows, cols, nnz;
	int64_t *starts; // rows+1
	int32_t *idx;    // from 0, ascending in each row
	float *val;
	float *y;
} rows_t;

typedef struct {
	char method[64];
	double lambda;
	double effort; // passes, or a tolerance
	unsigned seed;
} request_t;

typedef struct {
	double cpu, wall;
} seconds_t;

static void die(const char *why) {
	fprintf(stderr, "%s\n", why);
	exit(1);
}

static void *room(size_t count, size_t size) {
	void *p = calloc(count ? count : 1, size);
	if (!p) die("out of memory");
	return p;
}

static void get(FILE *f, void *to, size_t size, size_t count) {
	if (fread(to, size, count, f) != count) die("the file of rows is too short");
}

// load reads the file of rows that the benchmark has written.
static rows_t load(int argc, char **argv) {
	rows_t r;
	int64_t size[3];
	if (argc < 2) die("want a file of rows");
	FILE *f = fopen(argv[1], "rb");
	if (!f) die("can't open the file of rows");
	get(f, size, 8, 3);
	r.rows = size[0], r.cols = size[1], r.nnz = size[2];
	r.starts = (int64_t *)room(r.rows + 1, 8);
	r.idx = (int32_t *)room(r.nnz, 4);
	r.val = (float *)room(r.nnz, 4);
	r.y = (float *)room(r.rows, 4);
	get(f, r.starts, 8, r.rows + 1);
	get(f, r.idx, 4, r.nnz);
	get(f, r.val, 4, r.nnz);
	get(f, r.y, 4, r.rows);
	fclose(f);
	return r;
}

static void ready(const char *version) {
	printf("ready %s\n", version);
	fflush(stdout);
}

// next waits for a request. It returns 0 at the end of the requests.
static int next(request_t *q) {
	char line[256];
	if (!fgets(line, sizeof line, stdin)) return 0;
	if (sscanf(line, "%63s %lf %lf %u", q->method, &q->lambda, &q->effort, &q->seed) != 4) die("bad request");
	return 1;
}

static double clock_of(clockid_t id) {
	struct timespec t;
	clock_gettime(id, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static seconds_t now(void) {
	seconds_t s = {clock_of(CLOCK_THREAD_CPUTIME_ID), clock_of(CLOCK_MONOTONIC)};
	return s;
}

// answer writes the answer to a request. before and after are the results of now before and after training.
static void answer(seconds_t before, seconds_t after, int64_t values, const double *w) {
	printf("{\"cpu\":%.9f,\"wall\":%.9f,\"values\":%ld}\n", after.cpu - before.cpu, after.wall - before.wall, (long)values);
	fwrite(w, sizeof *w, (size_t)values, stdout);
	fflush(stdout);
}
