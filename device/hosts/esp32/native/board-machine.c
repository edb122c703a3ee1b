/*
 * What machine.h and event-loop.h ask for, of the Moddable SDK's loop. A turn of it runs promise jobs by itself.
 *
 * Posts go through a list of our own, with one message of the SDK's for all that is in it: its queue is short, who
 * finds it full waits, and neither an app nor the machine's own task may.
 */
#include "board-machine.h"

#include <pthread.h>
#include <stdlib.h>

#include "esp_timer.h"
#include "event-loop.h"
#include "load.h"
#include "xsHost.h"

typedef struct Post Post;
struct Post {
	void (*callback)(void *context);
	void *context;
	Post *next;
};

xsMachine *machine;
static Post *firstPost;
static Post **lastPost = &firstPost;
static bool isWoken;			/* a message is on its way */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void board_machine_open(xsMachine *the)
{
	machine = the;
	load_of_this_task();
}

void machine_end_turn(void)
{
}

double event_loop_now(void)
{
	return (double)esp_timer_get_time() / 1000;
}

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

/* What is posted meanwhile comes with the next message, so that the rest of the loop has its turn. */
static void deliver(void *the, void *context, uint8_t *message, uint16_t length)
{
	(void)the, (void)context, (void)message, (void)length;
	for (Post *post = take_posts(), *next; post; post = next) {
		next = post->next;
		post->callback(post->context);
		free(post);
	}
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
		(void)modMessagePostToMachine(machine, NULL, 0, deliver, NULL);
}
