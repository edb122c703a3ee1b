/* usleep(): a thread waits for its time as for a condition that nothing signals. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never;		/* as it is once it is made */

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
