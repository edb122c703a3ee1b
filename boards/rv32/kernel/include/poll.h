/* poll() of POSIX (poll.c), which is where the console waits: for its other threads, for time, and for the script. */
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
	int fd;					/* negative: nothing is asked */
	short events;
	short revents;
};

/* For the machine's thread alone. Does not come back once the script is over. */
int poll(struct pollfd *descriptors, nfds_t count, int timeoutMs);

#endif
