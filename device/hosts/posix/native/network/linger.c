/* A list of sockets without an owner (linger.h). */
#include "linger.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "event-loop.h"

/* Time to send the remaining bytes and to wait for the peer to close. */
static const double LINGER_MS = 500;
/* More than this many at once means that peers never close; then the oldest one is closed. */
enum { MAXIMUM_LINGERING = 32 };

typedef struct Lingering Lingering;
struct Lingering {
	Source source;
	Deadline deadline;
	size_t byteLength;
	size_t sent;
	bool isShut;
	Lingering *next;
	uint8_t bytes[];
};

static Lingering *first;		/* oldest first */

static void end_lingering(Lingering *lingering)
{
	Lingering **link = &first;
	while (*link != lingering)
		link = &(*link)->next;
	*link = lingering->next;
	event_loop_remove(&lingering->source);
	event_loop_clear(&lingering->deadline);
	close(lingering->source.fd);
	free(lingering);
}

static void end_late(Deadline *deadline)
{
	end_lingering((Lingering *)((uint8_t *)deadline - offsetof(Lingering, deadline)));
}

/* @returns false if the connection has failed */
static bool send_rest(Lingering *lingering)
{
	while (lingering->sent < lingering->byteLength) {
		ssize_t sent = send(lingering->source.fd, lingering->bytes + lingering->sent,
			lingering->byteLength - lingering->sent, MSG_NOSIGNAL);
		if (sent < 0)
			return errno == EAGAIN || errno == EINTR;
		lingering->sent += sent;
	}
	if (!lingering->isShut) {
		lingering->isShut = true;
		event_loop_watch(&lingering->source, POLLIN);
		shutdown(lingering->source.fd, SHUT_WR);
	}
	return true;
}

/* @returns false if the peer has closed */
static bool discard_input(Lingering *lingering)
{
	uint8_t bytes[4096];
	ssize_t received = recv(lingering->source.fd, bytes, sizeof(bytes), 0);
	return received > 0 || (received < 0 && (errno == EAGAIN || errno == EINTR));
}

static void lingering_ready(Source *source, short revents)
{
	Lingering *lingering = (Lingering *)source;
	bool goesOn = send_rest(lingering);
	if (goesOn && lingering->isShut && revents)
		goesOn = discard_input(lingering);
	if (!goesOn || (revents & POLLERR))
		end_lingering(lingering);
}

static void make_room(void)
{
	int count = 0;
	for (Lingering *lingering = first; lingering; lingering = lingering->next)
		count++;
	if (count >= MAXIMUM_LINGERING)
		end_lingering(first);
}

void linger(int fd, const uint8_t *bytes, size_t byteLength)
{
	make_room();
	Lingering *lingering = calloc(1, sizeof(Lingering) + byteLength);
	if (!lingering) {
		ssize_t ignored = send(fd, bytes, byteLength, MSG_DONTWAIT | MSG_NOSIGNAL);		// no memory: send without waiting
		(void)ignored;
		close(fd);
		return;
	}
	lingering->source = (Source){ .fd = fd, .events = POLLOUT, .ready = lingering_ready };
	lingering->deadline.ready = end_late;
	lingering->byteLength = byteLength;
	if (byteLength)
		memcpy(lingering->bytes, bytes, byteLength);
	Lingering **link = &first;
	while (*link)
		link = &(*link)->next;
	*link = lingering;
	event_loop_add(&lingering->source);
	event_loop_set(&lingering->deadline, event_loop_now() + LINGER_MS);
	if (!send_rest(lingering))
		end_lingering(lingering);
}

static bool has_unsent(void)
{
	for (Lingering *lingering = first; lingering; lingering = lingering->next) {
		if (!lingering->isShut)
			return true;
	}
	return false;
}

void linger_drain(void)
{
	double until = event_loop_now() + LINGER_MS;
	while (has_unsent() && event_loop_now() < until)
		event_loop_turn(until);
	while (first) {
		discard_input(first);
		end_lingering(first);
	}
}
