/* What a program sees of sockets, scene by scene on standard error. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tell.h"
#include "wire.h"

static int stream_socket(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
}

static struct sockaddr_in at_port(int port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
}

static int bind_and_listen(int port)
{
	struct sockaddr_in address = at_port(port);
	int fd = stream_socket();
	int status = bind(fd, (struct sockaddr *)&address, sizeof(address));
	if (status == 0)
		status = listen(fd, 1);
	return status == 0 ? fd : -1;
}

static void tell_name(const char *what, int (*get)(int, struct sockaddr *, socklen_t *), int fd)
{
	struct sockaddr_in address;
	socklen_t length = sizeof(address);
	char text[INET_ADDRSTRLEN];
	get(fd, (struct sockaddr *)&address, &length);
	inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text));
	fprintf(stderr, "%s: %s %u\n", what, text, ntohs(address.sin_port));
}

static void send_text(Wire *wire, const char *text)
{
	wire_send(wire, (const uint8_t *)text, strlen(text));
}

static void tell_received(int fd)
{
	char bytes[8];
	ssize_t count = recv(fd, bytes, sizeof(bytes), 0);
	if (count > 0)
		fprintf(stderr, "received: %.*s\n", (int)count, bytes);
	else
		tell("received", count);
}

static void tell_said(const Wire *wire)
{
	const uint8_t *said;
	size_t length = wire_said(wire, &said);
	fprintf(stderr, "said: %.*s%s\n", (int)length, (const char *)said, wire_has_ended(wire) ? " and ended" : "");
}

static void play_accepting(void)
{
	scene("accepting");
	int listening = bind_and_listen(80);
	tell_ready("before", listening);
	tell("accept", accept4(listening, NULL, NULL, SOCK_NONBLOCK));
	Wire *first = wire_connect(80);
	send_text(first, "early bytes");
	Wire *second = wire_connect(80);
	send_text(second, "second");
	tell_ready("with two", listening);
	int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
	tell_ready("accepted", fd);
	tell_received(fd);
	tell_received(fd);
	tell_received(fd);
	tell_name("name", getsockname, fd);
	tell_name("peer", getpeername, fd);
	close(listening);
	tell_said(second);
	fprintf(stderr, wire_connect(80) ? "a socket listens\n" : "no socket listens\n");
	close(fd);
	wire_leave(first);
	wire_leave(second);
}

static void play_closing(void)
{
	scene("half-close of the peer");
	int listening = bind_and_listen(80);
	Wire *wire = wire_connect(80);
	int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
	send_text(wire, "last");
	wire_close(wire);
	tell_ready("closed", fd);
	tell_received(fd);
	tell_received(fd);
	tell_received(fd);
	tell("send", send(fd, "answer", 6, MSG_NOSIGNAL));
	tell_said(wire);
	tell("shutdown", shutdown(fd, SHUT_WR));
	tell_ready("shut too", fd);
	tell("send", send(fd, "more", 4, MSG_NOSIGNAL));
	tell_said(wire);
	close(fd);
	wire_leave(wire);

	scene("half-close of the console");
	wire = wire_connect(80);
	fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
	send(fd, "all", 3, MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	tell_said(wire);
	tell_ready("shut", fd);
	send_text(wire, "still");
	tell_received(fd);
	close(fd);
	wire_leave(wire);

	scene("a peer that has gone");
	wire = wire_connect(80);
	fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
	send_text(wire, "sent");
	wire_leave(wire);
	tell_received(fd);
	tell_received(fd);
	tell("send", send(fd, "to no one", 9, MSG_NOSIGNAL));
	close(fd);
	close(listening);
}

static void play_connecting(void)
{
	scene("connecting");
	struct sockaddr_in address = at_port(443);
	int fd = stream_socket();
	tell("connect", connect(fd, (struct sockaddr *)&address, sizeof(address)));
	tell_ready("later", fd);
	int error = 0;
	socklen_t length = sizeof(error);
	tell("option", getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length));
	fprintf(stderr, "error: %s\n", strerror(error));
	tell("send", send(fd, "x", 1, MSG_NOSIGNAL));
	close(fd);
}

static void play_refusing(void)
{
	const int one = 1;
	scene("what is refused");
	tell("IPv6", socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0));
	tell("blocking", socket(AF_INET, SOCK_STREAM, 0));
	int fd = bind_and_listen(80);
	tell("taken port", bind_and_listen(80));
	tell("no delay", setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)));
	tell("unknown option", setsockopt(fd, IPPROTO_TCP, 99, &one, sizeof(one)));
	close(fd);
	tell("closed", listen(fd, 1));
	tell("closed twice", close(fd));
	tell_ready("closed", fd);
	int counter = eventfd(0, EFD_NONBLOCK);
	tell("no socket", listen(counter, 1));
	tell("blocking counter", eventfd(0, 0));
	close(counter);
}

static void play_ephemeral(void)
{
	scene("ports that are given");
	int first = bind_and_listen(0), second = bind_and_listen(0);
	struct sockaddr_in names[2];
	socklen_t length = sizeof(names[0]);
	getsockname(first, (struct sockaddr *)&names[0], &length);
	getsockname(second, (struct sockaddr *)&names[1], &length);
	fprintf(stderr, "differ: %d\n", names[0].sin_port != names[1].sin_port);
	fprintf(stderr, "a socket listens: %d\n", wire_connect(ntohs(names[0].sin_port)) != NULL);
	close(first);
	close(second);
}

static void play_many(void)
{
	int fds[128], count = 0;
	scene("many");
	while (count < 128 && (fds[count] = stream_socket()) >= 0)
		count++;
	tell("one more", fds[count]);
	for (int index = 0; index < count; index++)
		close(fds[index]);
	int fd = stream_socket();
	fprintf(stderr, "after closing: %d\n", fd >= 0);
	close(fd);
}

/* More than any first room, in connections of which each finds what the last has left. */
static void play_large(void)
{
	static uint8_t bytes[50000], received[50000];
	scene("large");
	int listening = bind_and_listen(80);
	for (int round = 0; round < 300; round++) {
		Wire *wire = wire_connect(80);
		int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
		size_t count = 0;
		bytes[round] = (uint8_t)round;
		wire_send(wire, bytes, 20000);
		recv(fd, received, 100, 0);
		wire_send(wire, bytes + 20000, 30000);
		for (ssize_t taken = 100; taken > 0; count += (size_t)taken, taken = recv(fd, received + count, 1000, 0))
			continue;
		if (count != sizeof(bytes) || memcmp(received, bytes, sizeof(bytes)) != 0)
			fprintf(stderr, "round %d: other bytes\n", round);
		wire_leave(wire);
		close(fd);
	}
	fprintf(stderr, "done\n");
	close(listening);
}

int main(void)
{
	play_accepting();
	play_closing();
	play_connecting();
	play_refusing();
	play_ephemeral();
	play_many();
	play_large();
	return 0;
}
