/* Two queues between two sides (wire.h). A connection lasts until both sides have released it; then it is reused. */
#include "wire.h"

#include <string.h>

#include "far-memory.h"

struct Wire {
	FarQueue sent;			/* by the script */
	FarQueue said;			/* by the console */
	bool isPlugged;			/* USB port only */
	bool isClosed;			/* by the script */
	bool hasEnded;			/* for the console */
	bool isLeft;			/* by the script */
	bool isHungUp;			/* by the console */
	Wire *next;				/* the next pending or free wire */
};

typedef struct Listening Listening;
struct Listening {
	int port;				/* 0: no listener */
	Wire *firstWaiting;
	Listening *next;
};

static Wire usb;
static Wire *firstFree;
static Listening *allListening;

static Listening *find_listening(int port)
{
	Listening *listening = allListening;
	while (listening && listening->port != port)
		listening = listening->next;
	return listening;
}

static Wire *new_wire(void)
{
	Wire *wire = firstFree ? firstFree : far_memory(sizeof(Wire));
	if (wire == firstFree)
		firstFree = wire->next;
	else
		memset(wire, 0, sizeof(*wire));
	far_queue_drop(&wire->sent, wire->sent.length);
	far_queue_drop(&wire->said, wire->said.length);
	wire->isClosed = wire->hasEnded = wire->isLeft = wire->isHungUp = false;
	wire->next = NULL;
	return wire;
}

static void free_where_left(Wire *wire)
{
	if (!wire->isLeft || !wire->isHungUp)
		return;
	wire->next = firstFree;
	firstFree = wire;
}

Wire *wire_connect(int port)
{
	Listening *listening = find_listening(port);
	if (!listening)
		return NULL;
	Wire **link = &listening->firstWaiting;
	while (*link)
		link = &(*link)->next;
	*link = new_wire();
	return *link;
}

Wire *wire_of_usb(void)
{
	return &usb;
}

void wire_plug(Wire *wire, bool isPlugged)
{
	wire->isPlugged = isPlugged;
	wire->isClosed = !isPlugged;
	far_queue_drop(&wire->sent, wire->sent.length);
	if (isPlugged)
		far_queue_drop(&wire->said, wire->said.length);
}

void wire_send(Wire *wire, const uint8_t *bytes, size_t length)
{
	if (!wire->isHungUp)
		far_queue_append(&wire->sent, bytes, length);
}

size_t wire_said(const Wire *wire, const uint8_t **bytes)
{
	*bytes = far_queue_head(&wire->said);
	return wire->said.length;
}

void wire_forget_said(Wire *wire, size_t length)
{
	far_queue_drop(&wire->said, length);
}

bool wire_has_ended(const Wire *wire)
{
	return wire->hasEnded;
}

void wire_close(Wire *wire)
{
	wire->isClosed = true;
}

void wire_leave(Wire *wire)
{
	wire->isClosed = wire->isLeft = true;
	free_where_left(wire);
}

bool wire_listen(int port)
{
	if (find_listening(port))
		return false;
	Listening *listening = find_listening(0);
	if (!listening) {
		listening = far_memory(sizeof(Listening));
		listening->next = allListening;
		allListening = listening;
	}
	listening->port = port;
	listening->firstWaiting = NULL;
	return true;
}

void wire_listen_no_more(int port)
{
	for (Wire *wire; (wire = wire_accept(port));)
		wire_hang_up(wire);
	find_listening(port)->port = 0;
}

bool wire_is_waiting(int port)
{
	return find_listening(port)->firstWaiting;
}

Wire *wire_accept(int port)
{
	Listening *listening = find_listening(port);
	Wire *wire = listening->firstWaiting;
	if (wire)
		listening->firstWaiting = wire->next;
	return wire;
}

size_t wire_take(Wire *wire, uint8_t *bytes, size_t length)
{
	size_t count = length < wire->sent.length ? length : wire->sent.length;
	if (count > 0)
		memcpy(bytes, far_queue_head(&wire->sent), count);
	far_queue_drop(&wire->sent, count);
	return count;
}

size_t wire_untaken(const Wire *wire)
{
	return wire->sent.length;
}

bool wire_is_closed(const Wire *wire)
{
	return wire->isClosed;
}

bool wire_is_plugged(const Wire *wire)
{
	return wire->isPlugged;
}

void wire_say(Wire *wire, const uint8_t *bytes, size_t length)
{
	if (!wire->isLeft)
		far_queue_append(&wire->said, bytes, length);
}

void wire_end(Wire *wire)
{
	wire->hasEnded = true;
}

void wire_hang_up(Wire *wire)
{
	wire->hasEnded = wire->isHungUp = true;
	far_queue_drop(&wire->sent, wire->sent.length);
	free_where_left(wire);
}
