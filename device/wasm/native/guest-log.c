/* Log lines on their way from the app to the VM: a ring of a fixed size. The newest lines say most. */
#include "guest.h"

/*
 * Where there is no room: long enough for the VM to take some. An app that floods the log would otherwise do
 * nothing but hold the mutex, half of the time on a thread that has been preempted, and the VM waits for that.
 */
enum { PATIENCE_MS = 2 };

/* The line that is then the oldest reports how many are lost. */
static void drop_oldest(Guest *guest)
{
	const uint32_t lost = guest->log[guest->firstLine].lost + 1;
	guest->firstLine = (guest->firstLine + 1) % GUEST_LOG_LINES;
	guest->lineCount--;
	guest->log[guest->firstLine].lost += lost;
}

/* @returns the line to fill; it is the newest from now on */
static GuestLogLine *next_line(Guest *guest)
{
	if (guest->lineCount == GUEST_LOG_LINES)
		guest_pause(guest, PATIENCE_MS);
	if (guest->lineCount == GUEST_LOG_LINES)
		drop_oldest(guest);
	return &guest->log[(guest->firstLine + guest->lineCount++) % GUEST_LOG_LINES];
}

void guest_log_add(Guest *guest, int level, const uint8_t *text, uint32_t byteLength)
{
	GuestLogLine added = { .level = level };
	added.byteLength = guest_copy_text(added.text, GUEST_LOG_BYTES, text, text + byteLength);
	pthread_mutex_lock(&guest->mutex);
	*next_line(guest) = added;
	guest_unlock_and_wake(guest);
}
