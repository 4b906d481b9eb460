// Driver of VLFeat's SVM solvers: stochastic gradient descent and dual coordinate ascent. Effort is the number of passes.
// For dense rows VLFeat uses its own functions, with SSE2; for sparse rows it calls inner and accumulate.
#include "driver.h"

#include <vl/svm.h>

static double inner(const void *data, vl_uindex i, double *w) {
	const rows_t *r = (const rows_t *)data;
	double sum = 0;
	for (int64_t k = r->starts[i]; k < r->starts[i + 1]; k++) sum += r->val[k] * w[r->idx[k]];
	return sum;
}

static void accumulate(const void *data, vl_uindex i, double *w, double a) {
	const rows_t *r = (const rows_t *)data;
	for (int64_t k = r->starts[i]; k < r->starts[i + 1]; k++) w[r->idx[k]] += a * r->val[k];
}

int main(int argc, char **argv) {
	rows_t r = load(argc, argv);
	double *y = (double *)room(r.rows, sizeof *y), *dense = NULL;
	for (int64_t i = 0; i < r.rows; i++) y[i] = r.y[i];
	if (r.nnz >= 0.25 * r.rows * r.cols) {
		dense = (double *)room(r.rows * r.cols, sizeof *dense);
		for (int64_t i = 0; i < r.rows; i++)
			for (int64_t k = r.starts[i]; k < r.starts[i + 1]; k++) dense[i * r.cols + r.idx[k]] = r.val[k];
	}
	ready("VLFeat " VL_VERSION_STRING);

	request_t q;
	while (next(&q)) {
		VlSvmSolverType type;
		if (!strcmp(q.method, "sgd")) type = VlSvmSolverSgd;
		else if (!strcmp(q.method, "sdca")) type = VlSvmSolverSdca;
		else die("no such method");
		vl_rand_seed(vl_get_rand(), q.seed);
		seconds_t before = now();
		VlSvm *svm;
		if (dense) {
			svm = vl_svm_new(type, dense, r.cols, r.rows, y, q.lambda);
		} else {
			svm = vl_svm_new_with_abstract_data(type, &r, r.cols, r.rows, y, q.lambda);
			vl_svm_set_data_functions(svm, inner, accumulate);
		}
		vl_svm_set_bias_multiplier(svm, 0);
		vl_svm_set_epsilon(svm, 0); // only the number of passes ends training
		vl_svm_set_max_num_iterations(svm, (vl_size)(q.effort * r.rows));
		vl_svm_set_diagnostic_frequency(svm, (vl_size)(q.effort * r.rows) + 1); // never compute the objective
		vl_svm_train(svm);
		seconds_t after = now();
		answer(before, after, r.cols, vl_svm_get_model(svm));
		vl_svm_delete(svm);
	}
	return 0;
}
