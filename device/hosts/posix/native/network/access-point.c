/*
 * svc/access-point: a simulated access point. Its air is the socket `air` in the state directory, of the family of the
 * file system. A client is a connection to it: it sends a line with the name of the network, a tab and the password, and
 * is answered with a line: `joined ADDRESS`, `not_found`, `wrong_password` or `refused`. It has left when the connection
 * ends, from either side (docs/spec/simulated-console.md#air).
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "air-socket.h"
#include "event-loop.h"
#include "machine.h"

enum { SSID_BYTES = 32, PASSWORD_BYTES = 63, LINE_BYTES = SSID_BYTES + 1 + PASSWORD_BYTES + 1 };
/* Connections: clients, and some that have not said anything yet or are refused. */
enum { MAXIMUM_CLIENTS = 10, MAXIMUM_STATIONS = MAXIMUM_CLIENTS + 6 };
/* The last octet of an address; the console has 1. */
enum { FIRST_HOST = 2 };

typedef struct {
	Source source;			/* first; fd -1: the place is free */
	bool isClient;
	int length;
	char line[LINE_BYTES + 1];
} Station;

typedef struct {
	Source source;			/* first; accepts stations */
	char path[AIR_PATH_BYTES];
	char ssid[SSID_BYTES + 1], password[PASSWORD_BYTES + 1];
	int clientLimit;
	Station stations[MAXIMUM_STATIONS];
	xsSlot self;
	xsSlot onChanged;
} AccessPoint;

static AccessPoint *opened;		/* there is one at a time */

static int client_count(const AccessPoint *point)
{
	int count = 0;
	for (int index = 0; index < MAXIMUM_STATIONS; index++)
		count += point->stations[index].source.fd >= 0 && point->stations[index].isClient;
	return count;
}

static void disconnect(Station *station)
{
	event_loop_remove(&station->source);
	close(station->source.fd);
	station->source.fd = -1;
}

/* What becomes of a station that has sent a line. */
static const char *verdict(const AccessPoint *point, char *line)
{
	char *password = strchr(line, '\t');
	if (password)
		*password++ = 0;
	if (strcmp(line, point->ssid) != 0)
		return "not_found";
	if (!password || strcmp(password, point->password) != 0)
		return "wrong_password";
	return client_count(point) < point->clientLimit ? NULL : "refused";
}

static void answer(Station *station, const char *text)
{
	char line[64];
	const int length = snprintf(line, sizeof(line), "%s\n", text);
	(void)send(station->source.fd, line, (size_t)length, MSG_NOSIGNAL);
}

static void admit(Station *station)
{
	const char *refusal = verdict(opened, station->line);
	if (refusal) {
		answer(station, refusal);
		disconnect(station);
		return;
	}
	char text[32];
	snprintf(text, sizeof(text), "joined 127.0.4.%d", FIRST_HOST + (int)(station - opened->stations));
	station->isClient = true;
	answer(station, text);
	machine_call(&opened->self, &opened->onChanged);
}

static void left(Station *station)
{
	const bool wasClient = station->isClient;
	disconnect(station);
	if (wasClient)
		machine_call(&opened->self, &opened->onChanged);
}

/* A client that sends more is not read any further than its line. */
static void station_ready(Source *source, short revents)
{
	Station *station = (Station *)source;
	(void)revents;
	char *at = station->line + station->length;
	const ssize_t length = recv(source->fd, at, (size_t)(LINE_BYTES - station->length), 0);
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	char *end = length > 0 && !station->isClient ? memchr(at, '\n', (size_t)length) : NULL;
	if (end) {
		*end = 0;
		station->length = 0;
		admit(station);
	}
	else if (length <= 0 || station->isClient || (station->length += (int)length) == LINE_BYTES)
		left(station);
}

static void accept_station(Source *source, short revents)
{
	(void)revents;
	const int fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	for (int index = 0; index < MAXIMUM_STATIONS; index++) {
		Station *station = &opened->stations[index];
		if (station->source.fd >= 0)
			continue;
		*station = (Station){ .source = { .fd = fd, .events = POLLIN, .ready = station_ready } };
		event_loop_add(&station->source);
		return;
	}
	close(fd);
}

static void release(AccessPoint *point)
{
	for (int index = 0; index < MAXIMUM_STATIONS; index++) {
		if (point->stations[index].source.fd >= 0)
			disconnect(&point->stations[index]);
	}
	event_loop_remove(&point->source);
	close(point->source.fd);
	unlink(point->path);
	opened = NULL;
	free(point);
}

void xs_access_point_destructor(void *data)
{
	if (data)
		release(data);
}

static void copy_text(xsMachine *the, xsSlot *from, char *into, size_t limit)
{
	const char *text = xsmcToString(*from);
	if (!*text || strlen(text) > limit)
		xsRangeError("1 to %d bytes", (int)limit);
	strcpy(into, text);
}

/* constructor(ssid, password, clientLimit, onChanged) */
void xs_access_point_constructor(xsMachine *the)
{
	AccessPoint point = { .source = { .events = POLLIN, .ready = accept_station } };
	copy_text(the, &xsArg(0), point.ssid, SSID_BYTES);
	copy_text(the, &xsArg(1), point.password, PASSWORD_BYTES);
	point.clientLimit = xsmcToInteger(xsArg(2));
	if (point.clientLimit < 1 || point.clientLimit > MAXIMUM_CLIENTS)
		xsRangeError("1 to %d clients", MAXIMUM_CLIENTS);
	if (!xsmcIsCallable(xsArg(3)))
		xsTypeError("an access point needs a function");
	if (opened)
		xsUnknownError("the access point is open already");
	point.source.fd = air_socket_listen(the, "air", MAXIMUM_STATIONS, point.path);
	for (int index = 0; index < MAXIMUM_STATIONS; index++)
		point.stations[index].source.fd = -1;
	opened = malloc(sizeof(AccessPoint));
	if (!opened) {
		close(point.source.fd);
		xsUnknownError("no memory for an access point");
	}
	*opened = point;
	xsmcSetHostData(xsThis, opened);
	event_loop_add(&opened->source);
	machine_keep(the, &opened->self, xsThis);
	machine_keep(the, &opened->onChanged, xsArg(3));
}

void xs_access_point_client_count(xsMachine *the)
{
	AccessPoint *point = xsmcGetHostDataValidate(xsThis, xs_access_point_destructor);
	xsmcSetInteger(xsResult, client_count(point));
}

void xs_access_point_close(xsMachine *the)
{
	AccessPoint *point = machine_detach(the, xs_access_point_destructor);
	if (!point)
		return;
	machine_release(the, &point->onChanged);
	machine_release(the, &point->self);
	release(point);
}
