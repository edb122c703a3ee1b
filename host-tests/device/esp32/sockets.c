/*
 * The desktop's TCP connections in the event loop of a board, over real sockets: the machine's task is this thread, and
 * another one polls for it. Prints each violation.
 */
#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "board-loop.h"
#include "event-loop.h"
#include "machine-task.h"
#include "tcp-connection.h"

enum { ANSWER_BYTES = 300000, CONNECTIONS = 24, ROUNDS = 20, QUIET_MS = 30 };

/* A connection of the program's; callbacks of tests are in C. */
typedef struct Peer Peer;
struct Peer {
	Tcp *tcp;
	int client;
	void (*onReadable)(Peer *peer, size_t count);
	void (*onWritable)(Peer *peer, size_t room);
	void (*onEnd)(Peer *peer);
	size_t sent, room;
	bool hasEnded;
};

static Peer peers[CONNECTIONS];

static Peer *peer_of(xsSlot *self)
{
	for (Peer *peer = peers; peer < peers + CONNECTIONS; peer++) {
		if (peer->tcp && self == &peer->tcp->self)
			return peer;
	}
	fail("a callback of a closed connection", 0);
	exit(1);
}

void machine_call_count(xsSlot *self, xsSlot *function, xsIntegerValue argument)
{
	Peer *peer = peer_of(self);
	if (function == &peer->tcp->onReadable && peer->onReadable)
		peer->onReadable(peer, argument);
	else if (function == &peer->tcp->onWritable && peer->onWritable)
		peer->onWritable(peer, argument);
}

void machine_call(xsSlot *self, xsSlot *function)
{
	Peer *peer = peer_of(self);
	(void)function;
	if (peer->onEnd)
		peer->onEnd(peer);
}

static uint8_t byte_at(size_t index)
{
	return (uint8_t)(index * 7 + index / 256);
}

/* As xs_tcp_constructor with `from` (device/hosts/posix/native/network/tcp.c). */
static void adopt(Peer *peer, int fd)
{
	peer->tcp = tcp_connection_new(fd, TCP_OPEN);
	peer->tcp->isAdopted = true;
	peer->tcp->source.deferred = true;
	tcp_watch(peer->tcp);
	event_loop_add(&peer->tcp->source);
}

/* As xs_tcp_close. */
static void close_peer(Peer *peer)
{
	Tcp *tcp = peer->tcp;
	peer->tcp = NULL;
	tcp_close_socket(tcp);
	tcp->isClosed = true;
	if (!tcp->isBusy)
		free(tcp);
}

/* As xs_tcp_write. */
static void write_to(Peer *peer, const uint8_t *bytes, size_t count)
{
	if (!tcp_send(peer->tcp, bytes, count))
		fail("no room where there should be", (int)count);
	tcp_schedule_callbacks(peer->tcp);
	tcp_watch(peer->tcp);
}

/* As xs_tcp_read. */
static size_t read_from(Peer *peer, uint8_t *bytes)
{
	const size_t count = peer->tcp->input.length;
	memcpy(bytes, byte_queue_head(&peer->tcp->input), count);
	byte_queue_drop(&peer->tcp->input, count);
	tcp_schedule_callbacks(peer->tcp);
	tcp_watch(peer->tcp);
	return count;
}

/* @returns the console's side of a connection over the loopback, which does not block; `client` is the other side */
static int connect_pair(int *client)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM, 0), few = 8192;
	setsockopt(listener, SOL_SOCKET, SO_SNDBUF, &few, sizeof(few));
	if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1) != 0)
		abort();
	getsockname(listener, (struct sockaddr *)&address, &length);
	*client = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(*client, SOL_SOCKET, SO_RCVBUF, &few, sizeof(few));
	if (connect(*client, (struct sockaddr *)&address, length) != 0)
		abort();
	const int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	close(listener);
	return fd;
}

static Peer *open_peer(int index)
{
	Peer *peer = &peers[index];
	*peer = (Peer){ 0 };
	const int fd = connect_pair(&peer->client);
	adopt(peer, fd);
	return peer;
}

static void settle(void)
{
	while (service(QUIET_MS))
		;
	wait_for_poller();
}

/* A peer that closes its side, and then reads the whole answer. */

static atomic_bool isReadToEnd;

static void *read_answer(void *context)
{
	const int client = *(int *)context;
	uint8_t bytes[3000];
	size_t at = 0;
	ssize_t count;
	while ((count = recv(client, bytes, sizeof(bytes), 0)) > 0) {
		for (ssize_t index = 0; index < count; index++, at++) {
			if (bytes[index] != byte_at(at))
				fail("another byte than was sent", (int)at);
		}
	}
	if (count < 0 || at != ANSWER_BYTES)
		fail("an answer of so many bytes", (int)at);
	isReadToEnd = true;
	return NULL;
}

static void send_answer(Peer *peer)
{
	uint8_t bytes[TCP_OUTPUT_BYTES];
	size_t count = ANSWER_BYTES - peer->sent < peer->room ? ANSWER_BYTES - peer->sent : peer->room;
	for (size_t index = 0; index < count; index++)
		bytes[index] = byte_at(peer->sent + index);
	write_to(peer, bytes, count);
	peer->sent += count;
	peer->room -= count;
	if (peer->sent == ANSWER_BYTES)
		close_peer(peer);
}

static void note_room(Peer *peer, size_t room)
{
	peer->room = room;
	if (peer->hasEnded)
		send_answer(peer);
}

static void note_end(Peer *peer)
{
	peer->hasEnded = true;
}

static void drop_input(Peer *peer, size_t count)
{
	uint8_t bytes[TCP_INPUT_BYTES];
	if (read_from(peer, bytes) != count)
		fail("not as much input as was announced", (int)count);
}

static bool is_ended(void) { return peers[0].hasEnded; }
static bool is_read_to_end(void) { return isReadToEnd; }

/* @param isInCallback whether the program answers in the callback of the end, or in a turn of the SDK's own later */
static void answer_half_closed_peer(bool isInCallback)
{
	pthread_t reader;
	Peer *peer = open_peer(0);
	isReadToEnd = false;
	peer->onReadable = drop_input;
	peer->onWritable = note_room;
	peer->onEnd = note_end;
	settle();
	if (send(peer->client, "GET / HTTP/1.0\r\n\r\n", 18, 0) != 18 || shutdown(peer->client, SHUT_WR) != 0)
		abort();
	service_until(is_ended);
	if (!isInCallback)
		settle();
	pthread_create(&reader, NULL, read_answer, &peer->client);
	send_answer(peer);
	service_until(is_read_to_end);
	pthread_join(reader, NULL);
	close(peer->client);
	settle();
}

/* Many connections, each of which gets its own bytes back. */

static int echoed;

static void echo(Peer *peer, size_t count)
{
	uint8_t bytes[TCP_INPUT_BYTES];
	write_to(peer, bytes, read_from(peer, bytes));
	echoed += (int)count;
}

static int expectedEchoes;
static bool are_echoed(void) { return echoed == expectedEchoes; }

static void echo_many(void)
{
	echoed = expectedEchoes = 0;
	for (int index = 0; index < CONNECTIONS; index++)
		open_peer(index)->onReadable = echo;
	settle();
	for (int round = 0; round < ROUNDS; round++) {
		for (int index = 0; index < CONNECTIONS; index++) {
			const int pair[2] = { index, round };
			if (send(peers[index].client, pair, sizeof(pair), 0) != sizeof(pair))
				abort();
			expectedEchoes += sizeof(pair);
		}
		service_until(are_echoed);
		for (int index = 0; index < CONNECTIONS; index++) {
			int pair[2];
			if (recv(peers[index].client, pair, sizeof(pair), MSG_WAITALL) != sizeof(pair)
					|| pair[0] != index || pair[1] != round)
				fail("not its own bytes", index);
		}
	}
}

/* A descriptor that is ready is polled once, however long the machine's task takes. */
static void do_not_flood(void)
{
	settle();
	const int before = polls();
	expectedEchoes += 1;
	if (send(peers[0].client, "x", 1, 0) != 1)
		abort();
	while (polls() == before)
		usleep(1000);
	usleep(QUIET_MS * 1000);
	if (polls() != before + 1)
		fail("polls while a callback is due", polls() - before);
	service_until(are_echoed);
}

/* In a turn in which all are ready, the first callback closes the others, itself too. */
static void close_all(Peer *peer, size_t count)
{
	(void)peer, (void)count;
	for (int index = 0; index < CONNECTIONS; index++)
		close_peer(&peers[index]);
}

static bool are_closed(void) { return !peers[0].tcp; }

static void remove_in_callback(void)
{
	for (int index = 0; index < CONNECTIONS; index++) {
		peers[index].onReadable = close_all;
		if (send(peers[index].client, "x", 1, 0) != 1)
			abort();
	}
	service_until(are_closed);
	for (int index = 0; index < CONNECTIONS; index++)
		close(peers[index].client);
	settle();
}

/* Sources of their own, for what no connection does. */

static int calls;
static short lastEvents;

static void note_call(Source *source, short revents)
{
	calls++;
	lastEvents = revents;
	event_loop_watch(source, 0);
}

/* While the poller waits, a descriptor is closed, and its number becomes another's, which nobody watches. */
static void close_while_polled(void)
{
	for (int round = 0; round < 200; round++) {
		int ends[2], others[2];
		if (pipe(ends) != 0)
			abort();
		Source source = { .fd = ends[0], .events = POLLIN, .ready = note_call };
		event_loop_add(&source);
		while (service(1))
			;
		wait_for_poller();
		if (round % 2)		// it becomes ready just before
			(void)!write(ends[1], "x", 1);
		calls = 0;
		event_loop_remove(&source);
		close(ends[0]);
		if (pipe(others) != 0)
			abort();
		(void)!write(others[1], "x", 1);
		while (service(1))
			;
		if (calls)
			fail("called back after its removal", round);
		close(others[0]);
		close(others[1]);
		close(ends[1]);
	}
}

/* The queue is full: the poller waits for it, and the machine's task must not wait for the poller. */
static void change_with_full_queue(void)
{
	int ends[2];
	if (pipe(ends) != 0)
		abort();
	Source source = { .fd = ends[0], .events = POLLIN, .ready = note_call };
	event_loop_add(&source);
	settle();
	set_full(true, true);
	calls = 0;
	(void)!write(ends[1], "x", 1);
	wait_for_refusal();
	event_loop_watch(&source, 0);
	event_loop_remove(&source);
	close(ends[0]);
	close(ends[1]);
	set_full(false, false);
	settle();
	if (calls)
		fail("called back after its removal, with a full queue", calls);
}

/* Changes and posts at any moment, each of which leads to a callback. */

enum { POSTERS = 3, POSTS = 1000, CHANGES = 3000 };

static int postsRun;
static void count_post(void *context)
{
	(void)context;
	postsRun++;
}

static void *post(void *context)
{
	unsigned int seed = (unsigned int)(uintptr_t)context;
	for (int index = 0; index < POSTS; index++) {
		event_loop_post(count_post, NULL);
		usleep(rand_r(&seed) % 300);
	}
	return NULL;
}

static bool is_called(void) { return calls > 0; }
static bool are_posts_run(void) { return postsRun == POSTERS * POSTS; }

static void lose_no_wake_up(void)
{
	pthread_t posters[POSTERS];
	int ends[2];
	unsigned int seed = 1;
	if (pipe(ends) != 0)
		abort();
	for (uintptr_t index = 0; index < POSTERS; index++)
		pthread_create(&posters[index], NULL, post, (void *)(index + 1));
	Source source = { .fd = ends[0], .ready = note_call };
	event_loop_add(&source);
	for (int round = 0; round < CHANGES; round++) {
		calls = 0;
		const int kind = rand_r(&seed) % 3;
		if (kind == 0)
			event_loop_defer(&source);
		else if (kind == 1)
			event_loop_watch(&source, POLLIN);
		else {
			event_loop_remove(&source);
			source.events = POLLIN;
			event_loop_add(&source);
		}
		if (kind > 0)
			(void)!write(ends[1], "x", 1);
		service_until(is_called);
		if (kind > 0 && !(lastEvents & POLLIN))
			fail("called back for nothing", kind);
		char byte;
		if (kind > 0)
			(void)!read(ends[0], &byte, 1);
		usleep(rand_r(&seed) % 100);
	}
	event_loop_remove(&source);
	service_until(are_posts_run);
	for (int index = 0; index < POSTERS; index++)
		pthread_join(posters[index], NULL);
	close(ends[0]);
	close(ends[1]);
}

/* A deadline that is set while the poller waits without end, and an earlier one. */

static double lateAt, earlyAt;
static void note_late(Deadline *deadline) { (void)deadline; lateAt = event_loop_now(); }
static void note_early(Deadline *deadline) { (void)deadline; earlyAt = event_loop_now(); }
static bool are_over(void) { return lateAt > 0; }

static void keep_deadlines(void)
{
	Deadline late = { .ready = note_late }, early = { .ready = note_early };
	settle();
	const double now = event_loop_now();
	event_loop_set(&late, now + 120);
	while (service(5))
		;
	wait_for_poller();
	event_loop_set(&early, now + 60);
	service_until(are_over);
	if (earlyAt < now + 60 || earlyAt > lateAt || lateAt < now + 120)
		fail("milliseconds of a deadline of 120", (int)(lateAt - now));
}

/* poll() fails for a while, which looks like nothing. */
static void survive_failing_polls(void)
{
	int ends[2];
	if (pipe(ends) != 0)
		abort();
	Source source = { .fd = ends[0], .events = POLLIN, .ready = note_call };
	settle();
	calls = 0;
	fail_polls(3);
	event_loop_add(&source);
	while (service(QUIET_MS))
		;
	if (calls)
		fail("called back by a poll() that failed", calls);
	(void)!write(ends[1], "x", 1);
	service_until(is_called);
	event_loop_remove(&source);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	board_loop_start();
	answer_half_closed_peer(false);
	answer_half_closed_peer(true);
	echo_many();
	do_not_flood();
	remove_in_callback();
	close_while_polled();
	change_with_full_queue();
	lose_no_wake_up();
	keep_deadlines();
	survive_failing_polls();
	return failures > 0;
}
