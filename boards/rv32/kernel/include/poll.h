/* POSIX poll() (poll.c), which is where the console waits: for its other threads, for time, and for the script. */
#ifndef SVC_POLL_H
#define SVC_POLL_H

enum {
	POLLIN = 0x01,
	POLLPRI = 0x02,			/* USB port only: no host is plugged in (usb.h) */
	POLLOUT = 0x04,
	POLLERR = 0x08,
	POLLHUP = 0x10,
	POLLNVAL = 0x20,
};

typedef unsigned int nfds_t;

struct pollfd {
	int fd;					/* negative: ignored */
	short events;
	short revents;
};

/* Only for the machine's thread. Does not return after the end of the script. */
int poll(struct pollfd *descriptors, nfds_t count, int timeoutMs);

#endif
