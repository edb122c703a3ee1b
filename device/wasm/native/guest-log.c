/* Log lines on their way from the app to the VM: a ring of a fixed size. The newest lines say most. */
#include <string.h>

#include "guest.h"
#include "utf8.h"

/*
 * Where there is no room: long enough for the VM to take some. An app that floods the log would otherwise do
 * nothing but hold the mutex, half of the time on a thread that has been preempted, and the VM waits for that.
 */
enum { PATIENCE_MS = 2 };

static const char REPLACEMENT[] = "\xEF\xBF\xBD";		// U+FFFD

/*
 * Copies what is well-formed and replaces what is not; NUL is replaced too, for the machine's strings end
 * there. Nothing is cut within a character. @returns the bytes written
 */
static uint16_t copy_text(char *into, const uint8_t *text, const uint8_t *end)
{
	uint16_t length = 0;
	while (text < end) {
		int sequence = *text ? utf8_sequence(text, end) : -1;
		const void *from = sequence > 0 ? (const void *)text : REPLACEMENT;
		int width = sequence > 0 ? sequence : 3;
		if (length + width > GUEST_LOG_BYTES)
			break;
		memcpy(into + length, from, width);
		length += width;
		text += sequence > 0 ? sequence : -sequence;
	}
	return length;
}

/* The line that is then the oldest says how many are lost. */
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
	added.byteLength = copy_text(added.text, text, text + byteLength);
	pthread_mutex_lock(&guest->mutex);
	*next_line(guest) = added;
	guest_unlock_and_wake(guest);
}
