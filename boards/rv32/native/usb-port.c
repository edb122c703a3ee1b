/*
 * The console's USB port at the script's cable (usb-port.h). The descriptor reports changes: POLLOUT once a host is
 * plugged in, and then POLLPRI once it is unplugged.
 */
#include "usb-port.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "event-loop.h"
#include "usb.h"

static void port_ready(Source *source, short revents);

static Source port = { .fd = -1, .ready = port_ready };
static const UsbPortClient *client;
static bool wantsInput, wantsOutput;
static bool isPlugged;			/* as reported to the client */

static void watch(void)
{
	if (!client)
		event_loop_watch(&port, 0);
	else if (!isPlugged)
		event_loop_watch(&port, POLLOUT);
	else
		event_loop_watch(&port, POLLPRI | (wantsInput ? POLLIN : 0) | (wantsOutput ? POLLOUT : 0));
}

static void report(bool isPluggedNow)
{
	isPlugged = isPluggedNow;
	watch();
	client->onPlug(client->context, isPluggedNow);
}

static void port_ready(Source *source, short revents)
{
	(void)source;
	if (!isPlugged && (revents & POLLOUT))
		report(true);
	else if (isPlugged && (revents & POLLPRI))
		report(false);
	else if (isPlugged) {
		if ((revents & POLLIN) && wantsInput)
			client->onReadable(client->context);
		if ((revents & POLLOUT) && client && wantsOutput)
			client->onWritable(client->context);
	}
}

void usb_port_open(void)
{
	port.fd = usb_open();
	if (port.fd < 0)
		abort();
	event_loop_add(&port);
}

void usb_port_close(void)
{
	event_loop_remove(&port);
	close(port.fd);
	port.fd = -1;
}

static void drop_input(void)
{
	uint8_t ignored[256];
	while (usb_port_read(ignored, sizeof(ignored)) > 0)
		continue;
}

bool usb_port_attach(const UsbPortClient *newClient)
{
	drop_input();
	client = newClient;
	isPlugged = wantsInput = wantsOutput = false;
	watch();
	return true;
}

void usb_port_detach(void)
{
	client = NULL;
	watch();
}

void usb_port_want(bool input, bool output)
{
	wantsInput = input;
	wantsOutput = output;
	watch();
}

size_t usb_port_read(uint8_t *bytes, size_t byteLength)
{
	ssize_t received = read(port.fd, bytes, byteLength);
	return received > 0 ? (size_t)received : 0;
}

size_t usb_port_write(const uint8_t *bytes, size_t byteLength)
{
	ssize_t sent = write(port.fd, bytes, byteLength);
	return sent > 0 ? (size_t)sent : 0;
}
