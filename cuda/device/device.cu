/* The GPUs of this process, and the statuses and advice for failures of the CUDA runtime. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cuda_private.h"

/* Kernels rely on features of compute capability 8.0, such as warp-wide integer reductions. */
static const int oldest_major = 8;

/* Returns true if the program has code for compute capability 9.0 (sm90.cuh): code that a newer GPU compiles from older
 * code has neither clusters nor early launches. */
static constexpr bool has_sm90_code()
{
    for (const int architecture : {__CUDA_ARCH_LIST__}) {
        if (architecture >= 900) {
            return true;
        }
    }
    return false;
}

/* cudaErrorContained, which has a name since CUDA 12.8: a memory error of the GPU that ended this process only. */
static const cudaError_t error_contained = static_cast<cudaError_t>(226);

/* Returns whether the error means a GPU that is not there, or that failed under way: nothing of this process helps. */
static bool is_gpu_lost(cudaError_t error)
{
    switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorDeviceNotLicensed:
    case cudaErrorInitializationError:
    case cudaErrorStartupFailure:
    case cudaErrorSystemNotReady:
    case cudaErrorOperatingSystem:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorContextIsDestroyed:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorUnknown:
    case error_contained:
        return true;
    default:
        return false;
    }
}

/* Returns the status for an error of the runtime, and in *advice the user's remedy. An error that no environment can
 * cause is a defect of this program. */
static hb_status meaning(cudaError_t error, const char **advice)
{
    switch (error) {
    /* Too little memory can be helped by the job itself. */
    case cudaErrorMemoryAllocation:
        *advice = "use less memory for the batch, or end what else runs there";
        return HB_ENOMEM;
    case cudaErrorInsufficientDriver:
    case cudaErrorCallRequiresNewerDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
        *advice = "the driver is missing or too old: update it, or build with an older CUDA toolkit";
        return HB_EUNAVAILABLE;
    /* The program has no code that this GPU runs. */
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidKernelImage:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
        *advice = "no code for this GPU in the program: build it with CMAKE_CUDA_ARCHITECTURES of this GPU";
        return HB_EUNAVAILABLE;
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceAlreadyInUse:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsServerNotReady:
    case cudaErrorMpsMaxClientsReached:
    case cudaErrorMpsMaxConnectionsReached:
        *advice = "another process has it: wait, or choose another GPU with CUDA_VISIBLE_DEVICES";
        return HB_EUNAVAILABLE;
    default:
        break;
    }
    if (is_gpu_lost(error)) {
        *advice = "it is faulty or gone: see nvidia-smi and the kernel's log, leave it out with CUDA_VISIBLE_DEVICES";
        return HB_EUNAVAILABLE;
    }
    *advice = "a defect of this program";
    return HB_EINTERNAL;
}

/* Records the failure of a call, naming the GPU by its number and PCI address. The operation is cut at its "(". */
static hb_status failed_on(int index, cudaError_t error, const char *operation, const char *file, int line)
{
    char bus[HB_CUDA_BUS_BYTES] = "";
    const char *advice;
    const hb_status code = meaning(error, &advice);
    (void)cudaDeviceGetPCIBusId(bus, sizeof bus, index);
    (void)cudaGetLastError(); /* or the check after the next launch would find it again */
    return hb_fail(code, file, line, "GPU %d%s%s: %.*s failed: %s; %s", index, bus[0] != 0 ? " at " : "", bus,
                   static_cast<int>(strcspn(operation, "(")), operation, cudaGetErrorString(error), advice);
}

hb_status hb_cuda_failed(cudaError_t error, const char *operation, const char *file, int line)
{
    int current = 0;
    /* A failed call does not change which GPU is current. */
    (void)cudaGetDevice(&current);
    return failed_on(current, error, operation, file, line);
}

hb_status hb_cuda_make_current(int index)
{
    const cudaError_t error = cudaSetDevice(index);
    return error == cudaSuccess ? HB_OK : failed_on(index, error, "cudaSetDevice", __FILE__, __LINE__);
}

bool hb_cuda_built(void)
{
    return true;
}

void hb_cuda_versions_get(hb_cuda_versions *versions)
{
    *versions = hb_cuda_versions();
    (void)cudaDriverGetVersion(&versions->driver); /* stays 0 where there is none */
    (void)cudaRuntimeGetVersion(&versions->runtime);
    /* The runtime keeps the last error of a thread: a later check of a launch would report this one. */
    (void)cudaGetLastError();
}

hb_status hb_cuda_device_count(int *count)
{
    hb_cuda_versions versions;
    /* Nothing is known yet; a failure below leaves it so. */
    *count = 0;
    hb_cuda_versions_get(&versions);
    /* Without a driver cudaGetDeviceCount would fail; a program without a GPU is no failure. */
    if (versions.driver == 0) {
        return HB_OK;
    }
    const cudaError_t error = cudaGetDeviceCount(count);
    if (error == cudaSuccess) {
        return HB_OK;
    }
    *count = 0;
    (void)cudaGetLastError();
    if (error == cudaErrorNoDevice || error == cudaErrorStubLibrary) { /* the stub is there for linking only */
        return HB_OK;
    }
    return HB_FAIL(HB_EUNAVAILABLE,
                   "the NVIDIA driver (for CUDA %d.%d; the program is built with %d.%d) does not work: %s; repair it",
                   versions.driver / 1000, versions.driver % 1000 / 10, versions.runtime / 1000,
                   versions.runtime % 1000 / 10, cudaGetErrorString(error));
}

/* Returns an attribute of a GPU; 0 where the driver does not say it. */
static double attribute(cudaDeviceAttr which, int index)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, index) != cudaSuccess) {
        (void)cudaGetLastError();
        value = 0;
    }
    return value;
}

/* Two words of the bus a cycle, of which a copy reaches about seven eighths (`hebatch bench` on H100 and H200). */
static double bandwidth_of(int index)
{
    const double reached = 0.87, thousand = 1e3, bits = 8;
    return reached * 2 * attribute(cudaDevAttrMemoryClockRate, index) * thousand *
           attribute(cudaDevAttrGlobalMemoryBusWidth, index) / bits;
}

static __global__ void probe_kernel()
{
}

/* Returns true if the current GPU runs clusters of 16 thread blocks as large as those of the transforms: a part of a
 * GPU may have too few multiprocessors side by side. */
static bool runs_cluster16()
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};
    int clusters = 0;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = config.gridDim.x = HB_CUDA_CLUSTER16_BLOCKS;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.blockDim = dim3(HB_CUDA_CLUSTER16_THREADS);
    config.dynamicSmemBytes = HB_CUDA_CLUSTER16_SHARED;
    config.attrs = &cluster;
    config.numAttrs = 1;
    const bool runs =
        cudaFuncSetAttribute(probe_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
        cudaOccupancyMaxActiveClusters(&clusters, probe_kernel, &config) == cudaSuccess && clusters > 0;
    (void)cudaGetLastError(); /* no is an answer, not a failure */
    return runs;
}

hb_status hb_cuda_device_get(int index, hb_cuda_device *device)
{
    hb_cuda_device d = {};
    cudaDeviceProp properties;
    int ratio = 0;
    size_t free_bytes = 0, all_bytes = 0;
    /* cudaMemGetInfo asks the current GPU. */
    HB_TRY(hb_cuda_make_current(index));
    HB_CUDA(cudaGetDeviceProperties(&properties, index));
    HB_CUDA(cudaDeviceGetPCIBusId(d.bus, sizeof d.bus, index));
    /* A GPU that is too old is refused before more is asked of it. */
    if (properties.major < oldest_major) {
        return HB_FAIL(HB_EUNAVAILABLE, "GPU %d at %s, %s, has compute capability %d.%d: %d.0 or newer is needed",
                       index, d.bus, properties.name, properties.major, properties.minor, oldest_major);
    }
    HB_CUDA(cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, index));
    HB_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
    for (char *c = d.bus; *c != 0; c++) {
        *c = static_cast<char>(tolower(static_cast<unsigned char>(*c))); /* as in /sys/bus/pci */
    }
    d.index = index;
    snprintf(d.name, sizeof d.name, "%s", properties.name);
    static_assert(sizeof properties.uuid.bytes == HB_CUDA_UUID_BYTES, "a UUID");
    memcpy(d.uuid, properties.uuid.bytes, sizeof d.uuid);
    d.major = properties.major;
    d.minor = properties.minor;
    d.multiprocessors = properties.multiProcessorCount;
    d.clock = 1e3 * attribute(cudaDevAttrClockRate, index);
    d.bandwidth = bandwidth_of(index);
    d.memory = all_bytes;
    d.free = free_bytes;
    d.l2 = static_cast<uint64_t>(properties.l2CacheSize);
    /* FP64 at a quarter of the FP32 rate or better. */
    d.fast_f64 = ratio <= 4;
    d.sm90 = has_sm90_code() && properties.major >= 9;
    d.cluster16 = d.sm90 && runs_cluster16();
    /* Set whole at the end: a failure leaves the caller's unchanged. */
    *device = d;
    return HB_OK;
}

bool hb_cuda_device_peers(int a, int b)
{
    /* One direction is enough. A call that fails leaves 0, which callers should assume then. */
    int reads = 0, is_read = 0;
    if (cudaDeviceCanAccessPeer(&reads, a, b) != cudaSuccess ||
        cudaDeviceCanAccessPeer(&is_read, b, a) != cudaSuccess) {
        (void)cudaGetLastError();
    }
    return reads != 0 || is_read != 0;
}
