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

/* One descriptor for each callback, since an eventfd only counts. */
typedef struct {
	Source source;
	void (*callback)(void);
} Signal;

static const int TERMINATIONS[] = { SIGTERM, SIGINT, SIGHUP };
enum { TERMINATION_COUNT = sizeof(TERMINATIONS) / sizeof(*TERMINATIONS) };

static Signal termination;
static Signal user;
static volatile sig_atomic_t isTerminating;

static void note_signal(int number)
{
	const uint64_t one = 1;
	int error = errno;
	bool isUser = number == SIGUSR1;
	if (write((isUser ? user : termination).source.fd, &one, sizeof(one)) < 0)
		_exit(1);
	if (!isUser) {
		isTerminating = true;
		alarm(FORCE_AFTER_S);
	}
	errno = error;
}

static void signal_ready(Source *source, short revents)
{
	uint64_t count;
	(void)revents;
	if (read(source->fd, &count, sizeof(count)) > 0)
		((Signal *)source)->callback();
}

static void open_signal(Signal *signal, void (*callback)(void))
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0)
		abort();
	signal->callback = callback;
	signal->source = (Source){ .fd = fd, .events = POLLIN, .ready = signal_ready };
	event_loop_add(&signal->source);
}

sigset_t signals_handled(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (size_t index = 0; index < TERMINATION_COUNT; index++)
		sigaddset(&set, TERMINATIONS[index]);
	return set;
}

bool signals_are_terminating(void)
{
	return isTerminating;
}

void signals_open(void (*onTermination)(void), void (*onUser)(void))
{
	sigset_t handled = signals_handled();
	struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESTART };
	sigfillset(&action.sa_mask);		// no other handler may interrupt it
	open_signal(&termination, onTermination);
	open_signal(&user, onUser);
	sigaction(SIGUSR1, &action, NULL);
	for (size_t index = 0; index < TERMINATION_COUNT; index++)
		sigaction(TERMINATIONS[index], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &handled, NULL);		// last: a pending signal is handled here
}
