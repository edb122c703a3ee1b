/*
 * Waiting (poll.h). poll() reports ready descriptors immediately. If none is ready, the other threads run; if these
 * are idle, too, the script continues; if the script waits, too, time passes until the next deadline.
 */
#include <poll.h>

#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "clock.h"
#include "descriptors.h"
#include "script.h"
#include "threads.h"

static const uint64_t MILLISECOND = 1000 * 1000;		/* in nanoseconds */

/* @returns the number of descriptors with events */
static int update_revents(struct pollfd *descriptors, nfds_t count)
{
	int readyCount = 0;
	for (nfds_t index = 0; index < count; index++) {
		struct pollfd *asked = &descriptors[index];
		const short told = asked->events | POLLERR | POLLHUP | POLLNVAL;
		asked->revents = asked->fd < 0 ? 0 : descriptor_ready(asked->fd) & told;
		readyCount += asked->revents != 0;
	}
	return readyCount;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Call it while all threads and the script are idle until a deadline. */
static void advance_clock(uint64_t until)
{
	if (script_is_over())
		board_power_off(0);
	const uint64_t wake = earlier(until, earlier(threads_next_wake(), script_wakes_at()));
	if (wake == UINT64_MAX)
		script_stalled();
	clock_wait_until(wake);
}

int poll(struct pollfd *descriptors, nfds_t count, int timeoutMs)
{
	const uint64_t until = timeoutMs < 0 ? UINT64_MAX : clock_now() + timeoutMs * MILLISECOND;
	for (;;) {
		int readyCount = update_revents(descriptors, count);
		bool hasRun = readyCount == 0 && threads_run();
		if (hasRun)
			readyCount = update_revents(descriptors, count);
		// A console that does not wait has work to do, so the script does not continue.
		if (readyCount > 0 || timeoutMs == 0 || clock_now() >= until)
			return readyCount;
		if (!hasRun && !script_go_on())
			advance_clock(until);
	}
}
