from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Hebatch(CMakePackage, CudaPackage):
    """Batch processor for homomorphic encryption: encrypts tables, computes on them without the key, and decrypts the
    results, on any number of MPI ranks, with GPUs where there are any."""

    license("Apache-2.0")

    # The tree that it stands in (spack develop): the only number of a version is CMake's.
    version("develop")

    variant("nccl", default=True, when="+cuda", description="Exchange limbs between GPUs over NCCL")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gzip", type="build")

    depends_on("mpi")
    depends_on("hdf5@1.10.7: ~mpi")
    depends_on("libsodium@1.0.18:")
    depends_on("mpfr@4.1:")
    depends_on("jansson@2.13:")
    depends_on("zlib-api")
    depends_on("zstd@1.4.8:")
    depends_on("nccl@2.18:", when="+nccl")

    conflicts("platform=darwin", msg="hebatch needs Linux")
    for _arch in CudaPackage.cuda_arch_values:
        if int(_arch.rstrip("abf")) < 80:
            conflicts(f"cuda_arch={_arch}", msg="hebatch needs GPUs of compute capability 8.0 or newer")

    def cmake_args(self):
        args = [
            self.define("HEBATCH_TESTS", "OFF"),
            self.define("HEBATCH_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("HEBATCH_NCCL", "ON" if self.spec.satisfies("+nccl") else "OFF"),
        ]
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(self.spec.variants["cuda_arch"].value)))
        return args

    def test_known_answers(self):
        """arithmetic, randomness and encryption against known answers"""
        which(self.prefix.bin.hebatch)("selftest", "--device", "cpu")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        self.test_known_answers()
