/* Makes the n-th call of a kind fail, or sends a signal there; loaded with LD_PRELOAD.
 *
 * A process arms itself, and what it forks is armed too. Counts are in memory that all of them
 * share, so that the process that started them can read how far they came. Standard streams, pipes
 * and sockets are left alone: only what happens to files is of interest. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN, WRITE, SYNC, NAME, UNLINK, FOLDER, CLOSE, TRUNCATE, MEMORY, PROCESS, READ, KINDS };
enum { EVERYWHERE, IN_MAIN, IN_WORKERS };

static struct shared {
    int kind, error, signal, pause, lasting, where; /* kind KINDS: of any kind */
    long at, count, counts[KINDS];
    pid_t main;
    int reached;
    char within[512]; /* if set, only files below this folder count */
    char path[512]; /* of the file at which it happened, as far as it is known */
} *plan;

static int armed;

__attribute__((constructor)) static void begin(void) {
    plan = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (plan == MAP_FAILED) _exit(99);
}

struct shared *fault_plan(void) { return plan; }
void fault_arm(void) {
    plan->main = getpid();
    armed = 1;
}
void fault_disarm(void) { armed = 0; }

/* Find the path of a descriptor, or keep a given one. */
static void find(char *place, const char *path, int descriptor) {
    char link[64];
    ssize_t length = 0;
    if (path) {
        length = strnlen(path, sizeof plan->path - 1);
        memcpy(place, path, length);
    } else if (descriptor >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        length = readlink(link, place, sizeof plan->path - 1);
    }
    place[length > 0 ? length : 0] = 0;
}

/* Commands run in the folder itself, so that relative paths are below it. */
static int is_within(const char *path, int descriptor) {
    char place[sizeof plan->path];
    int before = errno;
    if (!plan->within[0]) return 1;
    find(place, path, descriptor);
    errno = before;
    return place[0] != '/' || strncmp(place, plan->within, strlen(plan->within)) == 0;
}

/* Return whether this call is to fail: errno is then set. */
static int strikes(int kind, const char *path, int descriptor) {
    if (!armed) return 0;
    int in_main = getpid() == plan->main;
    if ((plan->where == IN_MAIN && !in_main) || (plan->where == IN_WORKERS && in_main)) return 0;
    __atomic_add_fetch(&plan->counts[kind], 1, __ATOMIC_SEQ_CST);
    if ((plan->kind != kind && plan->kind != KINDS) || !is_within(path, descriptor)) return 0;
    long number = __atomic_add_fetch(&plan->count, 1, __ATOMIC_SEQ_CST);
    if (number != plan->at && !(plan->lasting && number > plan->at && plan->at)) return 0;
    if (number == plan->at) {
        find(plan->path, path, descriptor);
        plan->reached = 1;
        if (plan->pause) usleep(1000 * plan->pause);
        if (plan->signal) raise(plan->signal);
    }
    if (!plan->error) return 0;
    errno = plan->error;
    return 1;
}

/* Return whether a descriptor is a file or a folder, and no standard stream. */
static int counts(int descriptor) {
    struct stat status;
    int before = errno;
    int answer = armed && descriptor > 2 && fstat(descriptor, &status) == 0 &&
                 (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
    errno = before;
    return answer;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define ON_DESCRIPTOR(type, name, kind, descriptor, parameters, given) \
    type name parameters { \
        REAL(name); \
        if (counts(descriptor) && strikes(kind, NULL, descriptor)) return -1; \
        return real given; \
    }

#define ON_PATH(type, name, kind, failed, path, parameters, given) \
    type name parameters { \
        REAL(name); \
        if (strikes(kind, path, -1)) return failed; \
        return real given; \
    }

#define OPENS(name, path, parameters, given) \
    int name parameters { \
        REAL(name); \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { \
            va_list more; \
            va_start(more, flags); \
            mode = va_arg(more, mode_t); \
            va_end(more); \
        } \
        if (strikes(OPEN, path, -1)) return -1; \
        return real given; \
    }

OPENS(open, path, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, path, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, path, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPENS(openat64, path, (int at, const char *path, int flags, ...), (at, path, flags, mode))
ON_PATH(DIR *, opendir, OPEN, NULL, path, (const char *path), (path))

/* A disk becomes full in the middle of a write: half of it arrives. */
#define WRITES(name, parameters, given, half) \
    ssize_t name parameters { \
        REAL(name); \
        if (counts(descriptor) && strikes(WRITE, NULL, descriptor)) { \
            int error = errno; \
            if (error == ENOSPC && size > 1 && plan->lasting) real half; \
            errno = error; \
            return -1; \
        } \
        return real given; \
    }

WRITES(write, (int descriptor, const void *from, size_t size), (descriptor, from, size),
       (descriptor, from, size / 2))
WRITES(pwrite, (int descriptor, const void *from, size_t size, off_t at),
       (descriptor, from, size, at), (descriptor, from, size / 2, at))
WRITES(pwrite64, (int descriptor, const void *from, size_t size, off64_t at),
       (descriptor, from, size, at), (descriptor, from, size / 2, at))
ON_DESCRIPTOR(ssize_t, writev, WRITE, descriptor,
              (int descriptor, const struct iovec *parts, int number), (descriptor, parts, number))
ON_DESCRIPTOR(ssize_t, sendfile, WRITE, to, (int to, int from, off_t *at, size_t size),
              (to, from, at, size))
ON_DESCRIPTOR(ssize_t, sendfile64, WRITE, to, (int to, int from, off64_t *at, size_t size),
              (to, from, at, size))
ON_DESCRIPTOR(ssize_t, copy_file_range, WRITE, to,
              (int from, off64_t *at, int to, off64_t *there, size_t size, unsigned flags),
              (from, at, to, there, size, flags))

ON_DESCRIPTOR(ssize_t, read, READ, descriptor, (int descriptor, void *to, size_t size),
              (descriptor, to, size))
ON_DESCRIPTOR(ssize_t, pread, READ, descriptor, (int descriptor, void *to, size_t size, off_t at),
              (descriptor, to, size, at))
ON_DESCRIPTOR(ssize_t, pread64, READ, descriptor,
              (int descriptor, void *to, size_t size, off64_t at), (descriptor, to, size, at))

ON_DESCRIPTOR(int, fsync, SYNC, descriptor, (int descriptor), (descriptor))
ON_DESCRIPTOR(int, fdatasync, SYNC, descriptor, (int descriptor), (descriptor))

ON_PATH(int, rename, NAME, -1, to, (const char *from, const char *to), (from, to))
ON_PATH(int, link, NAME, -1, to, (const char *from, const char *to), (from, to))
ON_PATH(int, linkat, NAME, -1, to,
        (int at, const char *from, int there, const char *to, int flags),
        (at, from, there, to, flags))
ON_PATH(int, symlink, NAME, -1, to, (const char *from, const char *to), (from, to))
ON_PATH(int, unlink, UNLINK, -1, path, (const char *path), (path))
ON_PATH(int, rmdir, UNLINK, -1, path, (const char *path), (path))
ON_PATH(int, mkdir, FOLDER, -1, path, (const char *path, mode_t mode), (path, mode))

ON_DESCRIPTOR(int, ftruncate, TRUNCATE, descriptor, (int descriptor, off_t size),
              (descriptor, size))
ON_DESCRIPTOR(int, ftruncate64, TRUNCATE, descriptor, (int descriptor, off64_t size),
              (descriptor, size))
/* These return their error. */
int posix_fallocate(int descriptor, off_t from, off_t size) {
    REAL(posix_fallocate);
    return counts(descriptor) && strikes(TRUNCATE, NULL, descriptor) ? errno
                                                                    : real(descriptor, from, size);
}
int posix_fallocate64(int descriptor, off64_t from, off64_t size) {
    REAL(posix_fallocate64);
    return counts(descriptor) && strikes(TRUNCATE, NULL, descriptor) ? errno
                                                                    : real(descriptor, from, size);
}

/* The descriptor is closed even if that fails, as Linux does. */
int close(int descriptor) {
    REAL(close);
    int fails = counts(descriptor) && strikes(CLOSE, NULL, descriptor), error = errno;
    int answer = real(descriptor);
    if (!fails) return answer;
    errno = error;
    return -1;
}

/* Python waits forever for a thread that could not begin (python/cpython#140746), so memory runs
 * out in main threads only. */
#define MAPS(name, offset) \
    void *name(void *place, size_t size, int use, int flags, int descriptor, offset at) { \
        REAL(name); \
        if (armed && gettid() == getpid() && strikes(MEMORY, NULL, descriptor)) return MAP_FAILED; \
        return real(place, size, use, flags, descriptor, at); \
    }

MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

ON_PATH(pid_t, fork, PROCESS, -1, NULL, (void), ())
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
    REAL(pthread_create);
    return strikes(PROCESS, NULL, -1) ? errno : real(thread, how, run, with);
}
