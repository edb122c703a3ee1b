/* usleep(): a thread waits for a condition that is never signalled. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never;		/* never signalled */

int usleep(useconds_t microseconds)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += microseconds * 1000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&mutex);
	(void)pthread_cond_timedwait(&never, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	return 0;
}
