/* Landlock and seccomp by their system calls: libraries for them, and headers of a kernel that has Landlock, are not
 * everywhere. */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "io/h5/h5.h"

/* --- files */

/* linux/landlock.h; the numbers of its calls are the same on all architectures. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, ASK_VERSION = 1, RULE_PATH = 1 };
#define READ_FILE ((uint64_t)1 << 2)
#define READ_DIR ((uint64_t)1 << 3)
#define ALL_OF_VERSION_1 (((uint64_t)1 << 13) - 1) /* to run, write, read, list, remove and make, by kind */
#define RENAME ((uint64_t)1 << 13)                 /* into another folder, of version 2 */
#define TRUNCATE ((uint64_t)1 << 14)               /* of version 3 */

typedef struct path_rule {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed)) path_rule;

static long landlock_version(void)
{
    return syscall(CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);
}

/* A missing path needs no rule; a path that cannot be allowed stays forbidden. */
static bool allow(int rules, const char *path)
{
    struct stat info;
    const int at = open(path, O_PATH | O_CLOEXEC);
    bool done = false;
    if (at >= 0 && fstat(at, &info) == 0) {
        const path_rule rule = {READ_FILE | (S_ISDIR(info.st_mode) ? READ_DIR : 0), at};
        done = syscall(ADD_RULE, rules, RULE_PATH, &rule, 0) == 0;
    }
    if (at >= 0) {
        close(at);
    }
    return done;
}

/* Plugins of a separate installation find their libraries beside that of HDF5. */
static int allow_library(struct dl_phdr_info *library, size_t size, void *rules)
{
    char folder[4096];
    const char *slash = strrchr(library->dlpi_name, '/');
    const size_t length = slash != NULL ? (size_t)(slash - library->dlpi_name) : 0;
    (void)size;
    if (length > 0 && length < sizeof folder && strncmp(slash, "/libhdf5", strlen("/libhdf5")) == 0) {
        memcpy(folder, library->dlpi_name, length);
        folder[length] = '\0';
        (void)allow(*(const int *)rules, folder);
    }
    return 0;
}

/* Filters that HDF5 has not built in, where a folder of theirs is there, and the libraries that they may load. */
static void allow_plugins(int rules)
{
    static const char *const libraries[] = {"/lib",       "/lib64",         "/usr/lib",
                                            "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"};
    unsigned folders = 0;
    bool any = false;
    (void)H5PLsize(&folders);
    for (unsigned i = 0; i < folders; i++) {
        char folder[4096] = "";
        const ssize_t length = H5PLget(i, folder, sizeof folder);
        any = (length > 0 && (size_t)length < sizeof folder && allow(rules, folder)) || any;
    }
    for (size_t i = 0; any && i < sizeof libraries / sizeof *libraries; i++) {
        (void)allow(rules, libraries[i]);
    }
    if (any) {
        (void)dl_iterate_phdr(allow_library, &rules);
    }
}

static void confine_files(const char *file, bool follows)
{
    const long version = landlock_version();
    const uint64_t handled = ALL_OF_VERSION_1 | (version >= 2 ? RENAME : 0) | (version >= 3 ? TRUNCATE : 0);
    const int rules = version < 1 ? -1 : (int)syscall(CREATE_RULESET, &handled, sizeof handled, 0);
    if (rules < 0) {
        return;
    }
    if (follows) {
        (void)allow(rules, "/");
    } else {
        (void)allow(rules, file);
        allow_plugins(rules);
    }
    (void)syscall(RESTRICT_SELF, rules, 0);
    close(rules);
}

/* --- system calls; HB_AUDIT_ARCH, of the build, is the architecture, 0 where no filter is made for it */

enum {
    MOST_STEPS = 256,
    STEPS_OF_CALL = 2,      /* allow_call */
    STEPS_OF_CALL_WITH = 6, /* allow_call_with */
    STEPS_OF_OPENING = 8,   /* allow_opening */
    STEPS_BESIDE = 7        /* of confine_calls itself */
};

typedef struct filter {
    struct sock_filter step[MOST_STEPS];
    unsigned short count;
} filter;

static void add(filter *f, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false)
{
    f->step[f->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(filter *f, size_t offset)
{
    add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void give(filter *f, uint32_t action)
{
    add(f, BPF_RET | BPF_K, action, 0, 0);
}

/* The call with this number is allowed. */
static void allow_call(filter *f, long number)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    give(f, SECCOMP_RET_ALLOW);
}

/* The low half of an argument: the architectures that a filter is made for are little-endian. */
static size_t low_half_of(unsigned argument)
{
    return offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);
}

/* It is allowed where the low half of an argument has all of the bits `set`, and, of the bits `of`, no others. */
static void allow_call_with(filter *f, long number, unsigned argument, uint32_t of, uint32_t set)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5);
    load(f, low_half_of(argument));
    add(f, BPF_ALU | BPF_AND | BPF_K, of, 0, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, set, 0, 1);
    give(f, SECCOMP_RET_ALLOW);
    give(f, SECCOMP_RET_ERRNO | EPERM);
}

/* Opening to read is allowed where it does not wait; the others that read are left to open_instead. */
static void allow_opening(filter *f)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)SYS_openat, 0, 7);
    load(f, low_half_of(2));
    add(f, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_CREAT | O_TRUNC | O_NONBLOCK, 0, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, O_NONBLOCK, 0, 1);
    give(f, SECCOMP_RET_ALLOW);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, O_RDONLY, 0, 1);
    give(f, SECCOMP_RET_TRAP);
    give(f, SECCOMP_RET_ERRNO | EPERM);
}

/* Reading and looking at files, memory, threads, signals and clocks of its own, the socket that is there. */
/* clang-format off */
static const long calls[] = {
    SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_write, SYS_writev, SYS_sendto, SYS_sendmsg, SYS_recvfrom,
    SYS_recvmsg, SYS_ppoll, SYS_pselect6, SYS_close, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs,
    SYS_fstatfs, SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_flock, SYS_fadvise64, SYS_dup,
    SYS_dup3, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_mincore, SYS_brk, SYS_futex,
    SYS_set_robust_list, SYS_get_robust_list, SYS_sched_yield, SYS_sched_getaffinity, SYS_membarrier,
    SYS_set_tid_address, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_getpid,
    SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getrusage, SYS_prlimit64,
    SYS_times, SYS_sysinfo, SYS_uname, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep,
    SYS_gettimeofday, SYS_getrandom, SYS_rseq, SYS_restart_syscall, SYS_exit, SYS_exit_group};
/* clang-format on */
enum { STAT = 4, LSTAT = 6, POLL = 7, ACCESS = 21, GETDENTS = 78, READLINK = 89, ARCH_PRCTL = 158, TIME = 201 };
static const long only_x86_64[] = {STAT, LSTAT, POLL, ACCESS, GETDENTS, READLINK, ARCH_PRCTL, TIME};
_Static_assert(STEPS_OF_CALL *(sizeof calls / sizeof *calls + sizeof only_x86_64 / sizeof *only_x86_64) +
                       2 * STEPS_OF_CALL_WITH + STEPS_OF_OPENING + STEPS_BESIDE <=
                   MOST_STEPS,
               "the filter has room for all steps");

static void allow_calls(filter *f)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        allow_call(f, calls[i]);
    }
    for (size_t i = 0; (uint32_t)HB_AUDIT_ARCH == AUDIT_ARCH_X86_64 && i < sizeof only_x86_64 / sizeof *only_x86_64;
         i++) {
        allow_call(f, only_x86_64[i]);
    }
}

/* Opens a file that has an end, or a folder. Opening a path that leads to a pipe or a device by now would wait. Returns
 * the call's result: a descriptor, or the error as a negative number. */
static long open_to_read(int folder, const char *path, int flags)
{
    const struct timespec moment = {0, 10000000};
    struct stat info;
    int fd;
    /* another process has a lease on it, which the kernel ends */
    while ((fd = openat(folder, path, flags | O_NONBLOCK)) < 0 && errno == EAGAIN) {
        (void)nanosleep(&moment, NULL);
    }
    if (fd < 0) {
        return -errno;
    }
    if (fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))) {
        return fd;
    }
    close(fd);
    return -ENXIO;
}

/* The handler of SIGSYS: does the work of a call of openat from anywhere, without waiting. */
static void open_instead(int signal, siginfo_t *of, void *context)
{
    const int error = errno;
    (void)signal;
    (void)of;
#if defined __x86_64__
    greg_t *word = ((ucontext_t *)context)->uc_mcontext.gregs;
    word[REG_RAX] = open_to_read((int)word[REG_RDI], (const char *)word[REG_RSI], (int)word[REG_RDX]);
#elif defined __aarch64__
    unsigned long long *word = ((ucontext_t *)context)->uc_mcontext.regs;
    word[0] = (unsigned long long)open_to_read((int)word[0], (const char *)word[1], (int)word[2]);
#else
    (void)context;
    (void)open_to_read;
#endif
    errno = error;
}

/* Without it calls of openat would end the process. */
static bool catch_opening(void)
{
    const struct sigaction action = {.sa_sigaction = open_instead, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGSYS);
    return sigaction(SIGSYS, &action, NULL) == 0 && pthread_sigmask(SIG_UNBLOCK, &trap, NULL) == 0;
}

static void confine_calls(void)
{
    enum { CLONE3 = 435 }; /* its flags are in memory: without it, threads are made with clone */
    filter f = {.count = 0};
    if (HB_AUDIT_ARCH == 0 || !catch_opening()) {
        return;
    }
    load(&f, offsetof(struct seccomp_data, arch));
    add(&f, BPF_JMP | BPF_JEQ | BPF_K, HB_AUDIT_ARCH, 1, 0);
    give(&f, SECCOMP_RET_KILL_PROCESS);
    load(&f, offsetof(struct seccomp_data, nr));
    allow_calls(&f);
    add(&f, BPF_JMP | BPF_JEQ | BPF_K, CLONE3, 0, 1);
    give(&f, SECCOMP_RET_ERRNO | ENOSYS);
    allow_call_with(&f, SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
    allow_opening(&f);
    allow_call_with(&f, SYS_tgkill, 0, UINT32_MAX, (uint32_t)getpid()); /* as abort does */
    give(&f, SECCOMP_RET_ERRNO | EPERM);
    const struct sock_fprog program = {f.count, f.step};
    (void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* --- */

void hb_h5_process_confine(const char *file, bool follows)
{
    /* Neither of the two is for a process that could come to rights of others. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        confine_files(file, follows);
        confine_calls();
    }
}

hb_confinement hb_h5_process_confinement(void)
{
    const uint32_t action = SECCOMP_RET_ERRNO;
    return (hb_confinement){landlock_version() >= 1,
                            HB_AUDIT_ARCH != 0 && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0};
}

/* `socket`: the descriptor itself. */
static void *wait_for_end(void *socket)
{
    struct pollfd end = {.fd = (int)(intptr_t)socket, .events = POLLRDHUP};
    while (poll(&end, 1, -1) <= 0 || (end.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) {
    }
    _exit(0);
}

void hb_h5_process_end_with(int socket)
{
    enum { STACK = 1 << 18 };
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) == 0) {
        (void)pthread_attr_setstacksize(&attributes, STACK);
        (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        /* Without memory for it the process ends at its next request. */
        (void)pthread_create(&thread, &attributes, wait_for_end, (void *)(intptr_t)socket);
        pthread_attr_destroy(&attributes);
    }
}
