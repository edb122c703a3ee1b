/*
 * Posts to the machine's task through the SDK's queue when it is full: no sender blocks, and no message is lost,
 * whether the queue makes its sender wait or refuses. Prints each violation.
 */
#include <stdio.h>
#include <unistd.h>

#include "board-loop.h"
#include "event-loop.h"
#include "machine-task.h"

enum { POSTS = 100 };

static int delivered;

static void note(void *context)
{
	const int *number = context;
	if (*number != delivered)
		fail("delivered out of order", *number);
	delivered++;
}

static bool are_all_delivered(void)
{
	return delivered >= POSTS;
}

static void post_all(int *numbers, bool refuses)
{
	delivered = 0;
	set_full(true, refuses);			// of messages of the SDK's own
	for (int index = 0; index < POSTS; index++) {
		numbers[index] = index;
		event_loop_post(note, &numbers[index]);
	}
	if (refuses)
		wait_for_refusal();
	set_full(false, false);		// which the machine has seen to
	service_until(are_all_delivered);
	event_loop_post(note, &(int){ POSTS });
	while (delivered == POSTS)
		(void)service(100);
	if (delivered != POSTS + 1)
		fail("not delivered", delivered);
}

int main(void)
{
	int numbers[POSTS];
	board_loop_start();
	post_all(numbers, false);
	post_all(numbers, true);
	return failures > 0;
}
