"""A torch.nn.Sequential of Linear layers as a file for `hebatch eval --model`; between them ReLU, Sigmoid, Tanh, GELU,
SiLU, Softmax, or a module of your own whose `hebatch` is "square" or the coefficients of a polynomial.

    from from_torch import save
    save(model, "net.json", data=train)      # data: rows as the model takes them; ranges are measured from them
"""
import hebatch_model

WORDS = {"ReLU": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "GELU": "gelu", "SiLU": "silu", "Softmax": "softmax",
         "Identity": "identity"}
SKIPPED = ("Dropout", "Flatten")  # which do nothing to rows when a model is used


def layers_of(model):
    """[(weights, bias, activation)]"""
    layers = []
    for module in model:
        kind = type(module).__name__
        if kind == "Linear":
            weights = module.weight.detach().cpu().double().numpy()
            bias = [0.0] * len(weights) if module.bias is None else module.bias.detach().cpu().double().numpy()
            layers.append((weights, bias, "identity"))
        elif kind not in SKIPPED:
            activation = getattr(module, "hebatch", WORDS.get(kind))
            if activation is None or not layers or layers[-1][2] != "identity":
                raise ValueError(f"{kind} is nothing that stands behind a Linear layer")
            layers[-1] = (*layers[-1][:2], activation)
    return layers


def save(model, path, data=None, names=None, margin=0.5):
    """Writes the model."""
    layers = layers_of(model)
    hebatch_model.write(path, layers, names, data, margin)
    return layers
