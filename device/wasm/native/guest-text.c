/* Text of the app's on its way to the VM, which believes that its strings are well-formed. */
#include <string.h>

#include "guest.h"
#include "utf8.h"

static const char REPLACEMENT[] = "\xEF\xBF\xBD";		// U+FFFD
static const char NUL[] = "\xC0\x80";					// U+0000, as the VM has it in its strings

uint32_t guest_copy_text(char *into, uint32_t room, const uint8_t *text, const uint8_t *end)
{
	uint32_t length = 0;
	while (text < end) {
		int sequence = *text ? utf8_sequence(text, end) : 1;
		const void *from = !*text ? NUL : sequence > 0 ? (const void *)text : REPLACEMENT;
		uint32_t width = !*text ? 2 : sequence > 0 ? sequence : 3;
		if (length + width > room)
			break;
		memcpy(into + length, from, width);
		length += width;
		text += sequence > 0 ? sequence : -sequence;
	}
	return length;
}
