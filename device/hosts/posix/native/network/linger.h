/*
 * Connections that the program has closed before all output was sent. They outlive the machine, so that a response
 * reaches its client although the console restarts right after it.
 */
#ifndef SVC_LINGER_H
#define SVC_LINGER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Takes ownership of the socket and sends a copy of `bytes`. Closes after the peer has closed, or after a short time:
 * closing with unread input would reset the connection, and the peer would lose data that it has not read yet (RFC
 * 9112 §9.6).
 */
void linger(int fd, const uint8_t *bytes, size_t byteLength);

/* Before the process ends: runs the event loop until the kernel has all output, for a limited time. */
void linger_drain(void);

#endif
