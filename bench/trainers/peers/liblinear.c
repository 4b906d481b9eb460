// Driver of liblinear's L2-regularized classifiers, one-vs-rest for more than two classes. The method is the number of the
// solver, as in -s. Effort is the tolerance, as in -e.
#include "driver.h"

#include <linear.h>

static void quiet(const char *text) { (void)text; }

int main(int argc, char **argv) {
	rows_t r = load(argc, argv);
	struct feature_node *nodes = (struct feature_node *)room(r.nnz + r.rows, sizeof *nodes), *node = nodes;
	struct feature_node **x = (struct feature_node **)room(r.rows, sizeof *x);
	double *y = (double *)room(r.rows, sizeof *y);
	for (int64_t i = 0; i < r.rows; i++) {
		x[i] = node;
		y[i] = r.y[i];
		for (int64_t k = r.starts[i]; k < r.starts[i + 1]; k++, node++) {
			node->index = r.idx[k] + 1;
			node->value = r.val[k];
		}
		node++->index = -1;
	}
	struct problem p = {.l = (int)r.rows, .n = (int)r.cols, .y = y, .x = x, .bias = -1};
	set_print_string_function(quiet);
	char version[64];
	sprintf(version, "liblinear %d.%02d", liblinear_version / 100, liblinear_version % 100);
	ready(version);

	request_t q;
	while (next(&q)) {
		struct parameter how = {.solver_type = atoi(q.method), .eps = q.effort, .C = 1 / (q.lambda * r.rows), .p = 0.1};
		srand(q.seed);
		seconds_t before = now();
		struct model *m = train(&p, &how);
		seconds_t after = now();

		// liblinear orders the classes by their first rows. For two classes it has one weight vector, which scores the first
		// class above 0.
		int n = m->nr_class, vectors = n == 2 ? 1 : n;
		double *w = (double *)room(vectors * r.cols, sizeof *w);
		for (int k = 0; k < vectors; k++) {
			int to = 0;
			double sign = vectors == 1 && m->label[0] < m->label[1] ? -1 : 1;
			for (int l = 0; vectors > 1 && l < n; l++) to += m->label[l] < m->label[k];
			for (int64_t j = 0; j < r.cols; j++) w[to * r.cols + j] = sign * m->w[j * vectors + k];
		}
		answer(before, after, vectors * r.cols, w);
		free(w);
		free_and_destroy_model(&m);
	}
	return 0;
}
