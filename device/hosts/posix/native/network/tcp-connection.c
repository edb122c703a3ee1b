/* Socket events and their callbacks (tcp-connection.h). */
#include "tcp-connection.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "linger.h"
#include "outside-work.h"

static bool is_connected(const Tcp *tcp)
{
	return tcp->phase == TCP_OPEN || tcp->phase == TCP_ENDED;
}

void tcp_watch(Tcp *tcp)
{
	bool wantsInput = tcp->phase == TCP_OPEN && byte_queue_room(&tcp->input) > 0;
	bool wantsOutput = tcp->phase == TCP_CONNECTING || (tcp->phase != TCP_FAILED && tcp->output.length > 0);
	// A connection that waits for neither can fail as well.
	event_loop_watch(&tcp->source,
			(wantsInput ? POLLIN : 0) | (wantsOutput ? POLLOUT : 0) | (is_connected(tcp) ? POLLHUP : 0));
}

static void fail(Tcp *tcp)
{
	tcp->phase = TCP_FAILED;
	byte_queue_clear(&tcp->output);
}

static size_t send_now(Tcp *tcp, const uint8_t *bytes, size_t count)
{
	ssize_t sent = count > 0 ? send(tcp->source.fd, bytes, count, MSG_NOSIGNAL) : 0;
	if (sent < 0 && errno != EAGAIN && errno != EINTR)
		fail(tcp);
	return sent < 0 ? 0 : (size_t)sent;
}

/* @returns whether bytes were received */
static bool receive(Tcp *tcp)
{
	uint8_t *tail = byte_queue_tail(&tcp->input);
	ssize_t received = recv(tcp->source.fd, tail, byte_queue_room(&tcp->input), 0);
	if (received > 0)
		byte_queue_added(&tcp->input, received);
	else if (received == 0)
		tcp->phase = TCP_ENDED;
	else if (errno != EAGAIN && errno != EINTR)
		fail(tcp);
	return received > 0;
}

static void finish_connecting(Tcp *tcp)
{
	int error = 0;
	socklen_t length = sizeof(error);
	getsockopt(tcp->source.fd, SOL_SOCKET, SO_ERROR, &error, &length);
	if (error)
		fail(tcp);
	else
		tcp->phase = TCP_OPEN;
}

static bool has_more_room(const Tcp *tcp)
{
	size_t room = byte_queue_room(&tcp->output);
	return is_connected(tcp) && room > tcp->announced && room >= TCP_OUTPUT_BYTES / 2;
}

static bool has_ended(const Tcp *tcp)
{
	return (tcp->phase == TCP_ENDED || tcp->phase == TCP_FAILED) && tcp->input.length == 0 && !tcp->isEndReported;
}

/* Whoever waits for room must learn that there will be none, also if unread input holds back the report of the end. */
static bool has_broken(const Tcp *tcp)
{
	return tcp->phase == TCP_FAILED && !tcp->isBreakReported;
}

/* Runs all due callbacks in order; any of them may close the connection. */
static void run_callbacks(Tcp *tcp, bool hasNewInput)
{
	if (hasNewInput)
		machine_call_count(&tcp->self, &tcp->onReadable, tcp->input.length);
	if (!tcp->isClosed && has_more_room(tcp)) {
		tcp->announced = byte_queue_room(&tcp->output);
		machine_call_count(&tcp->self, &tcp->onWritable, tcp->announced);
	}
	if (!tcp->isClosed && has_broken(tcp)) {
		tcp->isBreakReported = true;
		machine_call(&tcp->self, &tcp->onBroken);
	}
	if (!tcp->isClosed && has_ended(tcp)) {
		tcp->isEndReported = true;
		machine_call(&tcp->self, &tcp->onError);
	}
}

static void tcp_ready(Source *source, short revents)
{
	Tcp *tcp = (Tcp *)source;
	bool hasNewInput = false;
	tcp->isBusy = true;
	if (tcp->phase == TCP_CONNECTING) {
		if (revents)
			finish_connecting(tcp);
	}
	else if (revents) {
		if (revents & POLLOUT)
			byte_queue_drop(&tcp->output, send_now(tcp, byte_queue_head(&tcp->output), tcp->output.length));
		if (tcp->phase == TCP_OPEN && byte_queue_room(&tcp->input) > 0) {
			if (revents & (POLLIN | POLLHUP | POLLERR))
				hasNewInput = receive(tcp);
		}
		else if (revents & (POLLHUP | POLLERR))
			fail(tcp);	// nothing would be read that could tell it
	}
	const bool before = outside_work_begin(true);
	run_callbacks(tcp, hasNewInput);
	outside_work_end(before);
	tcp->isBusy = false;
	if (tcp->isClosed)
		free(tcp);
	else
		tcp_watch(tcp);
}

void tcp_close_socket(Tcp *tcp)
{
	if (tcp->isAdopted)
		event_loop_remove(&tcp->source);
	if (tcp->source.fd < 0)
		return;
	if (is_connected(tcp))
		linger(tcp->source.fd, byte_queue_head(&tcp->output), tcp->output.length);
	else
		close(tcp->source.fd);
}

void tcp_schedule_callbacks(Tcp *tcp)
{
	if (has_more_room(tcp) || has_broken(tcp) || has_ended(tcp))
		event_loop_defer(&tcp->source);
}

/* Bytes for a failed connection are dropped, as the network would drop them. */
bool tcp_send(Tcp *tcp, const uint8_t *bytes, size_t count)
{
	if (count > (tcp->phase == TCP_CONNECTING ? 0 : byte_queue_room(&tcp->output)))
		return false;
	size_t sent = tcp->output.length == 0 && tcp->phase != TCP_FAILED ? send_now(tcp, bytes, count) : 0;
	if (tcp->phase != TCP_FAILED)
		byte_queue_append(&tcp->output, bytes + sent, count - sent);
	tcp->announced -= count < tcp->announced ? count : tcp->announced;
	return true;
}

Tcp *tcp_connection_new(int fd, TcpPhase phase)
{
	Tcp *tcp = malloc(sizeof(Tcp));
	if (!tcp)
		return NULL;
	memset(tcp, 0, offsetof(Tcp, inputBytes));
	tcp->source = (Source){ .fd = fd, .ready = tcp_ready };
	tcp->phase = phase;
	byte_queue_open(&tcp->input, tcp->inputBytes, TCP_INPUT_BYTES);
	byte_queue_open(&tcp->output, tcp->outputBytes, TCP_OUTPUT_BYTES);
	return tcp;
}
