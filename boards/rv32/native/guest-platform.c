/*
 * The engine's platform on this board (device/wasm/native/guest-platform.h). Threads are cooperative
 * (kernel/threads.h), so an app cannot preempt the machine, which needs no priority over it.
 */
#include "guest-platform.h"

#include <stdlib.h>

#include "boot.h"
#include "event-loop.h"
#include "machine.h"
#include "random.h"

int64_t guest_platform_uptime_ms(void)
{
	return (int64_t)boot_uptime_ms();
}

bool guest_platform_random(void *bytes, size_t length)
{
	random_fill(bytes, length);
	return true;
}

int guest_platform_start_thread(pthread_t *thread, size_t stackBytes, void *(*run)(void *), void *context)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, stackBytes);
	int error = pthread_create(thread, &attributes, run, context);
	pthread_attr_destroy(&attributes);
	return error;
}

/* Threads have no names. */
void guest_platform_enter_thread(const char *name)
{
	(void)name;
}

void guest_platform_init_mutex(pthread_mutex_t *mutex)
{
	if (pthread_mutex_init(mutex, NULL) != 0)
		abort();
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
