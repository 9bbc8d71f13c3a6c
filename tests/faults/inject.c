/* Preloaded into hebatch: one call of those that can fail does. Only calls from the program's own text count, not those
 * of libraries.
 *
 * HB_FAULT=KIND:RANK:K   the K-th call (from 1) of this kind on this rank fails and is not made; KIND is mpi, poll
 *                        (calls that are made over and over), write, sync, rename, open, memory, system
 *                        (other calls that the system can refuse), cuda or nccl (inject_cuda.c)
 * HB_FAULT_COUNT=FILE    counts are written to FILE.RANK at the end: a line "KIND CALLS" each */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject.h"

static const char *const names[HB_FAULT_KINDS] = {"mpi",  "poll",   "write",  "sync", "rename",
                                                  "open", "memory", "system", "cuda", "nccl"};

static atomic_ulong calls[HB_FAULT_KINDS];
static enum hb_fault_kind failing = HB_FAULT_KINDS;
static unsigned long place;
static uintptr_t text_begin, text_end;

static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            text_begin = info->dlpi_addr + part->p_vaddr;
            text_end = text_begin + part->p_memsz;
        }
    }
    return 1; /* the first is the program */
}

static long own_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *text = getenv(variables[i]);
        if (text != NULL) {
            return strtol(text, NULL, 10);
        }
    }
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *fault = getenv("HB_FAULT");
    char kind[16] = "";
    long rank = 0;
    unsigned long k = 0;
    if (fault != NULL && sscanf(fault, "%15[a-z]:%ld:%lu", kind, &rank, &k) == 3 && rank == own_rank()) {
        for (int i = 0; i < HB_FAULT_KINDS; i++) {
            failing = strcmp(kind, names[i]) == 0 ? (enum hb_fault_kind)i : failing;
        }
        place = k;
    }
}

/* Nothing is counted before the program's own main: libraries that it holds (CUDA's runtime) begin there. */
static int (*program_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment)
{
    dl_iterate_phdr(find_text, NULL);
    return program_main(argc, argv, environment);
}

typedef int libc_start(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                       void *);
libc_start __libc_start_main;
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
    program_main = main;
    union {
        void *found;
        libc_start *function;
    } real = {.found = dlsym(RTLD_NEXT, "__libc_start_main")};
    return real.function(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}

/* Also where the program leaves at once. */
__attribute__((destructor)) static void end(void)
{
    const char *to = getenv("HB_FAULT_COUNT");
    char path[4096];
    if (to == NULL || text_end == 0) {
        return;
    }
    snprintf(path, sizeof path, "%s.%ld", to, own_rank());
    FILE *out = fopen(path, "w");
    if (out != NULL) {
        for (int i = 0; i < HB_FAULT_KINDS; i++) {
            fprintf(out, "%s %lu\n", names[i], atomic_load(&calls[i]));
        }
        fclose(out);
    }
}

bool hb_fault_strikes(enum hb_fault_kind kind)
{
    return atomic_fetch_add(&calls[kind], 1) + 1 == place && kind == failing;
}

static bool fails(enum hb_fault_kind kind, const void *caller)
{
    const uintptr_t from = (uintptr_t)caller;
    return from >= text_begin && from < text_end && hb_fault_strikes(kind);
}

#define FAILS(kind) fails((kind), __builtin_extract_return_addr(__builtin_return_address(0)))

/* The library's own function. */
#define REAL(name)                         \
    (((union {                             \
         void *found;                      \
         __typeof__(&name) function;       \
     }){.found = dlsym(RTLD_NEXT, #name)}) \
         .function)
#define WRAP(kind, name, error, parameters, arguments) \
    int name parameters                                \
    {                                                  \
        if (FAILS(kind)) {                             \
            errno = error;                             \
            return -1;                                 \
        }                                              \
        return REAL(name) arguments;                   \
    }

WRAP(HB_FAULT_SYNC, fsync, EIO, (int fd), (fd))
WRAP(HB_FAULT_RENAME, rename, EIO, (const char *from, const char *to), (from, to))
WRAP(HB_FAULT_RENAME, renameat2, EIO, (int at, const char *from, int to_at, const char *to, unsigned flags),
     (at, from, to_at, to, flags))
WRAP(HB_FAULT_SYSTEM, unlink, EIO, (const char *path), (path))
WRAP(HB_FAULT_SYSTEM, unlinkat, EIO, (int at, const char *path, int flags), (at, path, flags))
WRAP(HB_FAULT_SYSTEM, rmdir, EIO, (const char *path), (path))
WRAP(HB_FAULT_SYSTEM, mkdir, ENOSPC, (const char *path, mode_t mode), (path, mode))
WRAP(HB_FAULT_SYSTEM, ftruncate, EIO, (int fd, off_t length), (fd, length))
WRAP(HB_FAULT_SYSTEM, fallocate, ENOSPC, (int fd, int mode, off_t from, off_t length), (fd, mode, from, length))
WRAP(HB_FAULT_SYSTEM, fstat, EIO, (int fd, struct stat *info), (fd, info))
WRAP(HB_FAULT_SYSTEM, lstat, EIO, (const char *path, struct stat *info), (path, info))
WRAP(HB_FAULT_SYSTEM, stat, EIO, (const char *path, struct stat *info), (path, info))

_Noreturn void _exit(int code)
{
    end();
    REAL(_exit)(code);
    __builtin_unreachable();
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
    if (FAILS(HB_FAULT_WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return REAL(pwrite)(fd, data, bytes, at);
}

/* The reason must still be told. */
ssize_t write(int fd, const void *data, size_t bytes)
{
    if (fd > STDERR_FILENO && FAILS(HB_FAULT_WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return REAL(write)(fd, data, bytes);
}

ssize_t pread(int fd, void *data, size_t bytes, off_t at)
{
    if (FAILS(HB_FAULT_SYSTEM)) {
        errno = EIO;
        return -1;
    }
    return REAL(pread)(fd, data, bytes, at);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (FAILS(HB_FAULT_OPEN)) {
        errno = EMFILE;
        return -1;
    }
    return REAL(open)(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (FAILS(HB_FAULT_OPEN)) {
        errno = EMFILE;
        return -1;
    }
    return REAL(openat)(at, path, flags, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *context)
{
    return FAILS(HB_FAULT_SYSTEM) ? EAGAIN : REAL(pthread_create)(thread, how, run, context);
}

/* dlsym itself takes memory: these go to the library directly. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
    if (FAILS(HB_FAULT_MEMORY)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    if (FAILS(HB_FAULT_MEMORY)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    if (FAILS(HB_FAULT_MEMORY)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    if (FAILS(HB_FAULT_MEMORY)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    if (FAILS(HB_FAULT_MEMORY)) {
        return ENOMEM;
    }
    *out = __libc_memalign(alignment, bytes);
    return *out != NULL ? 0 : ENOMEM;
}

#define WRAP_POLL(name, parameters, arguments)                           \
    int name parameters                                                  \
    {                                                                    \
        return FAILS(HB_FAULT_POLL) ? MPI_ERR_OTHER : P##name arguments; \
    }
#define WRAP_MPI(name, parameters, arguments)                           \
    int name parameters                                                 \
    {                                                                   \
        return FAILS(HB_FAULT_MPI) ? MPI_ERR_OTHER : P##name arguments; \
    }

WRAP_MPI(MPI_Init_thread, (int *argc, char ***argv, int wanted, int *provided), (argc, argv, wanted, provided))
WRAP_MPI(MPI_Finalize, (void), ())
WRAP_MPI(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
WRAP_MPI(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *out), (comm, out))
WRAP_MPI(MPI_Comm_free, (MPI_Comm * comm), (comm))
WRAP_MPI(MPI_Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
WRAP_MPI(MPI_Comm_size, (MPI_Comm comm, int *size), (comm, size))
WRAP_MPI(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *out), (comm, color, key, out))
WRAP_MPI(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out),
         (comm, type, key, info, out))
WRAP_MPI(MPI_Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),
         (data, count, type, root, comm))
WRAP_MPI(MPI_Allreduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         (from, to, count, type, op, comm))
WRAP_MPI(MPI_Iallreduce,
         (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
         (from, to, count, type, op, comm, request))
WRAP_MPI(MPI_Allgather,
         (const void *from, int sent, MPI_Datatype type, void *to, int received, MPI_Datatype to_type, MPI_Comm comm),
         (from, sent, type, to, received, to_type, comm))
WRAP_MPI(MPI_Alltoall,
         (const void *from, int sent, MPI_Datatype type, void *to, int received, MPI_Datatype to_type, MPI_Comm comm),
         (from, sent, type, to, received, to_type, comm))
WRAP_MPI(MPI_Isend,
         (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request),
         (data, count, type, to, tag, comm, request))
WRAP_MPI(MPI_Irecv, (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
         (data, count, type, from, tag, comm, request))
WRAP_MPI(MPI_Recv, (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
         (data, count, type, from, tag, comm, status))
WRAP_POLL(MPI_Iprobe, (int from, int tag, MPI_Comm comm, int *there, MPI_Status *status),
          (from, tag, comm, there, status))
WRAP_POLL(MPI_Test, (MPI_Request * request, int *done, MPI_Status *status), (request, done, status))
WRAP_POLL(MPI_Testsome, (int count, MPI_Request *requests, int *done, int *which, MPI_Status *statuses),
          (count, requests, done, which, statuses))
WRAP_MPI(MPI_Waitall, (int count, MPI_Request *requests, MPI_Status *statuses), (count, requests, statuses))
