/* What threads must not do, each a program of its own: FAILURE is its name. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;

static void *run(void *run_failure)
{
	((void (*)(void))run_failure)();
	return NULL;
}

static void join(void (*run_failure)(void))
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, run_failure);
	pthread_join(thread, NULL);
}

static void wait_for_no_thread(void)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&condition, &mutex);
}

static void wait_for_waiter(void)
{
	join(wait_for_no_thread);
}

static void lock_again(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static void unlock_of_another(void)
{
	pthread_mutex_lock(&mutex);
	join(unlock);
}

/* More than the stack, from whose end on there is the heap. */
static void fill_stack(void)
{
	volatile char bytes[3072];
	for (size_t index = 0; index < sizeof(bytes); index++)
		bytes[index] = 0;
}

static void leave_stack(void)
{
	join(fill_stack);
}

int main(void)
{
	FAILURE();
	puts("it has come to its end");
	return 0;
}
