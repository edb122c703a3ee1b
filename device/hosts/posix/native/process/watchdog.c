/*
 * A timer on the thread's processor time interrupts it twenty times in the time that a turn may take (watchdog.h). So
 * nothing happens while it sleeps, and feeding needs no system call. A turn is timed from the first interrupt that
 * finds it, up to a twentieth late.
 */
#include "watchdog.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "environment.h"
#include "signals.h"

#ifndef sigev_notify_thread_id		// not in POSIX, and glibc has the name only since 2.38
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { LIMIT_MS = 3000, LOOKS = 20 };

static void (*onHang)(double turnBeganAt);
static double limitMs;

/* Written by the thread, read by the handler that interrupts it. */
static volatile unsigned int turn;
static volatile double turnBeganAt;

void watchdog_feed(double now)
{
	turnBeganAt = now;
	turn++;
}

static double processor_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void check(int number)
{
	static unsigned int seenTurn;
	static double seenAtMs;
	int error = errno;
	double nowMs = processor_ms();
	(void)number;
	if (seenTurn != turn) {
		seenTurn = turn;
		seenAtMs = nowMs;
	}
	else if (nowMs - seenAtMs >= limitMs)
		onHang(turnBeganAt);
	errno = error;
}

static void start_timer(unsigned long intervalMs)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM };
	struct timespec interval = { .tv_sec = intervalMs / 1000, .tv_nsec = intervalMs % 1000 * 1000000 };
	struct itimerspec times = { .it_interval = interval, .it_value = interval };
	timer_t timer;
	event.sigev_notify_thread_id = gettid();
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0 || timer_settime(timer, 0, &times, NULL) != 0) {
		fprintf(stderr, "console: cannot start its watchdog: %s\n", strerror(errno));
		exit(1);
	}
}

void watchdog_open(void (*callback)(double turnBeganAt))
{
	unsigned long limit = environment_number("SVC_SIM_WATCHDOG_MS", 1, LIMIT_MS);
	// Not blocked while it is handled: a process that is started from the handler inherits the blocked signals.
	struct sigaction action = { .sa_handler = check, .sa_flags = SA_RESTART | SA_NODEFER };
	action.sa_mask = signals_handled();
	onHang = callback;
	limitMs = limit;
	turn = 1;
	sigaction(SIGVTALRM, &action, NULL);
	start_timer(limit / LOOKS + (limit < LOOKS));
}
