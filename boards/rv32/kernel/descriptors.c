/* A table of our own (descriptors.h); other descriptors are files of the host, by semihosting. */
#include "descriptors.h"

#include <errno.h>
#include <poll.h>
#include <semihost.h>
#include <unistd.h>

/* The host numbers its files from 0; it will not have a thousand of them open. */
enum { FIRST_DESCRIPTOR = 1000, MAXIMUM_DESCRIPTORS = 64 };

typedef struct {
	const DescriptorKind *kind;		/* NULL: not open */
	void *object;
} Descriptor;

static Descriptor descriptors[MAXIMUM_DESCRIPTORS];

int descriptor_open(const DescriptorKind *kind, void *object)
{
	for (int index = 0; index < MAXIMUM_DESCRIPTORS; index++) {
		if (descriptors[index].kind)
			continue;
		descriptors[index] = (Descriptor){ kind, object };
		return FIRST_DESCRIPTOR + index;
	}
	errno = EMFILE;
	return -1;
}

static Descriptor *find(int fd)
{
	int index = fd - FIRST_DESCRIPTOR;
	if (index >= 0 && index < MAXIMUM_DESCRIPTORS && descriptors[index].kind)
		return &descriptors[index];
	errno = EBADF;
	return NULL;
}

void *descriptor_object(int fd, const DescriptorKind *kind, int otherKind)
{
	Descriptor *descriptor = find(fd);
	if (descriptor && descriptor->kind == kind)
		return descriptor->object;
	if (descriptor)
		errno = otherKind;
	return NULL;
}

short descriptor_ready(int fd)
{
	Descriptor *descriptor = find(fd);
	return descriptor ? descriptor->kind->ready(descriptor->object) : POLLNVAL;
}

ssize_t read(int fd, void *bytes, size_t count)
{
	if (fd < FIRST_DESCRIPTOR)
		return (ssize_t)(count - sys_semihost_read(fd, bytes, count));
	Descriptor *descriptor = find(fd);
	return descriptor ? descriptor->kind->read(descriptor->object, bytes, count) : -1;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
	if (fd < FIRST_DESCRIPTOR)
		return (ssize_t)(count - sys_semihost_write(fd, bytes, count));
	Descriptor *descriptor = find(fd);
	return descriptor ? descriptor->kind->write(descriptor->object, bytes, count) : -1;
}

int close(int fd)
{
	if (fd < FIRST_DESCRIPTOR)
		return sys_semihost_close(fd);
	Descriptor *descriptor = find(fd);
	if (!descriptor)
		return -1;
	const Descriptor closed = *descriptor;
	*descriptor = (Descriptor){ 0 };
	closed.kind->close(closed.object);
	return 0;
}
