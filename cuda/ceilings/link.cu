/* Ceilings of the link between a GPU and the memory of its host. */
#include "ceilings.cuh"

hb_status hb_cuda_link_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_link *link)
{
    *link = hb_cuda_link();
    HB_TRY(hb_cuda_make_current(device->index));
    /* Copies of up to 64 MiB, of which four pieces of memory are needed; the GPU holds two of them. */
    const size_t bytes = (size_t)std::min(memory / 4, (uint64_t)64 << 20);
    if (bytes == 0) {
        return HB_FAIL(HB_ENOMEM, "too little memory of the GPU is allowed to measure the link");
    }
    /* Declared first, so that streams are destroyed after the memory that they work on. */
    hb_stopwatch watch;
    hb_probe_memory up_host, down_host, up, down;
    HB_TRY(watch.open());
    /* Separate memory each way: both directions are busy at once. */
    HB_TRY(up_host.open(bytes, true));
    HB_TRY(down_host.open(bytes, true));
    HB_TRY(up.open(bytes, false));
    HB_TRY(down.open(bytes, false));
    const auto upload = [&] {
        HB_CUDA(cudaMemcpyAsync(up.memory, up_host.memory, bytes, cudaMemcpyHostToDevice, watch.stream));
        return HB_OK;
    };
    const auto download_on = [&](cudaStream_t stream) {
        HB_CUDA(cudaMemcpyAsync(down_host.memory, down.memory, bytes, cudaMemcpyDeviceToHost, stream));
        return HB_OK;
    };
    /* One copy each way, on two streams that start together and are joined before the end is timed. */
    const auto both = [&] {
        HB_CUDA(cudaEventRecord(watch.fork, watch.stream));
        HB_CUDA(cudaStreamWaitEvent(watch.side, watch.fork, 0));
        HB_TRY(upload());
        HB_TRY(download_on(watch.side));
        HB_CUDA(cudaEventRecord(watch.join, watch.side));
        HB_CUDA(cudaStreamWaitEvent(watch.stream, watch.join, 0));
        return HB_OK;
    };
    double seconds[3];
    HB_TRY(hb_time(watch, upload, &seconds[0]));
    HB_TRY(hb_time(
        watch, [&] { return download_on(watch.stream); }, &seconds[1]));
    HB_TRY(hb_time(watch, both, &seconds[2]));
    *link = {(double)bytes / seconds[0], (double)bytes / seconds[1], (double)bytes / seconds[2]};
    return HB_OK;
}
