/* Threads, and a queue of one message (machine-task.h). */
#include "machine-task.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "esp_vfs_eventfd.h"
#include "freertos/FreeRTOS.h"
#include "freertos/semphr.h"
#include "freertos/task.h"
#include "machine.h"
#include "xsHost.h"

enum { MAXIMUM_POLLED = 128 };

/* The longest wait: whatever is not done by then is lost, on however busy a machine. */
enum { LONGEST_WAIT_S = 60 };

xsMachine *machine;
int failures;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool isFull, isRefusing, isNotified, isGiven;
static int refusals;
static modMessageDeliver queued;

static struct pollfd polled[MAXIMUM_POLLED];
static nfds_t polledCount;
static bool isPolling;
static int pollCount, pollsToFail;

void fail(const char *what, int number)
{
	printf("%s: %d\n", what, number);
	fflush(stdout);			// the program may end by its alarm
	failures++;
}

static void *run_task(void *code)
{
	((TaskFunction_t)code)(NULL);
	return NULL;
}

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, uint32_t stack, void *parameters, UBaseType_t priority,
	TaskHandle_t *task)
{
	static pthread_t thread;
	(void)name, (void)stack, (void)parameters, (void)priority;
	*task = NULL;
	alarm(LONGEST_WAIT_S);
	return pthread_create(&thread, NULL, run_task, (void *)code) == 0 ? pdTRUE : 0;
}

static void set(bool *flag)
{
	pthread_mutex_lock(&lock);
	*flag = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void take(bool *flag)
{
	pthread_mutex_lock(&lock);
	while (!*flag)
		pthread_cond_wait(&changed, &lock);
	*flag = false;
	pthread_mutex_unlock(&lock);
}

BaseType_t xTaskGenericNotify(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action, uint32_t *previous)
{
	(void)task, (void)index, (void)value, (void)previous;
	if (action != eIncrement)
		abort();
	set(&isNotified);
	return pdTRUE;
}

uint32_t ulTaskGenericNotifyTake(UBaseType_t index, BaseType_t clear, TickType_t ticks)
{
	(void)index, (void)clear, (void)ticks;
	take(&isNotified);
	return 1;
}

/* A binary semaphore is a queue of one item without bytes. */
QueueHandle_t xQueueGenericCreate(UBaseType_t length, UBaseType_t itemBytes, uint8_t type)
{
	(void)type;
	if (length != 1 || itemBytes != 0)
		abort();
	return (QueueHandle_t)&isGiven;
}

BaseType_t xQueueGenericSend(QueueHandle_t semaphore, const void *item, TickType_t ticks, BaseType_t position)
{
	(void)item, (void)ticks, (void)position;
	set((bool *)semaphore);
	return pdTRUE;
}

BaseType_t xQueueSemaphoreTake(QueueHandle_t semaphore, TickType_t ticks)
{
	(void)ticks;
	take((bool *)semaphore);
	return pdTRUE;
}

void vTaskDelay(TickType_t ticks)
{
	usleep(ticks * 1000);
}

esp_err_t esp_vfs_eventfd_register(const esp_vfs_eventfd_config_t *config)
{
	(void)config;
	return ESP_OK;
}

int modMessagePostToMachine(xsMachine *the, uint8_t *message, uint16_t length, modMessageDeliver callback, void *refcon)
{
	(void)the, (void)message, (void)length, (void)refcon;
	pthread_mutex_lock(&lock);
	while ((isFull || queued) && !isRefusing)
		pthread_cond_wait(&changed, &lock);
	const bool isTaken = !isFull && !queued;
	if (isTaken)
		queued = callback;
	refusals += !isTaken;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return isTaken ? 0 : -2;
}

bool service(int timeoutMs)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)(timeoutMs % 1000) * 1000000;
	until.tv_sec += timeoutMs / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	while (!queued && pthread_cond_timedwait(&changed, &lock, &until) == 0)
		;
	modMessageDeliver deliver = queued;
	queued = NULL;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (deliver)
		deliver(machine, NULL, NULL, 0);
	return deliver != NULL;
}

void service_until(bool (*isDone)(void))
{
	alarm(LONGEST_WAIT_S);		// runs on, since what follows may wait for the poller
	while (!isDone())
		(void)service(100);
}

void set_full(bool full, bool refusing)
{
	pthread_mutex_lock(&lock);
	isFull = full;
	isRefusing = refusing;
	refusals = 0;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

void wait_for_refusal(void)
{
	pthread_mutex_lock(&lock);
	while (refusals == 0)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

int polls(void)
{
	pthread_mutex_lock(&lock);
	const int count = pollCount;
	pthread_mutex_unlock(&lock);
	return count;
}

void wait_for_poller(void)
{
	pthread_mutex_lock(&lock);
	while (!isPolling)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

void fail_polls(int count)
{
	pthread_mutex_lock(&lock);
	pollsToFail = count;
	pthread_mutex_unlock(&lock);
}

int __real_poll(struct pollfd *descriptors, nfds_t count, int timeoutMs);
int __real_close(int fd);

static bool begin_poll(const struct pollfd *descriptors, nfds_t count)
{
	pthread_mutex_lock(&lock);
	if (count > MAXIMUM_POLLED)
		abort();
	memcpy(polled, descriptors, count * sizeof(*polled));
	polledCount = count;
	isPolling = true;
	const bool fails = pollsToFail > 0;
	pollsToFail -= fails;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return !fails;
}

static void end_poll(void)
{
	pthread_mutex_lock(&lock);
	isPolling = false;
	pollCount++;
	pthread_mutex_unlock(&lock);
}

/* As ESP-IDF's, which waits a moment more after it has looked, and leaves garbage if it fails. */
int __wrap_poll(struct pollfd *descriptors, nfds_t count, int timeoutMs)
{
	static unsigned int seed = 1;
	int ready = -1;
	if (begin_poll(descriptors, count))
		ready = __real_poll(descriptors, count, timeoutMs);
	else
		for (nfds_t index = 0; index < count; index++)
			descriptors[index].revents = POLLIN;
	usleep(rand_r(&seed) % 200);
	end_poll();
	if (ready < 0)
		errno = ENOMEM;
	return ready;
}

int __wrap_close(int fd)
{
	pthread_mutex_lock(&lock);
	bool isPolled = false;
	for (nfds_t index = 0; isPolling && index < polledCount; index++)
		isPolled |= polled[index].fd == fd;
	pthread_mutex_unlock(&lock);
	if (isPolled)
		fail("closed while it is polled", fd);
	return __real_close(fd);
}
