"""scikit-learn: SGDClassifier (hinge, plain and averaged), LinearSVC (hinge), and both SGDs one-vs-one.

The protocol is that of driver.h. Effort is the passes, or LinearSVC's tolerance. Sets with a quarter of nonzeros or more
are dense arrays, others CSR, in float64, which is what the library works in.
"""

import json
import sys
import time
import warnings

import numpy
import scipy.sparse
import sklearn
from sklearn.linear_model import SGDClassifier
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import LinearSVC


def load(path):
    with open(path, "rb") as f:
        rows, cols, nnz = (int(v) for v in numpy.fromfile(f, numpy.int64, 3))
        starts = numpy.fromfile(f, numpy.int64, rows + 1)
        idx = numpy.fromfile(f, numpy.int32, nnz)
        val = numpy.fromfile(f, numpy.float32, nnz).astype(numpy.float64)
        y = numpy.fromfile(f, numpy.float32, rows).astype(numpy.float64)
    x = scipy.sparse.csr_matrix((val, idx, starts.astype(numpy.int32)), shape=(rows, cols))
    if nnz >= 0.25 * rows * cols:
        x = x.toarray()
    return x, y


def classifier(method, rows, penalty, effort, seed):
    if method == "linearsvc":
        return LinearSVC(loss="hinge", C=1 / (penalty * rows), tol=effort, max_iter=10000, fit_intercept=False, random_state=seed)
    kind, _, many = method.partition("-")
    if kind not in ("sgd", "asgd") or many not in ("", "ovo"):
        raise SystemExit("no such method")
    sgd = SGDClassifier(
        loss="hinge", alpha=penalty, fit_intercept=False, max_iter=int(effort), tol=None, average=kind == "asgd", random_state=seed
    )
    return OneVsOneClassifier(sgd) if many else sgd


def weights(c):
    if isinstance(c, OneVsOneClassifier):
        return numpy.vstack([e.coef_ for e in c.estimators_])
    return c.coef_


def main():
    warnings.simplefilter("ignore")  # LinearSVC's on iterations
    x, y = load(sys.argv[1])
    out = sys.stdout.buffer
    out.write(f"ready scikit-learn {sklearn.__version__}\n".encode())
    out.flush()
    for line in sys.stdin:
        method, penalty, effort, seed = line.split()
        c = classifier(method, x.shape[0], float(penalty), float(effort), int(seed))
        cpu, wall = time.thread_time(), time.perf_counter()
        c.fit(x, y)
        cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
        w = numpy.ascontiguousarray(weights(c), numpy.float64)
        steps = 0 if method == "linearsvc" else float(effort) * x.shape[0]
        out.write((json.dumps({"cpu": cpu, "wall": wall, "steps": steps, "vectors": w.shape[0]}) + "\n").encode())
        out.write(w.tobytes())
        out.flush()


main()
