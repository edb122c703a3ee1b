/*
 * The USB port as a pseudo-terminal (usb-port.h). Detects whether a host has it open without polling in a loop: poll()
 * on the master reports POLLHUP while no host has it open and would return at once, so the master is not polled then;
 * inotify on the terminal's node reports opens and closes, and then we check POLLHUP. If a host closes and opens the
 * terminal before we check, there is no POLLHUP; the order of the events shows it. It does not show which bytes are whose:
 * those are held until the half line of the previous host is found (mixed-input.h).
 */
#include "usb-port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "event-loop.h"
#include "mixed-input.h"
#include "options.h"
#include "resume.h"
#include "usb-link.h"

static Source master = { .fd = -1 };
static Source watch = { .fd = -1 };
static char terminal[64];
static const UsbPortClient *client;
static bool wantsInput, wantsOutput;
static bool isPlugged;			/* as reported to the client */
static bool wasClosed;			/* the next open is by another host */
static bool wasReopened;		/* another host has opened the terminal; not reported yet */
static bool isMixed;			/* input is held until it is known whose it is */
static MixedInput held;

static bool is_open_somewhere(void)
{
	struct pollfd status = { .fd = master.fd };
	return poll(&status, 1, 0) >= 0 && !(status.revents & POLLHUP);
}

static void poll_master(void)
{
	bool isPolled = client && isPlugged;
	event_loop_watch(&master, isPolled ? (wantsInput ? POLLIN : 0) | (wantsOutput ? POLLOUT : 0) : 0);
}

/*
 * Opens and closes cannot be counted, since inotify merges repeated events: if a second program opens and closes the port
 * while the host has it open, that looks like the host itself.
 */
static void read_events(void)
{
	_Alignas(struct inotify_event) char bytes[4096];
	ssize_t length;
	while ((length = read(watch.fd, bytes, sizeof(bytes))) > 0) {
		for (char *at = bytes; at < bytes + length; at += sizeof(struct inotify_event)) {
			const struct inotify_event *event = (const struct inotify_event *)at;
			wasReopened |= wasClosed && (event->mask & IN_OPEN);
			wasClosed = event->mask & IN_CLOSE;
		}
	}
}

/* Whether what was read or is to be written may be another host's: then `update` comes first. */
static bool has_host_changed(void)
{
	read_events();
	if (wasReopened)
		event_loop_defer(&master);
	return wasReopened;
}

/* Unread bytes from the host. */
static size_t pending_bytes(void)
{
	int count = 0;
	return ioctl(master.fd, FIONREAD, &count) == 0 && count > 0 ? (size_t)count : 0;
}

static void drop_input(size_t byteLength)
{
	uint8_t ignored[256];
	while (byteLength > 0) {
		ssize_t length = read(master.fd, ignored, byteLength < sizeof(ignored) ? byteLength : sizeof(ignored));
		if (length <= 0)
			return;
		byteLength -= (size_t)length;
	}
}

/*
 * Discards output that the last host has not read, and makes the terminal raw again, since a host may have changed its
 * mode. Only the terminal's own side can do this; the events that this causes are discarded. Input that the next host
 * may be writing at this moment is kept.
 */
static void reset_terminal(void)
{
	struct termios settings;
	int fd = open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return;
	tcflush(fd, TCIFLUSH);
	if (tcgetattr(fd, &settings) == 0) {
		cfmakeraw(&settings);
		tcsetattr(fd, TCSANOW, &settings);
	}
	close(fd);
	if (watch.fd >= 0)
		read_events();
	wasClosed = wasReopened = false;
}

/* @returns whether a host has the port open. Until one has, all pending bytes are of the previous host. */
static bool drop_left_input(void)
{
	for (;;) {
		(void)is_open_somewhere();			// if nothing is pending, poll() waits for what the terminal was given
		size_t pending = pending_bytes();	// first: the next host may open the port and write meanwhile
		if (is_open_somewhere())
			return true;
		if (pending == 0)
			return false;
		drop_input(pending);
	}
}

static void report(bool isPluggedNow)
{
	isPlugged = isPluggedNow;
	poll_master();
	if (client)
		client->onPlug(client->context, isPluggedNow);
}

static void hold_input(size_t most)
{
	ssize_t received;
	while (held.length < most && (received = read(master.fd, held.bytes + held.length, most - held.length)) > 0)
		held.length += (size_t)received;
}

/* All bytes that have arrived, and those that were read before the change was noticed. */
static void hold_mixed_input(void)
{
	hold_input(MIXED_INPUT_BYTES);
	held.checked = 0;
	held.mixed = held.length;
	isMixed = held.length > 0;
	event_loop_defer(&master);
}

static void update(void)
{
	read_events();
	bool isOpen = drop_left_input();
	bool isUnplugged = isPlugged && (!isOpen || wasReopened);
	bool hasTwoHosts = isOpen && wasReopened;
	if (!isOpen) {
		held.length = 0;
		isMixed = false;
	}
	if (isUnplugged || !isOpen) {
		reset_terminal();
		isOpen = is_open_somewhere();		// a host may have opened it just now, and the event was discarded
	}
	if (isUnplugged)
		report(false);
	if (isOpen && !isPlugged) {
		wasReopened = false;
		if (hasTwoHosts)
			hold_mixed_input();
		report(true);
	}
}

static void watch_ready(Source *source, short revents)
{
	(void)source;
	(void)revents;
	update();
}

static void master_ready(Source *source, short revents)
{
	(void)source;
	update();		// first: these bytes may come from another host
	if (((revents & POLLIN) || held.length > 0) && client && wantsInput)
		client->onReadable(client->context);
	if ((revents & POLLOUT) && client && wantsOutput)
		client->onWritable(client->context);
}

static _Noreturn void exit_with_error(const char *what)
{
	fprintf(stderr, "console: cannot %s the USB port: %s\n", what, strerror(errno));
	exit(1);
}

static void make_terminal(void)
{
	master.fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (master.fd < 0 || grantpt(master.fd) != 0 || unlockpt(master.fd) != 0
			|| ptsname_r(master.fd, terminal, sizeof(terminal)) != 0)
		exit_with_error("open a pseudo-terminal for");
	reset_terminal();
}

/* After a reset by the watchdog, the terminal and its link are unchanged, and a host may have it open. */
static void keep_terminal(void)
{
	master.fd = resume.usbMaster;
	if (fcntl(master.fd, F_SETFD, FD_CLOEXEC) != 0 || ptsname_r(master.fd, terminal, sizeof(terminal)) != 0)
		exit_with_error("find the pseudo-terminal of");
}

void usb_port_open(void)
{
	bool isKept = resume.usbMaster >= 0;
	if (isKept)
		keep_terminal();
	else
		make_terminal();
	resume.usbMaster = master.fd;
	watch.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch.fd < 0 || inotify_add_watch(watch.fd, terminal, IN_OPEN | IN_CLOSE) < 0)
		exit_with_error("watch");
	watch.events = POLLIN;
	watch.ready = watch_ready;
	master.ready = master_ready;
	event_loop_add(&watch);
	event_loop_add(&master);
	if (!isKept)
		usb_link_make(options.usb, terminal);
}

void usb_port_close(void)
{
	if (master.fd >= 0)
		usb_link_remove(options.usb, terminal);
}

bool usb_port_attach(const UsbPortClient *newClient)
{
	drop_input(pending_bytes());
	client = newClient;
	isPlugged = isMixed = false;
	held.length = 0;
	wantsInput = wantsOutput = false;
	poll_master();
	event_loop_defer(&master);
	return true;
}

void usb_port_detach(void)
{
	client = NULL;
	poll_master();
}

void usb_port_want(bool input, bool output)
{
	if (input && !wantsInput && held.length > 0)
		event_loop_defer(&master);
	wantsInput = input;
	wantsOutput = output;
	poll_master();
}

size_t usb_port_read(uint8_t *bytes, size_t byteLength)
{
	hold_input(isMixed || byteLength > MIXED_INPUT_BYTES ? MIXED_INPUT_BYTES : byteLength);
	if (has_host_changed() || (isMixed && !mixed_input_settle(&held)))
		return 0;
	isMixed = false;
	size_t length = held.length < byteLength ? held.length : byteLength;
	memcpy(bytes, held.bytes, length);
	held.length -= length;
	memmove(held.bytes, held.bytes + length, held.length);
	if (held.length > 0)
		event_loop_defer(&master);
	return length;
}

size_t usb_port_write(const uint8_t *bytes, size_t byteLength)
{
	ssize_t sent = has_host_changed() ? 0 : write(master.fd, bytes, byteLength);
	return sent > 0 ? (size_t)sent : 0;
}
