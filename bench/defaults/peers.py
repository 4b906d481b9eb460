"""scikit-learn's estimators at their defaults, for the program beside this file.

A line on standard input: peer, training file, test file, features, seed and output file, separated
by tabs. The files are svmlight text; the output has a line for each test row: the prediction, and
of two classes the score of the greater one. The answer is a line of JSON: {"cpu": seconds} of the
fit, or {"error": text}. A fit that exceeds LIMIT seconds of CPU is given up.
"""
import json
import signal
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Ridge, SGDClassifier
from sklearn.svm import LinearSVC, LinearSVR

warnings.filterwarnings("ignore")
LIMIT = float(sys.argv[1])

PEERS = {
    "LinearSVC": lambda seed: LinearSVC(random_state=seed),
    "SGDClassifier": lambda seed: SGDClassifier(random_state=seed),
    "LinearSVR": lambda seed: LinearSVR(random_state=seed),
    "Ridge": lambda seed: Ridge(),
    # The solver of liblinear-train -s 1 without its reading, for the seconds.
    "liblinear-fit": lambda seed: LinearSVC(fit_intercept=False, tol=0.1, random_state=seed),
}


def load(name, features):
    x, y = load_svmlight_file(name, n_features=features, zero_based=False)
    if x.nnz >= x.shape[0] * x.shape[1] / 4:
        x = np.ascontiguousarray(x.toarray())
    return x, y


def too_long(signum, frame):
    raise TimeoutError(f"more than {LIMIT:g} s")


def run(peer, train, test, features, seed, out):
    x, y = load(train, int(features))
    model = PEERS[peer](int(seed))
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    start = time.process_time()
    model.fit(x, y)
    cpu = time.process_time() - start
    signal.setitimer(signal.ITIMER_PROF, 0)
    x, _ = load(test, int(features))
    predicted = model.predict(x)
    scores = None
    if hasattr(model, "decision_function"):
        scores = model.decision_function(x)
        if scores.ndim > 1:
            scores = None
    with open(out, "w") as f:
        for i, p in enumerate(predicted):
            f.write(f"{p:.17g}" + (f"\t{scores[i]:.17g}" if scores is not None else "") + "\n")
    return cpu


signal.signal(signal.SIGPROF, too_long)
import sklearn  # noqa: E402

print("ready scikit-learn", sklearn.__version__, flush=True)
for line in sys.stdin:
    try:
        answer = {"cpu": run(*line.rstrip("\n").split("\t"))}
    except Exception as e:  # what a peer can't do is a result as well
        signal.setitimer(signal.ITIMER_PROF, 0)
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), flush=True)
