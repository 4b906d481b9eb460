// Driver of sofia-ml's Pegasos: rows drawn with replacement, the paper's step size, projection, last iterate. The library's
// sources are compiled with the driver. Effort is the number of passes.
#include "driver.h"

#include <sstream>
#include <string>

#include "sofia-ml-methods.h"

int main(int argc, char **argv) {
	rows_t r = load(argc, argv);
	SfDataSet x(false);
	for (int64_t i = 0; i < r.rows; i++) {
		std::ostringstream text; // AddVector only accepts text, with a blank at the end
		text.precision(9);
		text << r.y[i];
		for (int64_t k = r.starts[i]; k < r.starts[i + 1]; k++) text << ' ' << r.idx[k] + 1 << ':' << r.val[k];
		text << ' ';
		x.AddVector(text.str());
	}
	ready("sofia-ml");
	request_t q;
	while (next(&q)) {
		if (strcmp(q.method, "pegasos")) die("no such method");
		srand(q.seed);
		int steps = (int)(q.effort * r.rows);
		seconds_t before = now();
		SfWeightVector w(r.cols + 1);
		sofia_ml::StochasticOuterLoop(x, sofia_ml::PEGASOS, sofia_ml::PEGASOS_ETA, q.lambda, 0, steps, &w);
		seconds_t after = now();
		double *wide = (double *)room(r.cols, sizeof *wide);
		for (int64_t j = 0; j < r.cols; j++) wide[j] = w.ValueOf(j + 1);
		answer(before, after, r.cols, wide);
		free(wide);
	}
}
