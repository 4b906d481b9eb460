"""Driver of scikit-learn. driver.h defines the protocol.

    scikit.py ROWS [TEST ROWS]

The values of an answer are the weight vectors, or for the method "pairs" the predictions of the test rows. Effort is the
number of passes, or a tolerance. Sets in which a quarter of the values or more are nonzero become dense arrays, other
sets CSR matrices. The values are converted to float64, in which the library computes.
"""

import json
import sys
import time
import warnings

import numpy
import scipy.sparse
import sklearn
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import LinearSVC

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

def load(path):
    with open(path, "rb") as f:
        rows, cols, nnz = (int(v) for v in numpy.fromfile(f, numpy.int64, 3))
        starts = numpy.fromfile(f, numpy.int64, rows + 1)
        idx = numpy.fromfile(f, numpy.int32, nnz)
        val = numpy.fromfile(f, numpy.float32, nnz).astype(numpy.float64)
        y = numpy.fromfile(f, numpy.float32, rows).astype(numpy.float64)
    return scipy.sparse.csr_matrix((val, idx, starts.astype(numpy.int32)), shape=(rows, cols)), y


def answer(method, x, y, test, penalty, effort, seed):
    if method == "pairs":
        m = OneVsOneClassifier(sgd("hinge", True)(penalty, 0, effort, seed))
    else:
        m = WEIGHTS[method](penalty, 1 / (penalty * x.shape[0]), effort, seed)
    cpu, wall = time.process_time(), time.perf_counter()
    m.fit(x, y)
    line = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    values = m.predict(test) if method == "pairs" else m.coef_
    values = numpy.ascontiguousarray(values, numpy.float64)
    return line | {"values": values.size}, values


def main():
    x, y = load(sys.argv[1])
    test = load(sys.argv[2])[0] if len(sys.argv) > 2 else None
    if x.nnz >= 0.25 * x.shape[0] * x.shape[1]:
        x = x.toarray()
        test = None if test is None else test.toarray()
    out = sys.stdout.buffer
    out.write(f"ready scikit-learn {sklearn.__version__}\n".encode())
    out.flush()
    for line in sys.stdin:
        method, penalty, effort, seed = line.split()
        values = numpy.empty(0)
        try:
            said, values = answer(method, x, y, test, float(penalty), float(effort), int(seed))
        except Exception as e:  # the answer reports the error
            said = {"error": f"{type(e).__name__}: {e}".splitlines()[0]}
        out.write((json.dumps(said) + "\n").encode())
        out.write(values.tobytes())
        out.flush()


warnings.simplefilter("ignore")  # about the number of iterations
main()
