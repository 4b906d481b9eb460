"""Writes the data sets that scikit-learn ships as svmlight text, to the folder that is named."""
import os
import sys

from sklearn import datasets as d

for name in ["iris", "wine", "breast_cancer", "digits", "diabetes", "linnerud"]:
    # diabetes is raw here, as it was collected: scikit-learn's own default is scaled columns.
    s = d.load_diabetes(scaled=False) if name == "diabetes" else getattr(d, "load_" + name)()
    y = s.target[:, 0] if s.target.ndim > 1 else s.target  # linnerud: weight
    path = os.path.join(sys.argv[1], name + ".svm")
    with open(path + ".new", "w") as f:
        d.dump_svmlight_file(s.data, y, f.name, zero_based=False)
    os.rename(path + ".new", path)
