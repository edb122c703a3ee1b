/*
 * Our own file descriptors: sockets, counters and the USB port. close(), read() and write() recognise them by their
 * numbers, which are above those of the host's files.
 */
#ifndef SVC_DESCRIPTORS_H
#define SVC_DESCRIPTORS_H

#include <stddef.h>
#include <sys/types.h>

/* The operations of a kind of descriptor. Each returns what the POSIX function returns, with errno. */
typedef struct {
	ssize_t (*read)(void *object, void *bytes, size_t count);
	ssize_t (*write)(void *object, const void *bytes, size_t count);
	short (*ready)(void *object);		/* which of POLLIN, POLLOUT, POLLERR and POLLHUP are set now */
	void (*close)(void *object);
} DescriptorKind;

/* @returns -1 with EMFILE if there are too many; then the caller keeps the object */
int descriptor_open(const DescriptorKind *kind, void *object);

/*
 * The object of a descriptor of that kind.
 * @returns NULL with EBADF, or with `otherKind` if the descriptor is of another kind
 */
void *descriptor_object(int fd, const DescriptorKind *kind, int otherKind);

/* The events that are set; POLLNVAL unless it is one of our descriptors. */
short descriptor_ready(int fd);

#endif
