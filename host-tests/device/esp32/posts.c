/*
 * Posts to the machine's task through the SDK's queue when it is full: no sender blocks, and no message is lost,
 * whether the queue makes its sender wait or refuses. Tasks are threads here; this one is the machine's. Prints each
 * violation.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "board-posts.h"
#include "event-loop.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "xsHost.h"

enum { POSTS = 100, LONGEST_S = 30 };

xsMachine *machine;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool isFull, isRefusing, isNotified;
static int refusals;
static modMessageDeliver queued;
static int failures, delivered;

static void fail(const char *what, int number)
{
	printf("%s: %d\n", what, number);
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
	return pthread_create(&thread, NULL, run_task, (void *)code) == 0 ? pdTRUE : 0;
}

static void set(bool *flag, bool value)
{
	pthread_mutex_lock(&lock);
	*flag = value;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

BaseType_t xTaskNotifyGive(TaskHandle_t task)
{
	(void)task;
	set(&isNotified, true);
	return pdTRUE;
}

uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks)
{
	(void)clear, (void)ticks;
	pthread_mutex_lock(&lock);
	while (!isNotified)
		pthread_cond_wait(&changed, &lock);
	isNotified = false;
	pthread_mutex_unlock(&lock);
	return 1;
}

void vTaskDelay(TickType_t ticks)
{
	usleep(ticks * 1000);
}

/* A queue with room for one message. */
int modMessagePostToMachine(xsMachine *the, uint8_t *message, uint16_t length, modMessageDeliver callback, void *refcon)
{
	(void)the, (void)message, (void)length, (void)refcon;
	pthread_mutex_lock(&lock);
	while (isFull && !isRefusing)
		pthread_cond_wait(&changed, &lock);
	const bool isTaken = !isFull;
	if (isTaken)
		queued = callback;
	isFull = true;
	refusals += !isTaken;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return isTaken ? 0 : -2;
}

/* One message, as the SDK's loop does. */
static void service_queue(void)
{
	pthread_mutex_lock(&lock);
	while (!queued)
		pthread_cond_wait(&changed, &lock);
	modMessageDeliver deliver = queued;
	queued = NULL;
	isFull = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	deliver(NULL, NULL, NULL, 0);
}

static void note(void *context)
{
	const int *number = context;
	if (*number != delivered)
		fail("delivered out of order", *number);
	delivered++;
}

static void wait_for_refusal(void)
{
	pthread_mutex_lock(&lock);
	while (refusals == 0)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void post_all(int *numbers, bool refuses)
{
	isRefusing = refuses;
	delivered = 0;
	set(&isFull, true);			// of messages of the SDK's own
	for (int index = 0; index < POSTS; index++) {
		numbers[index] = index;
		event_loop_post(note, &numbers[index]);
	}
	if (refuses)
		wait_for_refusal();
	set(&isFull, false);		// which the machine has seen to
	while (delivered < POSTS)
		service_queue();
	event_loop_post(note, &(int){ POSTS });
	service_queue();
	if (delivered != POSTS + 1)
		fail("not delivered", delivered);
}

int main(void)
{
	int numbers[POSTS];
	alarm(LONGEST_S);
	board_posts_start();
	post_all(numbers, false);
	post_all(numbers, true);
	return failures > 0;
}
