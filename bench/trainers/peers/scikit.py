"""scikit-learn, as the drivers beside this file: driver.h has the protocol.

    scikit.py ROWS [TEST ROWS]     a method's training, and what METHODS says comes back
    scikit.py -shipped FOLDER      writes the sets that scikit-learn ships, as svmlight text

Effort is the passes, or a tolerance. Sets with a quarter of nonzeros or more are dense arrays, others CSR, in float64,
which is what the library works in.
"""

import json
import os
import sys
import time
import warnings

import numpy
import scipy.sparse
import sklearn
from sklearn import datasets
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, LinearSVR

LOSSES = {"hinge": "hinge", "log": "log_loss", "squared-hinge": "squared_hinge"}


def sgd(loss, average=False):
    return lambda penalty, c, effort, seed: SGDClassifier(
        loss=LOSSES[loss], alpha=penalty, fit_intercept=False, max_iter=int(effort), tol=None, average=average, random_state=seed
    )


def linear(loss):
    return lambda penalty, c, effort, seed: LinearSVC(
        loss=LOSSES[loss], C=c, tol=effort, max_iter=100000, fit_intercept=False, random_state=seed
    )


def logistic(solver):
    return lambda penalty, c, effort, seed: LogisticRegression(
        C=c, tol=effort, max_iter=100000, fit_intercept=False, solver=solver, random_state=seed
    )


# Weight vectors come back.
WEIGHTS = {
    "sgd-hinge": sgd("hinge"),
    "asgd-hinge": sgd("hinge", True),
    "sgd-log": sgd("log"),
    "asgd-log": sgd("log", True),
    "asgd-squared-hinge": sgd("squared-hinge", True),
    "linear-hinge": linear("hinge"),
    "linear-squared-hinge": linear("squared-hinge"),
    "logistic-lbfgs": logistic("lbfgs"),
    "logistic-newton-cholesky": logistic("newton-cholesky"),
}

# Predictions of the test rows come back. The defaults get a seed, to be repeatable, and nothing else.
PREDICTIONS = {
    "LinearSVC": lambda seed: LinearSVC(random_state=seed),
    "SGDClassifier": lambda seed: SGDClassifier(random_state=seed),
    "LogisticRegression": lambda seed: LogisticRegression(random_state=seed),
    "Scaler+LogisticRegression": lambda seed: make_pipeline(StandardScaler(), LogisticRegression(random_state=seed)),
    "Scaler+LogisticRegression-sparse": lambda seed: make_pipeline(StandardScaler(with_mean=False), LogisticRegression(random_state=seed)),
    "LinearSVR": lambda seed: LinearSVR(random_state=seed),
    "Ridge": lambda seed: Ridge(),
}


def load(path):
    with open(path, "rb") as f:
        rows, cols, nnz = (int(v) for v in numpy.fromfile(f, numpy.int64, 3))
        starts = numpy.fromfile(f, numpy.int64, rows + 1)
        idx = numpy.fromfile(f, numpy.int32, nnz)
        val = numpy.fromfile(f, numpy.float32, nnz).astype(numpy.float64)
        y = numpy.fromfile(f, numpy.float32, rows).astype(numpy.float64)
    return scipy.sparse.csr_matrix((val, idx, starts.astype(numpy.int32)), shape=(rows, cols)), y


def model(method, rows, sparse, penalty, effort, seed):
    kind, _, gamma = method.partition(":")
    if kind == "svc":
        return SVC(C=1 / (penalty * rows), gamma=float(gamma), tol=effort, cache_size=1000)
    if kind == "pairs":
        return OneVsOneClassifier(sgd("hinge", True)(penalty, 0, effort, seed))
    if sparse and method + "-sparse" in PREDICTIONS:
        method += "-sparse"
    if method in PREDICTIONS:
        return PREDICTIONS[method](seed)
    return WEIGHTS[method](penalty, 1 / (penalty * rows), effort, seed)


def answer(m, method, x, y, test):
    cpu, wall = time.process_time(), time.perf_counter()
    m.fit(x, y)
    line = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    if method in WEIGHTS:
        values = m.coef_
    else:
        cpu = time.process_time()
        values = m.predict(test)
        line["predict"] = time.process_time() - cpu
    if isinstance(m, SVC):  # alpha*y of each training row and the constant come first
        alphas = numpy.zeros(x.shape[0])
        alphas[m.support_] = (m.dual_coef_.toarray() if scipy.sparse.issparse(m.dual_coef_) else m.dual_coef_)[0]
        values = numpy.concatenate([alphas, m.intercept_, values])
    values = numpy.ascontiguousarray(values, numpy.float64)
    return line | {"values": values.size}, values


def main():
    x, y = load(sys.argv[1])
    test = load(sys.argv[2])[0] if len(sys.argv) > 2 else None
    sparse = x.nnz < 0.25 * x.shape[0] * x.shape[1]
    if not sparse:
        x = x.toarray()
        test = None if test is None else test.toarray()
    out = sys.stdout.buffer
    out.write(f"ready scikit-learn {sklearn.__version__}\n".encode())
    out.flush()
    for line in sys.stdin:
        method, penalty, effort, seed = line.split()
        values = numpy.empty(0)
        try:
            m = model(method, x.shape[0], sparse, float(penalty), float(effort), int(seed))
            said, values = answer(m, method, x, y, test)
        except Exception as e:  # what a peer can't do is a result as well
            said = {"error": f"{type(e).__name__}: {e}".splitlines()[0]}
        out.write((json.dumps(said) + "\n").encode())
        out.write(values.tobytes())
        out.flush()


def shipped(folder):
    for name in ["iris", "wine", "breast_cancer", "diabetes", "linnerud"]:
        # diabetes as it was collected: scikit-learn's own default is scaled columns.
        s = datasets.load_diabetes(scaled=False) if name == "diabetes" else getattr(datasets, "load_" + name)()
        y = s.target[:, 0] if s.target.ndim > 1 else s.target  # linnerud: weight
        datasets.dump_svmlight_file(s.data, y, os.path.join(folder, name + ".svm"), zero_based=False)


warnings.simplefilter("ignore")  # those on iterations
if sys.argv[1] == "-shipped":
    shipped(sys.argv[2])
else:
    main()
