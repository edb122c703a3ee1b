/*
 * The event loop of the desktop under the Moddable SDK, whose own loop waits for messages to the machine's task and cannot
 * wait for descriptors. So a task polls in its place:
 *
 *   machine's task   begins a turn --.               .--> ends it, begins the next one --.
 *   poller                            `--> poll() --'                                     `--> poll() ...
 *                                          message
 *
 * A turn is in the hands of one of the two at a time, so that it needs no lock, one message is on its way at most, and a
 * descriptor that is ready is not polled again before its callback has run. Before the machine's task changes a turn that
 * is being polled, it takes it back: it wakes the poller and waits until that has left poll(). So no descriptor is closed,
 * and its number given to another socket, while lwIP waits for it.
 *
 * The SDK's queue may be full. The poller then waits, which the machine's task must not, since it alone empties the queue;
 * it never waits for the poller's message, only for the end of poll().
 */
#include "board-loop.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "esp_vfs_eventfd.h"
#include "event-loop-turn.h"
#include "freertos/FreeRTOS.h"
#include "freertos/semphr.h"
#include "freertos/task.h"
#include "load.h"
#include "machine.h"
#include "watchdog.h"
#include "xsHost.h"

/* Above the machine's task, which the Moddable SDK starts with priority 4 and which would delay it otherwise. */
enum { STACK_BYTES = 3072, PRIORITY = 5 };

/* After a poll() that failed for want of memory. */
enum { RETRY_MS = 10 };

static TaskHandle_t poller;
static SemaphoreHandle_t hasPolled;

/* The turn, which the poller reads, and fills in, between its notification and `hasPolled`. */
static struct pollfd *descriptors;
static int descriptorCount, timeoutMs;

static bool isGiven;			/* to the poller; the machine's task alone uses it */

static void give_turn(void)
{
	descriptors = event_loop_begin_turn(INFINITY, &descriptorCount, &timeoutMs);
	isGiven = true;
	xTaskNotifyGive(poller);
}

static void wait_for_turn(void)
{
	if (!isGiven)
		return;
	(void)xSemaphoreTake(hasPolled, portMAX_DELAY);
	isGiven = false;
}

static void take_turn_back(void)
{
	if (isGiven)
		event_loop_wake();
	wait_for_turn();
}

/* On the machine's task. */
static void deliver(void *the, void *context, uint8_t *message, uint16_t length)
{
	(void)the, (void)context, (void)message, (void)length;
	wait_for_turn();
	if (event_loop_polled())
		event_loop_end_turn();
	give_turn();
}

static void poll_turn(void)
{
	if (poll(descriptors, descriptorCount, timeoutMs) >= 0)
		return;
	const bool isInterrupted = errno == EINTR;
	for (int index = 0; index < descriptorCount; index++)
		descriptors[index].revents = 0;
	if (!isInterrupted)
		vTaskDelay(pdMS_TO_TICKS(RETRY_MS));
}

/* A debug build times out on a full queue after a few ticks. */
static void send_message(void)
{
	while (modMessagePostToMachine(machine, NULL, 0, deliver, NULL) != 0)
		vTaskDelay(1);
}

static void run_poller(void *context)
{
	(void)context;
	for (;;) {
		(void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
		poll_turn();
		(void)xSemaphoreGive(hasPolled);
		send_message();
	}
}

void board_loop_start(void)
{
	const esp_vfs_eventfd_config_t options = ESP_VFS_EVENTD_CONFIG_DEFAULT();
	ESP_ERROR_CHECK(esp_vfs_eventfd_register(&options));
	hasPolled = xSemaphoreCreateBinary();
	if (!hasPolled || xTaskCreate(run_poller, "poller", STACK_BYTES, NULL, PRIORITY, &poller) != pdTRUE)
		abort();
	event_loop_open();
	event_loop_before_change(take_turn_back);
	give_turn();
}

/* The load is FreeRTOS's figure (task-load.c), and the watchdog is the SDK's. */
void load_idle_begins(double now)
{
	(void)now;
}

void load_idle_ends(double now)
{
	(void)now;
}

void watchdog_feed(double now)
{
	(void)now;
}
