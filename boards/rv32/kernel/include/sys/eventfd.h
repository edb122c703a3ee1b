/* A counter behind a descriptor, as in Linux (eventfd.c): readable while it is not 0. */
#ifndef SVC_SYS_EVENTFD_H
#define SVC_SYS_EVENTFD_H

enum { EFD_NONBLOCK = 0x1, EFD_CLOEXEC = 0x2 };

/* @returns -1 with errno set; EINVAL without EFD_NONBLOCK: blocking counters are not supported */
int eventfd(unsigned int count, int flags);

#endif
