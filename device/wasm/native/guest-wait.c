/* Waiting on the app's thread in a way that the app's end ends: for a time, and while the app is suspended. */
#include <errno.h>
#include <time.h>

#include "guest.h"
#include "interruption.h"

static struct timespec time_in(int32_t milliseconds)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += milliseconds / 1000;
	time.tv_nsec += milliseconds % 1000 * 1000000L;
	if (time.tv_nsec >= 1000000000L) {
		time.tv_sec++;
		time.tv_nsec -= 1000000000L;
	}
	return time;
}

void guest_pause(Guest *guest, int32_t milliseconds)
{
	const struct timespec end = time_in(milliseconds);
	while (!guest->isStopping && pthread_cond_timedwait(&guest->changed, &guest->mutex, &end) != ETIMEDOUT)
		;
}

bool interruption_pass(uintptr_t stack)
{
	Guest *guest = stackBounds.guest;
	pthread_mutex_lock(&guest->mutex);
	while (guest->isSuspended && !guest->isStopping)
		pthread_cond_wait(&guest->changed, &guest->mutex);
	const bool isStopping = guest->isStopping;
	pthread_mutex_unlock(&guest->mutex);
	return !isStopping && stack >= stackBounds.ownLimit;
}
