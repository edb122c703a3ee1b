/* The life of a thread, from pthread_create() to pthread_join(). */
#include <pthread.h>

#include <errno.h>
#include <stdlib.h>

#include "thread.h"

/* Default stack size, as in ESP-IDF. */
enum { DEFAULT_STACK_BYTES = 3072, LEAST_STACK_BYTES = 768 };

int pthread_attr_init(pthread_attr_t *attributes)
{
	attributes->stackBytes = DEFAULT_STACK_BYTES;
	return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t stackBytes)
{
	if (stackBytes < LEAST_STACK_BYTES)
		return EINVAL;
	attributes->stackBytes = stackBytes;
	return 0;
}

int pthread_attr_destroy(pthread_attr_t *attributes)
{
	(void)attributes;
	return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context)
{
	Thread *created = calloc(1, sizeof(Thread));
	if (!created)
		return EAGAIN;
	created->run = run;
	created->context = context;
	if (!thread_start(created, attributes ? attributes->stackBytes : DEFAULT_STACK_BYTES)) {
		thread_free(created);
		return EAGAIN;
	}
	*thread = created;
	return 0;
}

int pthread_join(pthread_t thread, void **result)
{
	if (thread == thread_running())
		return EDEADLK;
	if (!thread->hasEnded)
		thread_wait(&thread->firstJoining, NEVER);
	if (result)
		*result = thread->result;
	thread_free(thread);
	return 0;
}

/* A running thread is freed when it ends (threads.c). */
int pthread_detach(pthread_t thread)
{
	thread->isDetached = true;
	if (thread->hasEnded)
		thread_free(thread);
	return 0;
}

pthread_t pthread_self(void)
{
	return thread_running();
}
