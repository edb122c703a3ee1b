/*
 * The USB port as a pseudo-terminal (usb-port.h). Detects whether a host has it open without polling in a loop: poll()
 * on the master reports POLLHUP while no host has it open and would return at once, so the master is not polled then;
 * inotify on the terminal's node reports opens and closes, and then we check POLLHUP. If a host closes and opens the
 * terminal before we check, there is no POLLHUP; the order of the events shows it.
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
 * @returns whether the terminal was closed and opened again. Opens and closes cannot be counted, since inotify merges
 * repeated events: if a second program opens and closes the port while the host has it open, that looks like the host
 * itself.
 */
static bool read_events(void)
{
	_Alignas(struct inotify_event) char bytes[4096];
	bool isReopened = false;
	ssize_t length;
	while ((length = read(watch.fd, bytes, sizeof(bytes))) > 0) {
		for (char *at = bytes; at < bytes + length; at += sizeof(struct inotify_event)) {
			const struct inotify_event *event = (const struct inotify_event *)at;
			isReopened |= wasClosed && (event->mask & IN_OPEN);
			wasClosed = event->mask & IN_CLOSE;
		}
	}
	return isReopened;
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
	wasClosed = false;
}

static void report(bool isPluggedNow)
{
	isPlugged = isPluggedNow;
	poll_master();
	if (client)
		client->onPlug(client->context, isPluggedNow);
}

/*
 * Bytes that are pending while no host has the port open come from the previous host. They are counted first, because
 * the next host may open the port and write meanwhile. If the next host was faster, the sender of the pending bytes is
 * unknown: they count as the next host's.
 */
static void update(bool isReopened)
{
	size_t pending = pending_bytes();
	bool isOpen = is_open_somewhere();
	bool isUnplugged = isPlugged && (!isOpen || isReopened);
	if (!isOpen)
		drop_input(pending);
	if (isUnplugged || !isOpen) {
		reset_terminal();
		isOpen = is_open_somewhere();		// a host may have opened it just now, and the event was discarded
	}
	if (isUnplugged)
		report(false);
	if (isOpen && !isPlugged)
		report(true);
}

static void watch_ready(Source *source, short revents)
{
	(void)source;
	(void)revents;
	update(read_events());
}

static void master_ready(Source *source, short revents)
{
	(void)source;
	if (revents & POLLIN)
		update(read_events());		// first: these bytes may come from another host
	if ((revents & POLLIN) && client && wantsInput)
		client->onReadable(client->context);
	if ((revents & POLLOUT) && client && wantsOutput)
		client->onWritable(client->context);
	if (!revents || (revents & POLLHUP))
		update(read_events());
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
	isPlugged = false;
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
	wantsInput = input;
	wantsOutput = output;
	poll_master();
}

size_t usb_port_read(uint8_t *bytes, size_t byteLength)
{
	ssize_t received = read(master.fd, bytes, byteLength);
	return received > 0 ? (size_t)received : 0;
}

size_t usb_port_write(const uint8_t *bytes, size_t byteLength)
{
	ssize_t sent = write(master.fd, bytes, byteLength);
	return sent > 0 ? (size_t)sent : 0;
}
