/*
 * File descriptors of ours: of sockets, counters and the USB port. close(), read() and write() know them by their
 * numbers, which begin where those of the host's files end.
 */
#ifndef SVC_DESCRIPTORS_H
#define SVC_DESCRIPTORS_H

#include <stddef.h>
#include <sys/types.h>

/* What a kind of descriptor does. Each returns what its function of POSIX does, with errno. */
typedef struct {
	ssize_t (*read)(void *object, void *bytes, size_t count);
	ssize_t (*write)(void *object, const void *bytes, size_t count);
	short (*ready)(void *object);		/* what of POLLIN, POLLOUT, POLLERR and POLLHUP holds now */
	void (*close)(void *object);
} DescriptorKind;

/* @returns -1 with EMFILE where there are too many; the object remains the caller's then */
int descriptor_open(const DescriptorKind *kind, void *object);

/* The object of a descriptor of that kind. @returns NULL with EBADF, or with `otherKind` where it is of another */
void *descriptor_object(int fd, const DescriptorKind *kind, int otherKind);

/* What holds of a descriptor; POLLNVAL where it is none of ours. */
short descriptor_ready(int fd);

#endif
