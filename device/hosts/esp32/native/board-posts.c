/*
 * event_loop_post over the Moddable SDK's messages. Posts wait in our own list, with one SDK message for the whole
 * list: the SDK's queue is short, and a sender that finds it full waits, possibly for ever.
 *
 * An app must not wait, and the machine's own task cannot, since it alone empties the queue. So a dedicated task sends
 * the message and waits for as long as necessary.
 */
#include "board-posts.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "event-loop.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "machine.h"
#include "xsHost.h"

/* Above the machine's task, which the Moddable SDK starts with priority 4 and which would delay it otherwise. */
enum { STACK_BYTES = 2048, PRIORITY = 5 };

typedef struct Post Post;
struct Post {
	void (*callback)(void *context);
	void *context;
	Post *next;
};

static Post *firstPost;
static Post **lastPost = &firstPost;
static bool isWoken;			/* a message is on its way, or about to be sent */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static TaskHandle_t sender;

static Post *take_posts(void)
{
	pthread_mutex_lock(&lock);
	Post *posts = firstPost;
	firstPost = NULL;
	lastPost = &firstPost;
	isWoken = false;
	pthread_mutex_unlock(&lock);
	return posts;
}

/* Later posts wait for the next message, so that the rest of the loop gets its turn. */
static void deliver(void *the, void *context, uint8_t *message, uint16_t length)
{
	(void)the, (void)context, (void)message, (void)length;
	for (Post *post = take_posts(), *next; post; post = next) {
		next = post->next;
		post->callback(post->context);
		free(post);
	}
}

/* A debug build times out on a full queue after a few ticks. */
static void send_messages(void *context)
{
	(void)context;
	for (;;) {
		(void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
		while (modMessagePostToMachine(machine, NULL, 0, deliver, NULL) != 0)
			vTaskDelay(1);
	}
}

void board_posts_start(void)
{
	if (xTaskCreate(send_messages, "posts", STACK_BYTES, NULL, PRIORITY, &sender) != pdTRUE)
		abort();
}

void event_loop_post(void (*callback)(void *context), void *context)
{
	Post *post = malloc(sizeof(Post));
	if (!post)
		abort();
	*post = (Post){ callback, context, NULL };
	pthread_mutex_lock(&lock);
	*lastPost = post;
	lastPost = &post->next;
	const bool isToWake = !isWoken;
	isWoken = true;
	pthread_mutex_unlock(&lock);
	if (isToWake)
		xTaskNotifyGive(sender);
}
