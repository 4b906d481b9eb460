// Driver of dlib's svm_c_linear_dcd_trainer, which implements liblinear's dual coordinate descent. Effort is the tolerance.
#include "driver.h"

#include <string>
#include <utility>
#include <vector>

#include <dlib/revision.h>
#include <dlib/svm.h>

typedef std::vector<std::pair<unsigned long, double> > row;
typedef dlib::sparse_linear_kernel<row> kernel;

int main(int argc, char **argv) {
	rows_t r = load(argc, argv);
	std::vector<row> x(r.rows);
	std::vector<double> y(r.y, r.y + r.rows);
	for (int64_t i = 0; i < r.rows; i++)
		for (int64_t k = r.starts[i]; k < r.starts[i + 1]; k++) x[i].push_back(std::make_pair((unsigned long)r.idx[k], (double)r.val[k]));
	char version[64];
	sprintf(version, "dlib %d.%d.%d", DLIB_MAJOR_VERSION, DLIB_MINOR_VERSION, DLIB_PATCH_VERSION);
	ready(version);

	request_t q;
	while (next(&q)) {
		if (strcmp(q.method, "dcd")) die("no such method");
		dlib::svm_c_linear_dcd_trainer<kernel> trainer;
		trainer.set_c(1 / (q.lambda * r.rows));
		trainer.include_bias(false);
		trainer.set_epsilon(q.effort);
		seconds_t before = now();
		dlib::decision_function<kernel> f = trainer.train(x, y);
		seconds_t after = now();
		std::vector<double> w(r.cols);
		for (long s = 0; s < f.basis_vectors.size(); s++)
			for (row::const_iterator at = f.basis_vectors(s).begin(); at != f.basis_vectors(s).end(); ++at) w[at->first] += f.alpha(s) * at->second;
		answer(before, after, r.cols, &w[0]);
	}
}
