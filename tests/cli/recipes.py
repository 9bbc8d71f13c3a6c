"""recipes.py SOURCE CACHE: the recipes of jobs/packages ask for what CMake looks for, in the versions that it wants, and
give options that it has. CACHE: a CMakeCache.txt. Spack is not needed: its words are noted as the recipe says them."""
import ast, pathlib, re, subprocess, sys, types

SOURCE = pathlib.Path(sys.argv[1])
CACHE = set(re.findall(r"^([A-Z_0-9]+):", pathlib.Path(sys.argv[2]).read_text(), re.M))
PACKAGES = SOURCE / "jobs/packages"
CMAKE = (SOURCE / "CMakeLists.txt").read_text()
# Names of libraries by pkg-config, where recipes call them otherwise; for zlib Spack has a word without versions.
SPACK = {"zlib": "zlib-api", "libzstd": "zstd"}
CONDA = {"libzstd": "zstd"}


def wanted():
    """{name: least version, "" where CMake names none} of each library, and of CMake itself."""
    found = dict(re.findall(r"pkg_check_modules\(\w+ REQUIRED IMPORTED_TARGET ([a-z]+)>=([0-9.]+)\)", CMAKE))
    assert len(found) == CMAKE.count("pkg_check_modules("), "a library that this test cannot read"
    found["cmake"] = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", CMAKE)[1]
    for name in re.findall(r"find_package\((\w+) REQUIRED", CMAKE):
        found.update({"HDF5": {"hdf5": ""}, "MPI": {"mpi": ""}, "PkgConfig": {}, "Threads": {}}[name])
    nccl = (SOURCE / "mpi/nccl.cmake").read_text()
    found["nccl"] = re.search(r"nccl_version VERSION_GREATER_EQUAL ([0-9.]+)", nccl)[1]
    return found


class Spec:
    """As much of a spec as a recipe looks at: its words, and the values of cuda_arch."""

    def __init__(self, *words, arch=("none",)):
        self.words = set(words) | {"cuda_arch=" + a for a in arch}
        self.variants = {"cuda_arch": types.SimpleNamespace(value=arch)}

    def satisfies(self, word):
        return word in self.words


def spack():
    """The class of the recipe, and its (word, first argument, others by name) in the order in which they are said."""
    said = []

    def note(word):
        return lambda *args, **named: said.append((word, args[0], named))

    def decorator(*_, **named):
        return lambda function: function

    class CMakePackage:
        def define(self, name, value):
            return f"-D{name}={value}"

    class CudaPackage:
        cuda_arch_values = ("70", "75", "80", "90", "90a", "100f")

    base = types.ModuleType("spack.package")
    for word in ("license", "version", "variant", "depends_on", "conflicts"):
        setattr(base, word, note(word))
    base.run_after = base.on_package_attributes = decorator
    cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage, cmake.generator = CMakePackage, note("generator")
    cuda = types.ModuleType("spack_repo.builtin.build_systems.cuda")
    cuda.CudaPackage = CudaPackage
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules.update({m.__name__: m for m in (base, cmake, cuda)})
    path = PACKAGES / "spack/spack_repo/hebatch/packages/hebatch/package.py"
    names = {}
    exec(compile(ast.parse(path.read_text()), str(path), "exec"), names)
    return names["Hebatch"], said


def check_spack():
    recipe, said = spack()
    depends = {re.split("[@ ]", spec)[0]: (spec, named) for word, spec, named in said if word == "depends_on"}
    for name, version in wanted().items():
        spec, _ = depends[SPACK.get(name, name)]
        assert name == "zlib" or (f"@{version}:" if version else "") in spec, f"{name}: {spec}, not {version}"
    assert "~mpi" in depends["hdf5"][0] and depends["nccl"][1]["when"] == "+nccl"
    refused = {spec for word, spec, _ in said if word == "conflicts"}
    assert {"cuda_arch=70", "cuda_arch=75"} <= refused and not {"cuda_arch=80", "cuda_arch=90a"} & refused, refused
    for words, arch, options in (
        ((), ("none",), {"CUDA=OFF", "NCCL=OFF"}),
        (("+cuda",), ("none",), {"CUDA=ON", "NCCL=OFF"}),
        (("+cuda", "+nccl"), ("80", "90"), {"CUDA=ON", "NCCL=ON"}),
    ):
        package = recipe()
        package.spec = Spec(*words, arch=arch)
        args = package.cmake_args()
        assert {"-DHEBATCH_" + option for option in options} <= set(args), args
        assert ("-DCMAKE_CUDA_ARCHITECTURES=80;90" in args) == (arch == ("80", "90")), args
        check_options(" ".join(args))


def check_options(text):
    for name in re.findall(r"-D([A-Z_0-9]+)=", text):
        assert name in CACHE or name == "CMAKE_CUDA_ARCHITECTURES", f"CMake has no {name}"


def check_conda():
    text = (PACKAGES / "conda/recipe.yaml").read_text()
    requirements = text[text.index("\nrequirements:") : text.index("\ntests:")]
    for name, version in wanted().items():
        line = "${{ mpi }}" if name == "mpi" else CONDA.get(name, name)
        pattern = rf"^ +- {re.escape(line)}" + (rf" >={re.escape(version)}$" if version else r"( |$)")
        assert re.search(pattern, requirements, re.M), f"conda has no {line} {version}"
    assert "nompi_*" in re.search(r"- hdf5 .*", requirements)[0]
    check_options(text)
    used = set(re.findall(r"\bmpi\b|\bcuda\b", text))
    variants = (PACKAGES / "conda/variants.yaml").read_text()
    assert used <= set(re.findall(r"^(\w+):$", variants, re.M)), variants


def check_apptainer():
    text = (PACKAGES / "apptainer/hebatch.def").read_text()
    stages = re.split(r"^Bootstrap: ", text, flags=re.M)[1:]
    assert [re.search(r"^Stage: (\w+)", s, re.M)[1] for s in stages] == ["build", "run"]
    arguments = set(re.findall(r"^    ([A-Z]+)=", text, re.M))
    assert set(re.findall(r"{{ (\w+) }}", text)) == arguments, arguments
    copied = re.search(r"^%files\n(.*?)\n\n", stages[0], re.M | re.S)[1].split()
    assert all((SOURCE / name).exists() for name in copied[::2]), copied
    # All that the topmost CMakeLists.txt reads where there are no tests.
    read = set(re.findall(r"^(?:include|add_subdirectory)\((\w+)", CMAKE, re.M)) - {"GNUInstallDirs"}
    assert read <= set(copied[::2]), read - set(copied[::2])
    for section in re.findall(r"^%(?:post|test|runscript)\n(.*?)(?=^%|\Z)", text, re.M | re.S):
        subprocess.run(["sh", "-n"], input=section.split("\nBootstrap:")[0], text=True, check=True)
    check_options(text)


check_spack()
check_conda()
check_apptainer()
