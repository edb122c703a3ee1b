/* The engine's platform on a desktop (device/wasm/native/guest-platform.h). */
#include "guest-platform.h"

#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "boot.h"
#include "event-loop.h"
#include "fair-mutex.h"
#include "machine.h"

int64_t guest_platform_uptime_ms(void)
{
	return (int64_t)boot_uptime_ms();
}

bool guest_platform_random(void *bytes, size_t length)
{
	for (uint8_t *at = bytes, *end = at + length; at < end; ) {
		ssize_t count = getrandom(at, end - at, 0);
		if (count < 0 && errno != EINTR)
			return false;
		if (count > 0)
			at += count;
	}
	return true;
}

/* The thread of the loop handles signals. The size is rounded up to pages, and glibc uses part of it. */
int guest_platform_start_thread(pthread_t *thread, size_t stackBytes, void *(*run)(void *), void *context)
{
	enum { PAGE_BYTES = 4096, LIBRARY_BYTES = 16 * 1024 };
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (stackBytes + LIBRARY_BYTES + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(thread, &attributes, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error;
}

/* Linux has a priority for each thread, though POSIX specifies one for the process. */
void guest_platform_enter_thread(const char *name)
{
	enum { GIVES_WAY = 10 };
	pthread_setname_np(pthread_self(), name);
	setpriority(PRIO_PROCESS, gettid(), GIVES_WAY);
}

void guest_platform_init_mutex(pthread_mutex_t *mutex)
{
	fair_mutex_init(mutex);
}

void guest_platform_post(void (*callback)(void *context), void *context)
{
	event_loop_post(callback, context);
}

void guest_platform_end_turn(xsMachine *the)
{
	(void)the;
	machine_end_turn();
}
