/* Condition variables: wake waiters in FIFO order; a woken thread then locks the mutex. */
#include <pthread.h>

#include <errno.h>

#include "thread.h"

int pthread_condattr_init(pthread_condattr_t *attributes)
{
	attributes->clock = CLOCK_REALTIME;
	return 0;
}

/* All clocks are the same (clock.h). */
int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	attributes->clock = clock;
	return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attributes)
{
	(void)attributes;
	return 0;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
	(void)attributes;
	condition->firstWaiting = NULL;
	return 0;
}

static bool wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until)
{
	pthread_mutex_unlock(mutex);
	const bool isWoken = thread_wait(&condition->firstWaiting, until);
	pthread_mutex_lock(mutex);
	return isWoken;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	wait_until(condition, mutex, NEVER);
	return 0;
}

/* A time before power on becomes the current time, and one beyond 64 bits becomes NEVER. */
static uint64_t nanoseconds(const struct timespec *time)
{
	const int64_t SECOND = 1000 * 1000 * 1000;
	if (time->tv_sec < 0)
		return 0;
	if (time->tv_sec >= INT64_MAX / SECOND)
		return NEVER;
	return time->tv_sec * SECOND + time->tv_nsec;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
	if (until->tv_nsec < 0 || until->tv_nsec >= 1000000000)
		return EINVAL;
	return wait_until(condition, mutex, nanoseconds(until)) ? 0 : ETIMEDOUT;
}

int pthread_cond_signal(pthread_cond_t *condition)
{
	thread_wake(&condition->firstWaiting);
	return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
	while (thread_wake(&condition->firstWaiting))
		;
	return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition)
{
	return condition->firstWaiting ? EBUSY : 0;
}
