"""Models of scikit-learn as files for `hebatch eval --model`: linear and logistic regressions, multi-layer perceptrons,
also in a pipeline behind a StandardScaler or MinMaxScaler, which goes into the first layer.

    from from_sklearn import save
    save(model, "net.json", data=train)      # data: rows as the model takes them; ranges are measured from them
"""
import hebatch_model

WORDS = {"logistic": "sigmoid", "identity": "identity", "relu": "relu", "tanh": "tanh", "softmax": "softmax"}


def layers_of(model, probabilities=False):
    """[(weights, bias, activation)]; the last layer gives sums, whose largest is the class, unless probabilities are
    wanted: of two classes there is one sum, above 0 for the second."""
    if hasattr(model, "steps"):
        *scalers, (_, last) = model.steps
        layers = layers_of(last, probabilities)
        for _, scaler in reversed(scalers):
            layers[0] = hebatch_model.fold(layers[0], *scaling_of(scaler))
        return layers
    if hasattr(model, "coefs_"):
        words = [WORDS[model.activation]] * (len(model.coefs_) - 1)
        words.append(WORDS[model.out_activation_] if probabilities else "identity")
        return [(w.T, b, word) for w, b, word in zip(model.coefs_, model.intercepts_, words)]
    weights, bias = model.coef_, model.intercept_
    weights = weights if weights.ndim == 2 else weights[None]
    word = ("sigmoid" if len(weights) == 1 else "softmax") if probabilities else "identity"
    return [(weights, [float(bias)] if getattr(bias, "ndim", 0) == 0 else bias, word)]


def scaling_of(scaler):
    """(mean, scale) of the scaler: it makes (x - mean) / scale."""
    if hasattr(scaler, "data_min_"):
        return -scaler.min_ / scaler.scale_, 1 / scaler.scale_
    return (0 if scaler.mean_ is None else scaler.mean_), (1 if scaler.scale_ is None else scaler.scale_)


def save(model, path, data=None, names=None, probabilities=False, margin=0.5):
    """Writes the model; names: of the columns, where the model does not know them."""
    known = getattr(model, "feature_names_in_", None)
    names = names if names is not None or known is None else [str(name) for name in known]
    layers = layers_of(model, probabilities)
    hebatch_model.write(path, layers, names, None if data is None else getattr(data, "to_numpy", lambda: data)(), margin)
    return layers
