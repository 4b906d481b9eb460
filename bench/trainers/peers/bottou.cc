// Driver of Leon Bottou's sgd 2: svmsgd, or with -DAVERAGED svmasgd, with hinge loss, without a bias, in the order of the
// rows. It includes the source of the program, whose folder -I must name, and trains as the program's main does. Effort is
// the number of passes. The search for the first step size is part of training.
#include "driver.h"

#include <cstring>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#define LOSS HingeLoss
#define BIAS 0
#define private public
#define main its_main
#ifdef AVERAGED
#include "svm/svmasgd.cpp"
typedef SvmAsgd svm_t;
#define METHOD "asgd"
#else
#include "svm/svmsgd.cpp"
typedef SvmSgd svm_t;
#define METHOD "sgd"
#endif
#undef main
#undef private

// The program's reader of files is not needed, but must be defined.
void load_datafile(const char *, xvec_t &, yvec_t &, int &, bool, int) { die("no files"); }

int main(int argc, char **argv) {
	rows_t r = load(argc, argv);
	xvec_t x;
	yvec_t y(r.y, r.y + r.rows);
	for (int64_t i = 0; i < r.rows; i++) {
		SVector v;
		for (int64_t k = r.starts[i]; k < r.starts[i + 1]; k++) v.set(r.idx[k], r.val[k]);
		v.trim();
		x.push_back(v);
	}
	ready("Bottou's sgd 2");
	cout.setstate(std::ios::failbit); // svmsgd prints a line for each epoch
	int last = (int)r.rows - 1;
	request_t q;
	while (next(&q)) {
		if (strcmp(q.method, METHOD)) die("no such method");
		seconds_t before = now();
#ifdef AVERAGED
		svm_t svm((int)r.cols, q.lambda, (double)r.rows); // averaging starts after a pass, the default
#else
		svm_t svm((int)r.cols, q.lambda);
#endif
		svm.determineEta0(0, std::min(1000, last), x, y);
		for (int e = 0; e < (int)q.effort; e++) svm.train(0, last, x, y);
		svm.renorm();
		seconds_t after = now();
		std::vector<double> w(r.cols);
#ifdef AVERAGED
		const FVector &model = svm.a;
#else
		const FVector &model = svm.w;
#endif
		for (int j = 0; j < (int)r.cols; j++) w[j] = model.get(j);
		answer(before, after, r.cols, &w[0]);
	}
}
