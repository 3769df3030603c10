/* Stands in for /dev/dma_heap in a process that has none: memory from memfd, the DMA buffer calls always succeed.
 * For LD_PRELOAD, where libcamera's virtual camera and picamera2 run on a machine whose kernel has no dma heap. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

struct allocation {
	uint64_t len;
	uint32_t fd, fd_flags;
	uint64_t heap_flags;
};
#define ALLOCATE _IOWR('H', 0, struct allocation)

static int is_heap(const char *path) { return path && strcmp(path, "/dev/dma_heap/linux,cma") == 0; }

static int opened(const char *name, const char *path, int flags, mode_t mode)
{
	if (is_heap(path))
		return memfd_create("heap", MFD_CLOEXEC);
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
	return real(path, flags, mode);
}

#define OPENED(name)                                                                                                   \
	int name(const char *path, int flags, ...)                                                                     \
	{                                                                                                              \
		va_list rest;                                                                                          \
		va_start(rest, flags);                                                                                 \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                \
		va_end(rest);                                                                                          \
		return opened(#name, path, flags, mode);                                                               \
	}
OPENED(open)
OPENED(open64)

int ioctl(int fd, unsigned long request, ...)
{
	va_list rest;
	va_start(rest, request);
	void *argument = va_arg(rest, void *);
	va_end(rest);
	if ((uint32_t)request == (uint32_t)ALLOCATE) {
		struct allocation *wanted = argument;
		int memory = memfd_create("buffer", MFD_CLOEXEC);
		if (memory < 0 || ftruncate(memory, (off_t)wanted->len) < 0)
			return -1;
		wanted->fd = (uint32_t)memory;
		return 0;
	}
	if (_IOC_TYPE(request) == 'b') /* naming a buffer, and handing it to and fro */
		return 0;
	int (*real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	return real(fd, request, argument);
}

/* operator new(unsigned long): zeroed memory. libcamera 0.4's virtual camera never sets a frame's status, so that it is
 * whatever stood there; picamera2 throws away every frame whose status is not 0, and waits for ever. */
void *_Znwm(size_t size) { return calloc(1, size ? size : 1); }
