/* Calls of CUDA's runtime and of NCCL, of which one can fail as those of inject.c do. The runtime is part of the
 * program, so that nothing can be preloaded: a program of its own is linked of the same objects, with each of these
 * functions wrapped (the linker's --wrap, of which CMake has the list from the lines that begin with WRAP here). */
#include <cuda_runtime_api.h>
#include <stddef.h>
#ifdef HB_FAULT_HAVE_NCCL
#include <nccl.h>
#endif

#include "inject.h"

/* The runtime keeps the last error of a thread until it is read. */
static _Thread_local cudaError_t pending;

static cudaError_t fail(cudaError_t error)
{
    pending = error;
    return error;
}

#define WRAP_OF(kind, name, error, parameters, arguments)                      \
    cudaError_t __real_##name parameters;                                      \
    cudaError_t __wrap_##name parameters;                                      \
    cudaError_t __wrap_##name parameters                                       \
    {                                                                          \
        return hb_fault_strikes(kind) ? fail(error) : __real_##name arguments; \
    }

#define WRAP(name, error, parameters, arguments) WRAP_OF(HB_FAULT_CUDA, name, error, parameters, arguments)
#define WRAP_POLL(name, error, parameters, arguments) WRAP_OF(HB_FAULT_POLL, name, error, parameters, arguments)

/* Counted with the call that it is asked about. */
cudaError_t __real_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void)
{
    const cudaError_t error = pending, real = __real_cudaGetLastError();
    pending = cudaSuccess;
    return error != cudaSuccess ? error : real;
}

/* --- devices */
WRAP(cudaDeviceCanAccessPeer, cudaErrorInvalidDevice, (int *can, int device, int peer), (can, device, peer))
WRAP(cudaDeviceGetAttribute, cudaErrorInvalidDevice, (int *value, enum cudaDeviceAttr attribute, int device),
     (value, attribute, device))
WRAP(cudaDeviceGetPCIBusId, cudaErrorInvalidDevice, (char *id, int length, int device), (id, length, device))
WRAP(cudaDeviceGetStreamPriorityRange, cudaErrorUnknown, (int *least, int *greatest), (least, greatest))
WRAP(cudaDeviceSynchronize, cudaErrorLaunchFailure, (void), ())
WRAP(cudaDriverGetVersion, cudaErrorUnknown, (int *version), (version))
WRAP(cudaGetDevice, cudaErrorUnknown, (int *device), (device))
WRAP(cudaGetDriverEntryPointByVersion, cudaErrorInvalidValue,
     (const char *name, void **function, unsigned version, unsigned long long flags,
      enum cudaDriverEntryPointQueryResult *found),
     (name, function, version, flags, found))
WRAP(cudaGetDeviceCount, cudaErrorInitializationError, (int *count), (count))
WRAP(cudaMemGetInfo, cudaErrorUnknown, (size_t * free, size_t *total), (free, total))
WRAP(cudaRuntimeGetVersion, cudaErrorUnknown, (int *version), (version))
WRAP(cudaSetDevice, cudaErrorDevicesUnavailable, (int device), (device))

/* --- memory */
WRAP(cudaFree, cudaErrorLaunchFailure, (void *memory), (memory))
WRAP(cudaFreeHost, cudaErrorLaunchFailure, (void *memory), (memory))
WRAP(cudaHostAlloc, cudaErrorMemoryAllocation, (void **memory, size_t bytes, unsigned flags), (memory, bytes, flags))
WRAP(cudaHostGetDevicePointer, cudaErrorInvalidValue, (void **there, void *memory, unsigned flags),
     (there, memory, flags))
WRAP(cudaHostRegister, cudaErrorMemoryAllocation, (void *memory, size_t bytes, unsigned flags), (memory, bytes, flags))
WRAP(cudaHostUnregister, cudaErrorUnknown, (void *memory), (memory))
WRAP(cudaIpcCloseMemHandle, cudaErrorUnknown, (void *memory), (memory))
WRAP(cudaIpcGetMemHandle, cudaErrorInvalidValue, (cudaIpcMemHandle_t * handle, void *memory), (handle, memory))
WRAP(cudaIpcOpenMemHandle, cudaErrorMapBufferObjectFailed, (void **memory, cudaIpcMemHandle_t handle, unsigned flags),
     (memory, handle, flags))
WRAP(cudaMalloc, cudaErrorMemoryAllocation, (void **memory, size_t bytes), (memory, bytes))
WRAP(cudaMemcpy, cudaErrorECCUncorrectable, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
     (to, from, bytes, kind))
WRAP(cudaMemcpyAsync, cudaErrorECCUncorrectable,
     (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream))
WRAP(cudaMemsetAsync, cudaErrorLaunchFailure, (void *memory, int value, size_t bytes, cudaStream_t stream),
     (memory, value, bytes, stream))
WRAP(cudaPointerGetAttributes, cudaErrorUnknown, (struct cudaPointerAttributes * attributes, const void *memory),
     (attributes, memory))

/* --- streams and events */
WRAP(cudaEventCreate, cudaErrorMemoryAllocation, (cudaEvent_t * event), (event))
WRAP(cudaEventCreateWithFlags, cudaErrorMemoryAllocation, (cudaEvent_t * event, unsigned flags), (event, flags))
WRAP(cudaEventDestroy, cudaErrorLaunchFailure, (cudaEvent_t event), (event))
WRAP(cudaEventElapsedTime, cudaErrorLaunchFailure, (float *ms, cudaEvent_t start, cudaEvent_t end), (ms, start, end))
WRAP_POLL(cudaEventQuery, cudaErrorLaunchFailure, (cudaEvent_t event), (event))
WRAP(cudaEventRecord, cudaErrorLaunchFailure, (cudaEvent_t event, cudaStream_t stream), (event, stream))
WRAP(cudaEventSynchronize, cudaErrorLaunchFailure, (cudaEvent_t event), (event))
WRAP(cudaStreamCreateWithFlags, cudaErrorMemoryAllocation, (cudaStream_t * stream, unsigned flags), (stream, flags))
WRAP(cudaStreamCreateWithPriority, cudaErrorMemoryAllocation, (cudaStream_t * stream, unsigned flags, int priority),
     (stream, flags, priority))
WRAP_POLL(cudaStreamQuery, cudaErrorLaunchFailure, (cudaStream_t stream), (stream))
WRAP(cudaStreamDestroy, cudaErrorLaunchFailure, (cudaStream_t stream), (stream))
WRAP(cudaStreamSynchronize, cudaErrorLaunchFailure, (cudaStream_t stream), (stream))
WRAP(cudaStreamWaitEvent, cudaErrorLaunchFailure, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
     (stream, event, flags))

/* --- kernels and graphs */
#if CUDART_VERSION >= 13000 /* called by <<<>>> */
WRAP(__cudaLaunchKernel, cudaErrorLaunchFailure,
     (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream))
#endif
WRAP(cudaLaunchKernel, cudaErrorLaunchFailure,
     (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream))
WRAP(cudaLaunchKernelExC, cudaErrorLaunchFailure, (const cudaLaunchConfig_t *how, const void *kernel, void **arguments),
     (how, kernel, arguments))
WRAP(cudaFuncSetAttribute, cudaErrorInvalidDeviceFunction,
     (const void *kernel, enum cudaFuncAttribute attribute, int value), (kernel, attribute, value))
WRAP(cudaGraphDestroy, cudaErrorUnknown, (cudaGraph_t graph), (graph))
WRAP(cudaGraphExecDestroy, cudaErrorUnknown, (cudaGraphExec_t graph), (graph))
WRAP(cudaGraphGetNodes, cudaErrorUnknown, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
     (graph, nodes, count))
WRAP(cudaGraphInstantiate, cudaErrorMemoryAllocation,
     (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags), (executable, graph, flags))
WRAP(cudaGraphLaunch, cudaErrorLaunchFailure, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))
WRAP(cudaGraphUpload, cudaErrorMemoryAllocation, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))
WRAP(cudaStreamBeginCapture, cudaErrorUnknown, (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode))
WRAP(cudaStreamEndCapture, cudaErrorStreamCaptureInvalidated, (cudaStream_t stream, cudaGraph_t *graph),
     (stream, graph))

#ifdef HB_FAULT_HAVE_NCCL
#define WRAP_NCCL_OF(kind, name, error, parameters, arguments)             \
    ncclResult_t __real_##name parameters;                                 \
    ncclResult_t __wrap_##name parameters;                                 \
    ncclResult_t __wrap_##name parameters                                  \
    {                                                                      \
        return hb_fault_strikes(kind) ? (error) : __real_##name arguments; \
    }

#define WRAP_NCCL(name, error, parameters, arguments) WRAP_NCCL_OF(HB_FAULT_NCCL, name, error, parameters, arguments)
#define WRAP_NCCL_POLL(name, error, parameters, arguments) \
    WRAP_NCCL_OF(HB_FAULT_POLL, name, error, parameters, arguments)

WRAP_NCCL(ncclAllGather, ncclUnhandledCudaError,
          (const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream),
          (from, to, count, type, comm, stream))
WRAP_NCCL(ncclBroadcast, ncclUnhandledCudaError,
          (const void *from, void *to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
           cudaStream_t stream),
          (from, to, count, type, root, comm, stream))
WRAP_NCCL(ncclCommAbort, ncclSystemError, (ncclComm_t comm), (comm))
WRAP_NCCL(ncclCommDestroy, ncclSystemError, (ncclComm_t comm), (comm))
WRAP_NCCL(ncclCommFinalize, ncclSystemError, (ncclComm_t comm), (comm))
WRAP_NCCL_POLL(ncclCommGetAsyncError, ncclSystemError, (ncclComm_t comm, ncclResult_t *error), (comm, error))
WRAP_NCCL(ncclCommInitRankConfig, ncclSystemError,
          (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *how), (comm, ranks, id, rank, how))
WRAP_NCCL(ncclCommSplit, ncclSystemError, (ncclComm_t comm, int color, int key, ncclComm_t *out, ncclConfig_t *how),
          (comm, color, key, out, how))
WRAP_NCCL(ncclGetUniqueId, ncclSystemError, (ncclUniqueId * id), (id))
WRAP_NCCL(ncclGetVersion, ncclSystemError, (int *version), (version))
WRAP_NCCL(ncclGroupEnd, ncclUnhandledCudaError, (void), ())
WRAP_NCCL(ncclGroupStart, ncclInvalidUsage, (void), ())
WRAP_NCCL(ncclRecv, ncclUnhandledCudaError,
          (void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream),
          (to, count, type, peer, comm, stream))
WRAP_NCCL(ncclSend, ncclUnhandledCudaError,
          (const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream),
          (from, count, type, peer, comm, stream))
#endif
