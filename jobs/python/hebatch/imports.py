"""Models of scikit-learn and torch, made into models.Model. Neither library is imported: their objects come along.

Only classes that are listed here are taken, each by its own name: a class that computes something else from the same
attributes, such as a regression of Poisson, is refused by name."""
import json
import warnings

import numpy

from . import files, models

# --- scikit-learn

REGRESSIONS = frozenset("""ARDRegression BayesianRidge ElasticNet ElasticNetCV HuberRegressor Lars LarsCV Lasso LassoCV
LassoLars LassoLarsCV LassoLarsIC LinearRegression LinearSVR OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV
PassiveAggressiveRegressor QuantileRegressor RANSACRegressor Ridge RidgeCV SGDRegressor TheilSenRegressor""".split())
CLASSIFIERS = frozenset("""LinearDiscriminantAnalysis LinearSVC LogisticRegression LogisticRegressionCV
PassiveAggressiveClassifier Perceptron RidgeClassifier RidgeClassifierCV SGDClassifier""".split())
PERCEPTRONS = frozenset(["MLPClassifier", "MLPRegressor"])
SCALERS = frozenset(["StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"])
SKLEARN_WORDS = {"logistic": "sigmoid", "identity": "identity", "relu": "relu", "tanh": "tanh", "softmax": "softmax"}


def class_of(thing, library):
    """The name of a class of a library; ValueError for any other."""
    kind = type(thing)
    if kind.__module__.partition(".")[0] != library:
        raise ValueError(f"{kind.__module__}.{kind.__name__} is no class of {library}")
    return kind.__name__


def attribute(thing, name):
    """An attribute that training sets."""
    value = getattr(thing, name, None)
    if value is None:
        raise ValueError(f"{type(thing).__name__} is not trained: it has no {name}")
    return value


def scaling_of(scaler):
    """(mean, scale): the scaler makes (x - mean) / scale."""
    kind = class_of(scaler, "sklearn")
    if kind not in SCALERS:
        raise ValueError(f"a step of the pipeline is {kind}, and models of hebatch know {', '.join(sorted(SCALERS))}")
    if kind == "MinMaxScaler":
        if getattr(scaler, "clip", False):
            raise ValueError("MinMaxScaler: clip=True cuts values off, which is no scaling")
        return -attribute(scaler, "min_") / scaler.scale_, 1 / scaler.scale_
    if not hasattr(scaler, "scale_"):
        attribute(scaler, "scale_")
    mean = getattr(scaler, "center_" if kind == "RobustScaler" else "mean_", None)
    if not getattr(scaler, "with_mean", True):  # it is measured, and not taken off
        mean = None
    return (0 if mean is None else mean), (1 if scaler.scale_ is None else scaler.scale_)


def fold(layer, mean, scale):
    """A layer for inputs x, of one that was trained on (x - mean) / scale."""
    weights, bias, activation = layer
    weights = numpy.asarray(weights, float) / scale
    return weights, numpy.asarray(bias, float) - weights @ numpy.broadcast_to(mean, weights.shape[1]), activation


def steps_of(pipeline):
    """The scalers of a pipeline, which may stand in pipelines, and its model."""
    if class_of(pipeline, "sklearn") != "Pipeline":
        return [], pipeline
    *before, (_, last) = pipeline.steps
    scalers, last = [step for _, step in before if step is not None and step != "passthrough"], steps_of(last)
    return scalers + last[0], last[1]


def layers_of(model, probabilities):
    """[(weights, bias, activation)] of a model without its scalers."""
    kind = class_of(model, "sklearn")
    if kind == "RANSACRegressor":
        return layers_of(attribute(model, "estimator_"), probabilities)
    if probabilities and kind not in CLASSIFIERS and kind != "MLPClassifier":
        raise ValueError(f"probabilities: {kind} has none")
    if kind in PERCEPTRONS:
        words = [SKLEARN_WORDS[model.activation]] * (len(attribute(model, "coefs_")) - 1)
        if model.out_activation_ not in (("identity",) if kind == "MLPRegressor" else SKLEARN_WORDS):
            raise ValueError(f"{kind}: its last activation is {model.out_activation_}, which hebatch does not compute")
        words.append(SKLEARN_WORDS[model.out_activation_] if probabilities else "identity")
        return [(w.T, b, word) for w, b, word in zip(model.coefs_, model.intercepts_, words)]
    if kind not in REGRESSIONS | CLASSIFIERS:
        known = ", ".join(sorted(REGRESSIONS | CLASSIFIERS | PERCEPTRONS))
        raise ValueError(f"{kind} is no model that hebatch computes; it knows {known}, also behind {', '.join(SCALERS)} "
                         f"in a Pipeline")
    weights = numpy.atleast_2d(numpy.asarray(attribute(model, "coef_"), float))
    bias = numpy.broadcast_to(numpy.asarray(model.intercept_, float), len(weights))
    return [(weights, bias, ("sigmoid" if len(weights) == 1 else "softmax") if probabilities else "identity")]


def said_by_sklearn(pipeline, model, made, probabilities, rows):
    """The library's predictions for rows, and the made model's in the same form."""
    ours = made.predict(rows)
    if hasattr(model, "classes_") and (probabilities or type(model).__name__ == "MLPClassifier"):
        theirs = pipeline.predict_proba(rows)
        if not probabilities:
            ours = models.activate(SKLEARN_WORDS[model.out_activation_], ours)
        theirs = theirs[:, 1:] if ours.shape[1] == 1 else theirs
    else:
        theirs = (pipeline.decision_function if hasattr(model, "classes_") else pipeline.predict)(rows)
    return ours, numpy.reshape(theirs, ours.shape)


def check_sklearn(pipeline, model, made, probabilities, rows):
    """Refuses a model whose results are others than those of the library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that rows do not have
        ours, theirs = said_by_sklearn(pipeline, model, made, probabilities, rows)
    if not numpy.allclose(ours, theirs, rtol=1e-5, atol=1e-6 * (1 + numpy.abs(theirs).max())):
        raise ValueError(f"{type(model).__name__}: its results are not those of its weights; they differ by up to "
                         f"{numpy.abs(ours - theirs).max():.3g}")


def from_sklearn(model, data=None, names=None, probabilities=False, margin=0.5):
    """A hebatch.Model of a model of scikit-learn: a linear model or a multi-layer perceptron, also in a Pipeline behind
    scalers, which go into the first layer. `data`: rows as the model takes them, such as those of the training: ranges
    are measured on them (Model). `names`: of the columns, in the place of those that the model knows. The outputs are
    sums, whose largest is the class (of two classes there is one sum, above 0 for the second), unless `probabilities`
    are wanted. ValueError, naming the class, for a model that is not known, or gives other results than its weights."""
    scalers, last = steps_of(model)
    layers = layers_of(last, probabilities)
    for scaler in reversed(scalers):
        layers[0] = fold(layers[0], *scaling_of(scaler))
    known = getattr(model, "feature_names_in_", None)
    known = None if known is None else [str(name) for name in known]
    width = layers[0][0].shape[1]
    rows = None if data is None else models.rows_of(data, known, width)
    if names is None:
        names = list(data.columns) if known is None and hasattr(data, "columns") else known
    several = getattr(last, "out_activation_", None) == "logistic" and len(layers[-1][1]) > 1  # labels beside another
    made = models.Model(layers, names, rows, margin, None if several else getattr(last, "classes_", None))
    few = rows[:64] if rows is not None else numpy.random.default_rng(0).normal(size=(64, width))
    check_sklearn(model, last, models.Model(layers), probabilities, few)
    return made


# --- torch

TORCH_WORDS = {"ReLU": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "GELU": "gelu", "SiLU": "silu",
               "Softmax": "softmax", "Identity": "identity"}
SKIPPED = frozenset(["Dropout", "Flatten"])  # they do nothing to rows when a model is used


def modules_of(model):
    """The modules of a Sequential in order, those of Sequentials in it as well."""
    if type(model).__name__ == "Sequential" and is_torch(model):
        check_torch(model, "Sequential")
        for module in model:
            yield from modules_of(module)
    else:
        yield model


def is_torch(module):
    return type(module).__module__.startswith("torch.nn.modules.")


def check_torch(module, name):
    """Refuses settings of a module that make it compute something else."""
    if getattr(module, "_forward_hooks", None) or getattr(module, "_forward_pre_hooks", None):
        raise ValueError(f"{type(module).__name__}: it has hooks, which may change what it computes")
    if not is_torch(module):
        return
    if name == "GELU" and getattr(module, "approximate", "none") != "none":
        raise ValueError(f"GELU: approximate={module.approximate!r}, and hebatch has GELU itself, approximate='none'")
    if name == "Softmax" and module.dim not in (1, -1):
        raise ValueError(f"Softmax: dim={module.dim}, and hebatch has the softmax of the outputs, dim=1")
    if name == "Flatten" and (module.start_dim, module.end_dim) not in ((1, -1), (1, 1)):
        raise ValueError("Flatten: of other dimensions than those of a row")


def activation_of(module, kind):
    """The activation that a module is: its own, or the library's; ValueError, naming its class."""
    own = getattr(module, "hebatch", None)
    if own is not None:
        return own if isinstance(own, str) else list(own)
    if not is_torch(module) or kind not in TORCH_WORDS:
        raise ValueError(f"{kind} is no layer that hebatch computes; it knows Linear, {', '.join(TORCH_WORDS)}, "
                         f"{', '.join(sorted(SKIPPED))}, and modules whose `hebatch` is \"square\" or the coefficients of "
                         f"a polynomial")
    return TORCH_WORDS[kind]


def numbers_of(tensor):
    return tensor.detach().cpu().double().numpy()


def from_torch(model, data=None, names=None, margin=0.5):
    """A hebatch.Model of a torch.nn.Sequential (or one Linear) of Linear, ReLU, Sigmoid, Tanh, GELU, SiLU, Softmax,
    Identity, Dropout and Flatten, and of modules whose attribute `hebatch` is "square" or the coefficients of a
    polynomial. `data`, `names`, `margin`: as Model has them. ValueError, naming the class, for any other module."""
    layers = []
    for module in modules_of(model):
        kind = type(module).__name__
        check_torch(module, kind)
        if is_torch(module) and kind == "Linear":
            weights = numbers_of(module.weight)
            layers.append((weights, numpy.zeros(len(weights)) if module.bias is None else numbers_of(module.bias),
                           "identity"))
            continue
        if is_torch(module) and kind in SKIPPED:
            continue
        activation = activation_of(module, kind)
        if activation == "identity":
            continue
        if not layers or layers[-1][2] != "identity":
            raise ValueError(f"{kind} stands behind no Linear layer, and hebatch has one activation a layer")
        layers[-1] = (*layers[-1][:2], activation)
    if not layers:
        raise ValueError(f"{type(model).__name__} has no Linear layer")
    return models.Model(layers, names, data, margin)


# --- what model=... may be


def write_model(model, name):
    """Writes what `model=` may be besides a file: a Model, the members of a file in a dict, or a model of scikit-learn
    or torch. TypeError."""
    library = type(model).__module__.partition(".")[0]
    if isinstance(model, dict):
        described = model
    elif isinstance(model, models.Model):
        described = model.described()
    elif library in ("sklearn", "torch"):
        described = (from_sklearn if library == "sklearn" else from_torch)(model).described()
    else:
        raise TypeError(f"model: a file, a hebatch.Model, a dict, or a model of scikit-learn or torch, not "
                        f"{type(model).__module__}.{type(model).__name__}")
    with files.create(name) as file:
        file.write(json.dumps(described, default=lambda array: array.tolist()).encode())
