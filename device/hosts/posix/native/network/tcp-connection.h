/*
 * A TCP connection below the class: a non-blocking socket in the event loop, with flow control by counts.
 *
 * Input: what the kernel has goes into a queue of 4 KiB and is announced once; while the queue is full the
 * kernel's own buffer fills and the peer waits. Output: sent at once where the kernel takes it, the rest
 * waits in a queue. `announced` is the room that the program believes in; more is announced as soon as
 * there is, but not before half of the queue is free, so that a slow peer costs no callback a byte.
 *
 *   connecting --> open --> ended (the peer has closed; onError once all input was read)
 *        \           \        |
 *         `-----------`-------`--> failed (output is dropped from here on; onBroken at once, onError as above)
 */
#ifndef SVC_TCP_CONNECTION_H
#define SVC_TCP_CONNECTION_H

#include "byte-queue.h"
#include "event-loop.h"
#include "machine.h"

enum { TCP_INPUT_BYTES = 4096, TCP_OUTPUT_BYTES = 4096 };

typedef enum { TCP_CONNECTING, TCP_OPEN, TCP_ENDED, TCP_FAILED } TcpPhase;

typedef struct {
	Source source;
	TcpPhase phase;
	bool isAdopted;			/* has callbacks, and is in the event loop */
	bool isBusy;			/* in its callbacks, after which the record is freed if close() was called */
	bool isClosed;
	bool isEndReported;
	bool isBreakReported;
	size_t announced;
	ByteQueue input;
	ByteQueue output;
	xsSlot self;
	xsSlot onReadable;
	xsSlot onWritable;
	xsSlot onError;
	xsSlot onBroken;
	uint8_t inputBytes[TCP_INPUT_BYTES];
	uint8_t outputBytes[TCP_OUTPUT_BYTES];
} Tcp;

/* Takes ownership of the socket. No callback runs before the connection is adopted. */
Tcp *tcp_connection_new(int fd, TcpPhase phase);

/* Updates what the event loop polls. Call it after every change of the queues. */
void tcp_watch(Tcp *tcp);

/* All or nothing: false if there is not enough room. */
bool tcp_send(Tcp *tcp, const uint8_t *bytes, size_t count);

/* Schedules a callback that no socket event will cause. */
void tcp_schedule_callbacks(Tcp *tcp);

/* Removes it from the event loop and closes the socket as its phase requires. Does not free the record. */
void tcp_close_socket(Tcp *tcp);

#endif
