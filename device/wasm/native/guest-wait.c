/* Waiting on the app's thread in a way that the app's end ends. */
#include <errno.h>
#include <time.h>

#include "guest.h"

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
