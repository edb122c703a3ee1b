/*
 * The event loop (event-loop.h) inside the simulator's own, which is GLib's: GLib's sources and ours are polled
 * together, and one GLib source dispatches to our ready sources.
 */
#include "glib-loop.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "event-loop-turn.h"

static bool hasWork;

static int shorter(int oneMs, int otherMs)
{
	if (oneMs < 0)
		return otherMs;
	return otherMs < 0 || oneMs < otherMs ? oneMs : otherMs;
}

/* Memory for both sets of descriptors, reused in each turn. */
static struct pollfd *room_for(size_t count)
{
	static struct pollfd *room;
	static size_t capacity;
	if (count > capacity) {
		capacity = 2 * count;
		room = realloc(room, capacity * sizeof(*room));
		if (!room)
			abort();
	}
	return room;
}

/* GLib calls it in place of poll(): GPollFD has the layout of struct pollfd. */
static gint poll_together(GPollFD *theirs, guint theirCount, gint theirTimeoutMs)
{
	int count, timeoutMs;
	struct pollfd *ours = event_loop_begin_turn(INFINITY, &count, &timeoutMs);
	struct pollfd *all = room_for(theirCount + count);
	memcpy(all, theirs, theirCount * sizeof(*all));
	memcpy(all + theirCount, ours, count * sizeof(*all));
	int ready = poll(all, theirCount + count, shorter(theirTimeoutMs, timeoutMs));
	if (ready < 0 && errno != EINTR)
		abort();
	if (ready > 0) {
		memcpy(theirs, all, theirCount * sizeof(*all));
		memcpy(ours, all + theirCount, count * sizeof(*all));
	}
	hasWork = event_loop_polled();
	return ready;
}

_Static_assert(sizeof(GPollFD) == sizeof(struct pollfd), "GPollFD is a pollfd");

static gboolean prepare(GSource *source, gint *timeoutMs)
{
	(void)source;
	*timeoutMs = -1;
	return FALSE;
}

static gboolean check(GSource *source)
{
	(void)source;
	return hasWork;
}

static void (*afterTurn)(void);

static gboolean dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
	(void)source;
	(void)callback;
	(void)data;
	hasWork = false;
	event_loop_end_turn();
	afterTurn();
	return G_SOURCE_CONTINUE;
}

static GSourceFuncs functions = { .prepare = prepare, .check = check, .dispatch = dispatch };

void glib_loop_open(void (*callback)(void))
{
	afterTurn = callback;
	event_loop_open();
	g_main_context_set_poll_func(NULL, poll_together);
	g_source_attach(g_source_new(&functions, sizeof(GSource)), NULL);
}
