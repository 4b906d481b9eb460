#!/usr/bin/env python3
"""Fits scikit-learn's estimators with their defaults, as OLD or NEW of tables compare:

    peer.py train -label-column NAME DATA MODEL
    peer.py predict DATA MODEL

Columns of numbers are standardized, with the median in gaps; other columns are one-hot encoded.
The estimator is Ridge if the labels are more than 10 different numbers, else LogisticRegression,
with up to 1000 iterations.
"""
import pickle
import sys

import pandas
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

INFINITE, NAN = [float("inf"), -float("inf")], float("nan")


def train(label, data, model):
    x = pandas.read_csv(data, na_values="?", dtype={label: str})
    y = x.pop(label)
    y, x = y[y.notna()], x[y.notna()]
    x = x.replace(INFINITE, NAN).dropna(axis=1, how="all")
    numbers = pandas.to_numeric(y, errors="coerce")
    regression = numbers.notna().all() and numbers.nunique() > 10
    numeric = make_column_selector(dtype_include="number")
    others = make_column_selector(dtype_exclude="number")
    pipeline = make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numeric),
            (OneHotEncoder(handle_unknown="ignore"), others),
        ),
        Ridge() if regression else LogisticRegression(max_iter=1000),
    )
    pipeline.fit(x, numbers if regression else y)
    with open(model, "wb") as f:
        pickle.dump((x.dtypes, pipeline), f)


def predict(data, model):
    with open(model, "rb") as f:
        dtypes, pipeline = pickle.load(f)
    x = pandas.read_csv(data, na_values="?")[list(dtypes.index)].replace(INFINITE, NAN)
    for name, dtype in dtypes.items():
        if pandas.api.types.is_numeric_dtype(dtype):
            x[name] = pandas.to_numeric(x[name], errors="coerce")
        else:
            x[name] = x[name].astype(object)
    print(*pipeline.predict(x), sep="\n")


if sys.argv[1] == "train":
    train(*sys.argv[3:])
else:
    predict(*sys.argv[2:])
