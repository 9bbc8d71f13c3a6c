"""Models of jobs/python: from_sklearn and from_torch against their libraries, Program with models, in the folder where it
is started. Classes that look like the libraries' stand in for them where these are not installed."""
import os
import textwrap
import types
import unittest
import warnings

import numpy

import hebatch

try:
    import sklearn
    from sklearn import linear_model, neural_network, pipeline, preprocessing, svm
except ImportError:
    sklearn = None
try:
    import pandas
except ImportError:
    pandas = None
try:
    import torch
except ImportError:
    torch = None

CHANCE = numpy.random.default_rng(7)
X = numpy.round(CHANCE.uniform(-2, 3, (300, 4)), 3)
LABELS = (X[:, 0] + X[:, 1] > 1).astype(int) + (X[:, 2] > 2)
VALUES = X @ [1, -2, 0.5, 3] + 4


def of_library(name, module, **attributes):
    """An object whose class has the name and the module of a library's."""
    return type(name, (), {"__module__": module, **attributes})()


class Models(unittest.TestCase):
    layers = [([[1, 2, 0, 0], [0, 0, 1, -1]], [0.5, 0], "relu"), ([[1, -1]], [2], "identity")]

    def test_predict(self):
        model = hebatch.Model(self.layers, ["a", "b", "c", "d"], X)
        hidden = numpy.maximum(X @ numpy.array(self.layers[0][0]).T + [0.5, 0], 0)
        self.assertTrue(numpy.allclose(model.predict(X)[:, 0], hidden[:, 0] - hidden[:, 1] + 2))
        self.assertEqual(repr(model), "Model(4 -> 2 -> 1)")
        ranges = model.described()["layers"][0]["range"]
        self.assertLess(ranges[0], (X @ [1, 2, 0, 0] + 0.5).min())
        model.write("model.json"), model.write("model.h5")
        smooth = model.with_polynomials(6)
        self.assertLess(abs(smooth.predict(X) - model.predict(X)).max(), 1)
        self.assertTrue(numpy.isfinite(hebatch.models.sigmoid(numpy.array([-1e4, 0, 1e4]))).all())

    def test_decide(self):
        two = hebatch.Model([([[1.0]], [0.0], "identity")], classes=["no", "yes"])
        self.assertEqual(two.decide(hebatch.Table({"y": [-0.1, 0.2]})).tolist(), ["no", "yes"])
        half = hebatch.Model([([[1.0]], [0.0], "sigmoid")], classes=["no", "yes"])
        self.assertEqual(half.decide([0.4, 0.6]).tolist(), ["no", "yes"])
        three = hebatch.Model([(numpy.eye(3), numpy.zeros(3), "identity")], classes=[4, 7, 9])
        self.assertEqual(three.decide([[0, 1, 0], [3, 1, 2]]).tolist(), [7, 4])
        with self.assertRaisesRegex(ValueError, "2 columns, and the model has 3 classes"):
            three.decide([[0, 1]])

    def test_refused(self):
        for words, arguments in (
                ("layer 1: there is no activation 'swish'", ([([[1]], [0], "swish")],)),
                ("layer 2: it takes 3 values, and the layer before has 1", ([([[1]], [0], "relu"), ([[1] * 3], [0], "relu")],)),
                ("layer 1: weights .* are no", ([([1], [0], "relu")],)),
                ("layer 1: a weight or a bias is infinite", ([([[float("nan")]], [0], "relu")],)),
                ("layers: there are none", ([],)),
                ("inputs: 1 names, and the model takes 4 columns", (self.layers, ["a"])),
                ("inputs: two columns have the same name", (self.layers, list("aabc"))),
                ("data: it has the shape .* rows of 4 columns", (self.layers, None, X[:, :3])),
                ("data: a cell is missing", (self.layers, None, numpy.full((2, 4), numpy.nan)))):
            with self.assertRaisesRegex(ValueError, words):
                hebatch.Model(*arguments)
        with self.assertRaisesRegex(ValueError, "made without any"):
            hebatch.Model(self.layers).with_polynomials()

    @unittest.skipUnless(pandas, "no pandas")
    def test_frames(self):
        frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
        model = hebatch.Model(self.layers, data=frame)
        self.assertEqual(model.inputs, ["a", "b", "c", "d"])
        self.assertTrue(numpy.array_equal(model.predict(frame[["d", "b", "a", "c"]]), model.predict(X)))
        with self.assertRaisesRegex(ValueError, "data: there is no column 'c'"):
            model.predict(frame[["a", "b"]])


class Looks(unittest.TestCase):
    """Refusals by name, with classes that look like the libraries'."""

    def test_sklearn(self):
        linear, base = "sklearn.linear_model._base", "sklearn.preprocessing._data"
        found = of_library("LinearRegression", linear, coef_=numpy.array([1.0, 2]), intercept_=0.5,
                           predict=lambda self, rows: rows @ [1, 2] + 0.5)
        self.assertEqual(hebatch.from_sklearn(found).predict([[1, 1]]).tolist(), [[3.5]])
        other = of_library("LinearRegression", linear, coef_=numpy.array([1.0, 2]), intercept_=0.5,
                           predict=lambda self, rows: numpy.exp(rows @ [1, 2]))
        poisson = of_library("PoissonRegressor", linear, coef_=numpy.ones(2), intercept_=0)
        scaler = of_library("Binarizer", base)
        for words, model in (
                ("LinearRegression: its results are not those of its weights", other),
                ("PoissonRegressor is no model that hebatch computes", poisson),
                ("LinearRegression is not trained: it has no coef_", of_library("LinearRegression", linear)),
                ("builtins.list is no class of sklearn", []),
                ("a step of the pipeline is Binarizer", of_library(
                    "Pipeline", "sklearn.pipeline", steps=[("one", scaler), ("two", found)])),
                ("a step of the pipeline is PCA", of_library(
                    "Pipeline", "sklearn.pipeline", steps=[("one", of_library("PCA", "sklearn.d")), ("two", found)])),
                ("MinMaxScaler is not trained: it has no min_", of_library("Pipeline", "sklearn.pipeline", steps=[
                    ("one", of_library("MinMaxScaler", base)), ("two", found)])),
                ("MinMaxScaler: clip=True", of_library("Pipeline", "sklearn.pipeline", steps=[
                    ("one", of_library("MinMaxScaler", base, clip=True)), ("two", found)]))):
            with self.assertRaisesRegex(ValueError, words):
                hebatch.from_sklearn(model)
        with self.assertRaisesRegex(ValueError, "probabilities: LinearRegression has none"):
            hebatch.from_sklearn(found, probabilities=True)

    def test_torch(self):
        def tensor(values):
            numbers = types.SimpleNamespace(numpy=lambda: numpy.array(values, float))
            return types.SimpleNamespace(detach=lambda: types.SimpleNamespace(
                cpu=lambda: types.SimpleNamespace(double=lambda: numbers)))

        def layer(name, **attributes):
            return of_library(name, f"torch.nn.modules.{name.lower()}", **attributes)

        def sequential(*modules):
            return layer("Sequential", __iter__=lambda self: iter(modules))
        linear = layer("Linear", weight=tensor([[1, 2], [3, 4]]), bias=None)
        relu, parabola = layer("ReLU"), types.SimpleNamespace(hebatch=[0, 0, 1])
        model = hebatch.from_torch(sequential(linear, relu, sequential(layer("Dropout"), linear, parabola)))
        self.assertEqual(model.predict([[1, 1]]).tolist(), [[17**2, 37**2]])
        for words, modules in (
                ("Conv2d is no layer that hebatch computes; it knows Linear, ReLU", [layer("Conv2d")]),
                ("LeakyReLU is no layer", [linear, layer("LeakyReLU")]),
                ("Linear is no layer", [type("Linear", (), {})()]),
                ("ReLU stands behind no Linear layer", [relu]),
                ("Tanh stands behind no Linear layer", [linear, relu, layer("Tanh")]),
                ("GELU: approximate='tanh'", [linear, layer("GELU", approximate="tanh")]),
                ("Softmax: dim=0", [linear, layer("Softmax", dim=0)]),
                ("Flatten: of other dimensions", [layer("Flatten", start_dim=0, end_dim=-1), linear]),
                ("Linear: it has hooks", [layer("Linear", _forward_pre_hooks={0: 1})]),
                ("Sequential has no Linear layer", [])):
            with self.assertRaisesRegex(ValueError, words):
                hebatch.from_torch(sequential(*modules))


@unittest.skipUnless(sklearn, "no scikit-learn")
class Sklearn(unittest.TestCase):
    def same(self, model, expected, data=X, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = hebatch.from_sklearn(model, data, **options)
        got = made.predict(data)
        self.assertTrue(numpy.allclose(got, numpy.reshape(expected, got.shape)), model)
        return made

    def test_linear(self):
        for model in (linear_model.LinearRegression(), linear_model.Ridge(), linear_model.Lasso(0.01),
                      linear_model.LinearRegression(fit_intercept=False), linear_model.RANSACRegressor(random_state=1)):
            self.same(model.fit(X, VALUES), model.predict(X))
        both = linear_model.LinearRegression().fit(X, numpy.c_[VALUES, LABELS])
        self.same(both, both.predict(X))

    def test_classifiers(self):
        for labels in LABELS, LABELS > 0, numpy.array(["low", "mid", "high"])[LABELS]:
            for model in linear_model.LogisticRegression(), linear_model.RidgeClassifier(), svm.LinearSVC():
                made = self.same(model.fit(X, labels), model.decision_function(X))
                self.assertEqual(made.decide(made.predict(X)).tolist(), model.predict(X).tolist())
            model = linear_model.LogisticRegression().fit(X, labels)
            wanted = model.predict_proba(X)
            made = self.same(model, wanted[:, 1:] if wanted.shape[1] == 2 else wanted, probabilities=True)
            self.assertEqual(made.decide(made.predict(X)).tolist(), model.predict(X).tolist())

    def test_pipelines(self):
        scalers = [preprocessing.StandardScaler(), preprocessing.MinMaxScaler(), preprocessing.MaxAbsScaler(),
                   preprocessing.RobustScaler(), preprocessing.StandardScaler(with_mean=False),
                   preprocessing.StandardScaler(with_std=False), "passthrough"]
        for scaler in scalers:
            model = pipeline.make_pipeline(scaler, linear_model.Ridge()).fit(X, VALUES)
            self.same(model, model.predict(X))
        model = pipeline.make_pipeline(*scalers, linear_model.LogisticRegression()).fit(X, LABELS)
        self.same(model, model.decision_function(X))

    def test_perceptrons(self):
        for activation in "relu", "tanh", "logistic", "identity":
            net = neural_network.MLPRegressor(hidden_layer_sizes=(5, 3), activation=activation, max_iter=20, random_state=1)
            model = pipeline.make_pipeline(preprocessing.StandardScaler(), net)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.same(model.fit(X, VALUES), model.predict(X))
        for labels in LABELS, LABELS > 0, numpy.c_[LABELS > 0, LABELS > 1].astype(int):
            net = neural_network.MLPClassifier(hidden_layer_sizes=(5,), max_iter=50, random_state=1)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                net.fit(X, labels)
            wanted = net.predict_proba(X)
            made = self.same(net, wanted[:, 1:] if wanted.shape[1] == 2 and labels.ndim == 1 else wanted, probabilities=True)
            sums = hebatch.from_sklearn(net, X)
            self.assertEqual(sums.layers[-1][2], "identity")
            if labels.ndim == 1:
                self.assertEqual(sums.decide(sums.predict(X)).tolist(), net.predict(X).tolist())
            else:
                self.assertIsNone(made.classes)

    @unittest.skipUnless(sklearn and "loss" in neural_network.MLPRegressor().get_params(), "no such losses")
    def test_last_activation(self):
        net = neural_network.MLPRegressor("poisson", hidden_layer_sizes=(2,), max_iter=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            net.fit(X, VALUES - VALUES.min() + 1)
        with self.assertRaisesRegex(ValueError, "MLPRegressor: its last activation is exp"):
            hebatch.from_sklearn(net)

    def test_refused(self):
        from sklearn import decomposition, ensemble
        for words, model in (
                ("PoissonRegressor is no model", linear_model.PoissonRegressor().fit(X, VALUES - VALUES.min() + 1)),
                ("RandomForestClassifier is no model", ensemble.RandomForestClassifier(2).fit(X, LABELS)),
                ("a step of the pipeline is PCA", pipeline.make_pipeline(
                    decomposition.PCA(2), linear_model.Ridge()).fit(X, VALUES)),
                ("SVC is no model", svm.SVC(kernel="linear").fit(X, LABELS)),
                ("LogisticRegression is not trained", linear_model.LogisticRegression())):
            with self.assertRaisesRegex(ValueError, words):
                hebatch.from_sklearn(model)

    @unittest.skipUnless(pandas, "no pandas")
    def test_names(self):
        frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
        model = pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge()).fit(frame, VALUES)
        made = hebatch.from_sklearn(model, frame.assign(more=1)[["more", "d", "c", "b", "a"]])
        self.assertEqual(made.inputs, ["a", "b", "c", "d"])
        self.assertTrue(numpy.allclose(made.predict(frame)[:, 0], model.predict(frame)))
        self.assertEqual(hebatch.from_sklearn(model, names=["p", "q", "r", "s"]).inputs, ["p", "q", "r", "s"])


@unittest.skipUnless(torch, "no torch")
class Torch(unittest.TestCase):
    def test_sequential(self):
        nn = torch.nn
        torch.manual_seed(3)
        rows = torch.tensor(X, dtype=torch.float32)
        for activation in nn.ReLU(), nn.Sigmoid(), nn.Tanh(), nn.GELU(), nn.SiLU(), nn.Identity(), nn.Softmax(dim=1):
            model = nn.Sequential(nn.Flatten(), nn.Linear(4, 6), activation, nn.Dropout(0.3),
                                  nn.Sequential(nn.Linear(6, 3, bias=False)))
            wanted = model.eval()(rows).detach().numpy()
            self.assertLess(abs(hebatch.from_torch(model, X).predict(X) - wanted).max(), 1e-5)
        self.assertEqual(repr(hebatch.from_torch(nn.Linear(4, 2))), "Model(4 -> 2)")
        for words, modules in (("Conv1d is no layer", [nn.Conv1d(1, 1, 1)]),
                               ("BatchNorm1d is no layer", [nn.Linear(4, 4), nn.BatchNorm1d(4)]),
                               ("Linear: it has hooks", [nn.utils.weight_norm(nn.Linear(4, 4))])):
            with self.assertRaisesRegex(ValueError, words):
                hebatch.from_torch(nn.Sequential(*modules))


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = hebatch.Program()
        cls.model = hebatch.Model([([[0.5, -1, 0.25, 0], [1, 0, 2, 1]], [0.1, -0.2], "square"), ([[2, 1]], [0.3], "identity")],
                                  ["a", "b", "c", "d"], X)
        cls.table = dict(zip("abcd", X.T))
        cls.program.keygen(n=2048, levels=6, scale_bits=40, special_primes=2, insecure=True, out="keys", model=cls.model)
        cls.program.encrypt(cls.table, "x.heb", key="keys/public.h5")

    def scores(self, name, **options):
        self.program.eval(inputs={"x": "x.heb"}, outputs={"y": name}, keys="keys", noise="expected", **options)
        return self.program.decrypt(name, key="keys/secret.h5")["y"]

    def test_objects(self):
        wanted = self.model.predict(X)[:, 0]
        self.model.write("net.json")
        described = {"kind": "linear", "inputs": ["a", "c"], "weights": [1, 2], "bias": 3}
        for name, model, values in (("file.heb", "net.json", wanted), ("object.heb", self.model, wanted),
                                    ("dict.heb", described, X[:, 0] + 2 * X[:, 2] + 3)):
            self.assertLess(abs(self.scores(name, model=model) - values).max(), 1e-3, name)

    @unittest.skipUnless(sklearn and pandas, "no scikit-learn or no pandas")
    def test_sklearn(self):
        frame = pandas.DataFrame(self.table)
        model = pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression()).fit(frame, LABELS > 0)
        self.assertLess(abs(self.scores("sk.heb", model=model) - model.decision_function(frame)).max(), 1e-3)

    @unittest.skipUnless(sklearn and pandas, "no scikit-learn or no pandas")
    def test_document(self):
        with open(os.path.join(os.path.dirname(hebatch.__file__), os.pardir, "README.md"), encoding="utf-8") as file:
            block = file.read().split("    model = hebatch.from_sklearn")[1].split("\n\n")[0]
        frame = pandas.DataFrame(self.table)
        model = pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression())
        names = {"hebatch": hebatch, "program": self.program, "pipeline": model.fit(frame, LABELS), "train": frame[:200],
                 "test": frame[200:]}
        lines = textwrap.dedent("    model = hebatch.from_sklearn" + block).splitlines()
        os.makedirs("document"), os.chdir("document")
        try:
            exec("\n".join(lines[:-1]) + "\ndecided = " + lines[-1], names)
        finally:
            os.chdir(os.pardir)
        self.assertEqual(names["decided"].tolist(), model.predict(names["test"]).tolist())

    def test_suggest(self):
        report = self.program.run("params", "suggest", model=self.model, table={"x": self.table})
        self.assertEqual(report["params"]["scheme"], "ckks")  # as a model is of reals
        self.assertNotIn("model.json", str(report))
        shown = report._repr_html_()
        for wrong in "#=", "\\n", "None":
            self.assertNotIn(wrong, shown)
        self.assertIn("W1 @ x + b1; ", shown)

    def test_errors(self):
        good = {"inputs": {"x": "x.heb"}, "outputs": {"y": "z.heb"}, "keys": "keys"}
        for kind, words, call in (
                (ValueError, "expression: there is none, and no model", lambda: self.program.eval(**good)),
                (ValueError, "expression: it is empty, and model", lambda: self.program.eval("", **good)),
                (ValueError, "expression: it is empty; leave it out", lambda: self.program.eval(" ", model="n.json", **good)),
                (ValueError, "expression: model=", lambda: self.program.eval("y = x", model=self.model, **good)),
                (TypeError, "expression: a text, not a value of type Model; a model is model=",
                 lambda: self.program.eval(self.model, **good)),
                (TypeError, "model: a file, a hebatch.Model, .* not builtins.list",
                 lambda: self.program.eval(model=[1], **good)),
                (ValueError, "Perceptron is not trained" if sklearn else "there is none", lambda: self.program.eval(
                    model=linear_model.Perceptron() if sklearn else None, **good)),
                (TypeError, "inputs: a dict of names", lambda: self.program.eval("y = x", "x.heb", {"y": "z.heb"})),
                (TypeError, "outputs: a dict of names", lambda: self.program.eval("y = x", {"x": "x.heb"}, ["z.heb"])),
                (TypeError, r"outputs\['y'\]: the name of a file, not None",
                 lambda: self.program.eval("y = x", {"x": "x.heb"}, {"y": None})),
                (TypeError, "output: the name of a file, not a value of type int",
                 lambda: self.program.encrypt(self.table, 3, key="keys/public.h5")),
                (ValueError, "the table of w: column q", lambda: self.program.eval(
                    "y = x + w", {"x": "x.heb", "w": {"q": [b"a"]}}, {"y": "z.heb"}, keys="keys"))):
            with self.assertRaisesRegex(kind, words):
                call()
        with self.assertRaises(hebatch.HebatchError) as refused:
            self.program.eval(model={"kind": "linear", "inputs": ["nothing"], "weights": [1]}, **good)
        self.assertEqual((refused.exception.code, refused.exception.reason),
                         (65, "the model: its input nothing is no column of x"))


if __name__ == "__main__":
    unittest.main()
