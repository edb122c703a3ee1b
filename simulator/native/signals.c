/* A handler may only write to a descriptor; the loop does the rest (signals.h). */
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "event-loop.h"

enum { FORCE_AFTER_S = 2 };

static Source source = { .fd = -1 };
static void (*callback)(void);

static void note_signal(int number)
{
	const uint64_t one = 1;
	int error = errno;
	(void)number;
	if (write(source.fd, &one, sizeof(one)) < 0)
		_exit(1);
	alarm(FORCE_AFTER_S);
	errno = error;
}

static void signal_ready(Source *source, short revents)
{
	uint64_t count;
	(void)revents;
	if (read(source->fd, &count, sizeof(count)) > 0)
		callback();
}

void signals_open(void (*onTermination)(void))
{
	struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESTART };
	callback = onTermination;
	source = (Source){ .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .events = POLLIN, .ready = signal_ready };
	if (source.fd < 0)
		abort();
	event_loop_add(&source);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}
