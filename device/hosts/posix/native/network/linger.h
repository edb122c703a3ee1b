/*
 * Connections that the program has closed and that still have something to say. They outlive the
 * machine, so that an answer reaches its client although the console restarts right after it.
 */
#ifndef SVC_LINGER_H
#define SVC_LINGER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Takes the socket and sends a copy of `bytes`, then closes once the peer has closed too, which it is
 * given a moment for: closing with unread input would reset the connection, and the peer would lose
 * what it has not read yet (RFC 9112 §9.6).
 */
void linger(int fd, const uint8_t *bytes, size_t byteLength);

/* Before the process ends: runs the event loop until the kernel has everything, which is bounded in time. */
void linger_drain(void);

#endif
