/*
 * A thread sends the shown picture, so that an app that flushes faster than the window draws does not wait, as with a board's
 * panel: pictures between two that are sent are skipped. The thread sleeps until a picture or the light has changed.
 */
#include "window-link.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "display-memory.h"
#include "event-loop.h"
#include "options.h"
#include "pins-board.h"
#include "resume.h"
#include "unwired-pins.h"
#include "window-messages.h"

static int changed = -1;				/* eventfd: counts changes that have not been sent */
static void (*whenClosed)(void);

static void note_change(void)
{
	const uint64_t one = 1;
	ssize_t ignored = write(changed, &one, sizeof(one));		// cannot wait: the counter has 64 bits
	(void)ignored;
}

static void note_brightness(int percent)
{
	(void)percent;
	note_change();
}

static void *send_pictures(void *context)
{
	static WindowPicture picture;
	const int socket = *(int *)context;
	uint64_t count;
	while (read(changed, &count, sizeof(count)) == sizeof(count)) {
		picture.brightnessPercent = (uint32_t)display_brightness();
		memcpy(picture.pixels, display_acquire(DISPLAY_PANEL), sizeof(picture.pixels));
		display_release(DISPLAY_PANEL);
		if (send(socket, &picture, sizeof(picture), MSG_NOSIGNAL) != sizeof(picture))
			break;		// the window has ended
	}
	return NULL;
}

/* Without signals, which are the main thread's. */
static bool start_thread(void)
{
	static int socket;
	pthread_t thread;
	sigset_t all, before;
	socket = resume.windowSocket;
	changed = eventfd(1, EFD_CLOEXEC);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const bool isStarted = changed >= 0 && pthread_create(&thread, NULL, send_pictures, &socket) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return isStarted;
}

/* The window has its end of the socket, writes to standard error alone, and reads nothing. */
static int spawn(int socket)
{
	posix_spawn_file_actions_t actions;
	pid_t process;
	char *arguments[] = { (char *)options.windowProgram, NULL };
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, socket, WINDOW_SOCKET);
	const int error = posix_spawn(&process, options.windowProgram, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static int start_window(void)
{
	int sockets[2];
	const int byteLength = 2 * sizeof(WindowPicture);		// the kernel's limit is less, but above one picture
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
		return errno;
	setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &byteLength, sizeof(byteLength));
	const int error = spawn(sockets[1]);
	close(sockets[1]);
	if (error == 0)
		resume.windowSocket = sockets[0];
	else
		close(sockets[0]);
	return error;
}

void window_link_open(void)
{
	if (!options.windowProgram)
		return;
	const int error = resume.bootNumber == 0 ? start_window() : 0;
	if (error != 0)
		fprintf(stderr, "console: cannot start its window: %s\n", strerror(error));
	if (resume.windowSocket < 0)
		return;
	display_on_shown(note_change);
	display_on_brightness(note_brightness);
	if (!start_thread())
		abort();
}

static void end(Source *source)
{
	fprintf(stderr, "console: its window has ended; the console goes on\n");
	unwired_pins_press(0);
	event_loop_remove(source);
	shutdown(source->fd, SHUT_RDWR);		// ends the thread
	resume.windowSocket = -1;
	(void)waitpid(-1, NULL, WNOHANG);
}

static void window_ready(Source *source, short revents)
{
	WindowEvent event;
	(void)revents;
	const ssize_t length = recv(source->fd, &event, sizeof(event), MSG_DONTWAIT);
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length != sizeof(event))
		end(source);
	else if (event.kind == WINDOW_BUTTONS)
		unwired_pins_press(event.buttons & EVERY_BUTTON);
	else if (event.kind == WINDOW_CLOSED)
		whenClosed();
}

void window_link_listen(void (*onClosed)(void))
{
	static Source source = { .events = POLLIN, .ready = window_ready };
	whenClosed = onClosed;
	source.fd = resume.windowSocket;
	if (source.fd >= 0)
		event_loop_add(&source);
}
