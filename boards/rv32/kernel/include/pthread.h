/*
 * The part of POSIX threads that the console uses. The threads are cooperative: a thread runs until it waits
 * (threads.h). A mutex goes to waiters in FIFO order. Functions that can fail return an error of errno.h.
 */
#ifndef SVC_PTHREAD_H
#define SVC_PTHREAD_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

typedef struct pthread *pthread_t;

typedef struct {
	size_t stackBytes;
} pthread_attr_t;

typedef struct {
	pthread_t holder;
	pthread_t firstWaiting;
} pthread_mutex_t;

typedef struct {
	int protocol;
} pthread_mutexattr_t;

typedef struct {
	pthread_t firstWaiting;
} pthread_cond_t;

typedef struct {
	clockid_t clock;
} pthread_condattr_t;

#define PTHREAD_MUTEX_INITIALIZER { NULL, NULL }

/* There are no priorities to inherit. */
enum { PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT };

int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t stackBytes);
int pthread_attr_destroy(pthread_attr_t *attributes);

/* The thread first runs when its creator waits. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context);
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
pthread_t pthread_self(void);

int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);

/* Locking a mutex that the thread holds, or unlocking one that it does not hold, ends the run. */
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_mutex_destroy(pthread_mutex_t *mutex);

int pthread_condattr_init(pthread_condattr_t *attributes);
int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);
int pthread_condattr_destroy(pthread_condattr_t *attributes);

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);
int pthread_cond_destroy(pthread_cond_t *condition);

#endif
