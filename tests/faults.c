/* Loaded before the C library: one of the calls that change files under a folder fails, or kills.
 *
 * fault_arm(folder, kind, number, lasting) begins to count in this process. Call `number` fails
 * with errno `kind`, and with `lasting` all after it; kind 0 only counts; kind -1 kills the process,
 * a write after some
 * of its pages: the kernel does not stop inside one. fault_count() says how many calls there were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096];
static int kind, number, lasting, calls;
static pid_t armed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void fault_arm(const char *under, int what, int at, int from_there_on) {
    strncpy(folder, under, sizeof folder - 1);
    kind = what, number = at, lasting = from_there_on, calls = 0;
    armed = getpid();
}

int fault_count(void) { return calls; }

static int below(const char *path) { return path && !strncmp(path, folder, strlen(folder)); }

static int counts(int fd) {
    char link[64], path[4096];
    if (armed != getpid()) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return below(path);
}

/* 0: go on; 1: errno is set, fail; 2: die. */
static int strikes(void) {
    pthread_mutex_lock(&lock);
    int now = ++calls;
    pthread_mutex_unlock(&lock);
    if (!kind || (lasting ? now < number : now != number)) return 0;
    if (kind < 0) return 2;
    errno = kind;
    return 1;
}

static void die(void) { kill(getpid(), SIGKILL); }

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = dlsym(RTLD_NEXT, name)

#define WRITE(name, extra, pass) \
    ssize_t name(int fd, const void *data, size_t size extra) { \
        REAL(ssize_t, #name, int, const void *, size_t extra); \
        int hit = counts(fd) ? strikes() : 0; \
        if (hit == 1) return -1; \
        if (hit == 2) { real(fd, data, size / 2 / 4096 * 4096 pass); die(); } \
        return real(fd, data, size pass); \
    }
#define COMMA ,
WRITE(write, , )
WRITE(pwrite, COMMA off_t at, COMMA at)
WRITE(pwrite64, COMMA off64_t at, COMMA at)

#define PLAIN(type, name, given, pass, concerned) \
    int name given { \
        REAL(int, #name, type); \
        int hit = armed == getpid() && (concerned) ? strikes() : 0; \
        if (hit == 1) return -1; \
        if (hit == 2) die(); \
        return real pass; \
    }
#define ONE(...) __VA_ARGS__
PLAIN(int, fsync, (int fd), (fd), counts(fd))
PLAIN(int, fdatasync, (int fd), (fd), counts(fd))
PLAIN(ONE(int, off_t), ftruncate, (int fd, off_t size), (fd, size), counts(fd))
PLAIN(ONE(int, off64_t), ftruncate64, (int fd, off64_t size), (fd, size), counts(fd))
PLAIN(ONE(const char *, const char *), rename, (const char *a, const char *b), (a, b), below(b))
PLAIN(const char *, unlink, (const char *path), (path), below(path))
PLAIN(ONE(const char *, mode_t), mkdir, (const char *path, mode_t mode), (path, mode), below(path))

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        int new = armed == getpid() && flags & O_CREAT && below(path) && access(path, F_OK); \
        int hit = new ? strikes() : 0; \
        if (hit == 1) return -1; \
        if (hit == 2) die(); \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
