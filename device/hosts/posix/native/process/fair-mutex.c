#include "fair-mutex.h"

#include <stdlib.h>

void fair_mutex_init(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	if (pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) != 0
			|| pthread_mutex_init(mutex, &attributes) != 0)
		abort();
	pthread_mutexattr_destroy(&attributes);
}
