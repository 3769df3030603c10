/* Writes down every change that a program makes to files below $POWERCUT_ROOT, in order, into $POWERCUT_TRACE.

   Loaded with LD_PRELOAD. A record is a header (see struct record), a path and the bytes written; test_powercut.py
   reads them and builds the disks that a power cut could leave behind. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

struct record {
    uint32_t op; /* 'c'reate 'w'rite 't'runcate 's'ync 'r'ename 'u'nlink 'm'kdir */
    uint32_t path_bytes;
    uint64_t inode, offset, data_bytes;
};

static int trace_fd = -1;
static const char *root;

__attribute__((constructor)) static void begin(void) {
    root = getenv("POWERCUT_ROOT");
    const char *trace = getenv("POWERCUT_TRACE");
    if (root && trace)
        trace_fd = syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_CREAT | O_APPEND, 0644);
}

static int ours(const char *path) { return trace_fd >= 0 && root && !strncmp(path, root, strlen(root)); }

static void put(const void *data, size_t bytes) {
    const char *at = data;
    while (bytes) {
        ssize_t done = syscall(SYS_write, trace_fd, at, bytes);
        if (done <= 0) abort();
        at += done;
        bytes -= done;
    }
}

static void note(char op, uint64_t inode, const char *path, uint64_t offset, const void *data, size_t bytes) {
    int kept = errno;
    struct record head = {(uint32_t)op, (uint32_t)strlen(path), inode, offset, bytes};
    put(&head, sizeof head);
    put(path, head.path_bytes);
    if (bytes) put(data, bytes);
    errno = kept;
}

static int known(int fd, char *path, uint64_t *inode) {
    char link[64];
    struct stat st;
    int kept = errno;
    if (trace_fd < 0 || fd < 0) return 0;
    strcpy(link, "/proc/self/fd/");
    char digits[12];
    int n = 0, value = fd;
    do digits[n++] = '0' + value % 10; while (value /= 10);
    char *end = link + strlen(link);
    while (n) *end++ = digits[--n];
    *end = 0;
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    if (length <= 0) { errno = kept; return 0; }
    path[length] = 0;
    char *gone = strstr(path, " (deleted)");
    if (gone) *gone = 0;
    if (!ours(path) || fstat(fd, &st)) { errno = kept; return 0; }
    *inode = st.st_ino;
    errno = kept;
    return 1;
}

static int opened(int dir, const char *path, int flags, mode_t mode) {
    int was_there = !faccessat(dir, path, F_OK, 0);
    int fd = syscall(SYS_openat, dir, path, flags, mode);
    char full[PATH_MAX];
    uint64_t inode;
    if (fd >= 0 && known(fd, full, &inode)) {
        if ((flags & O_CREAT) && !was_there) note('c', inode, full, 0, 0, 0);
        else if (flags & O_TRUNC) note('t', inode, full, 0, 0, 0);
    }
    return fd;
}

#define OPEN(name)                                            \
    int name(const char *path, int flags, ...) {              \
        va_list rest;                                         \
        va_start(rest, flags);                                \
        mode_t mode = flags & O_CREAT ? va_arg(rest, int) : 0; \
        va_end(rest);                                         \
        return opened(AT_FDCWD, path, flags, mode);           \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                          \
    int name(int dir, const char *path, int flags, ...) {     \
        va_list rest;                                         \
        va_start(rest, flags);                                \
        mode_t mode = flags & O_CREAT ? va_arg(rest, int) : 0; \
        va_end(rest);                                         \
        return opened(dir, path, flags, mode);                \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int fd, const void *data, size_t bytes) {
    char path[PATH_MAX];
    uint64_t inode;
    struct stat st;
    int mine = known(fd, path, &inode);
    off_t at = mine ? syscall(SYS_lseek, fd, 0, SEEK_CUR) : 0;
    if (mine && (fcntl(fd, F_GETFL) & O_APPEND) && !fstat(fd, &st)) at = st.st_size;
    ssize_t done = syscall(SYS_write, fd, data, bytes);
    if (mine && done > 0) note('w', inode, path, at, data, done);
    return done;
}

#define PWRITE(name)                                                   \
    ssize_t name(int fd, const void *data, size_t bytes, off_t at) {   \
        char path[PATH_MAX];                                           \
        uint64_t inode;                                                \
        ssize_t done = syscall(SYS_pwrite64, fd, data, bytes, at);     \
        if (done > 0 && known(fd, path, &inode)) note('w', inode, path, at, data, done); \
        return done;                                                   \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define TRUNCATE(name)                                          \
    int name(int fd, off_t size) {                              \
        char path[PATH_MAX];                                    \
        uint64_t inode;                                         \
        int done = syscall(SYS_ftruncate, fd, size);            \
        if (!done && known(fd, path, &inode)) note('t', inode, path, size, 0, 0); \
        return done;                                            \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define SYNC(name, call)                                        \
    int name(int fd) {                                          \
        char path[PATH_MAX];                                    \
        uint64_t inode;                                         \
        int done = syscall(call, fd);                           \
        if (!done && known(fd, path, &inode)) note('s', inode, path, 0, 0, 0); \
        return done;                                            \
    }
SYNC(fsync, SYS_fsync)
SYNC(fdatasync, SYS_fdatasync)

int rename(const char *from, const char *to) {
    int done = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (!done && ours(from)) note('r', 0, from, 0, to, strlen(to));
    return done;
}

int unlink(const char *path) {
    int done = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (!done && ours(path)) note('u', 0, path, 0, 0, 0);
    return done;
}

int mkdir(const char *path, mode_t mode) {
    int done = syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (!done && ours(path)) note('m', 0, path, 0, 0, 0);
    return done;
}
