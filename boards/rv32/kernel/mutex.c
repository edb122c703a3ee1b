/* A mutex with handover: unlock passes ownership to the thread that has waited longest. */
#include <pthread.h>

#include <errno.h>

#include "thread.h"

int pthread_mutexattr_init(pthread_mutexattr_t *attributes)
{
	attributes->protocol = PTHREAD_PRIO_NONE;
	return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol)
{
	if (protocol != PTHREAD_PRIO_NONE && protocol != PTHREAD_PRIO_INHERIT)
		return EINVAL;
	attributes->protocol = protocol;
	return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes)
{
	(void)attributes;
	return 0;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	(void)attributes;
	*mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	if (mutex->holder == thread_running())
		thread_fail("a thread locks a mutex that it has");
	if (mutex->holder)
		thread_wait(&mutex->firstWaiting, NEVER);
	else
		mutex->holder = thread_running();
	return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (mutex->holder != thread_running())
		thread_fail("a thread unlocks a mutex that it has not");
	mutex->holder = thread_wake(&mutex->firstWaiting);
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	return mutex->holder ? EBUSY : 0;
}
