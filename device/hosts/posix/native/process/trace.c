/* The debug console: standard error. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "xsmc.h"

/* trace(text): writes the text unchanged. */
void xs_trace(xsMachine *the)
{
	const char *text = xsmcToString(xsArg(0));
	size_t length = strlen(text);
	while (length > 0) {
		ssize_t written = write(STDERR_FILENO, text, length);
		if (written < 0 && errno != EINTR)
			return;		// the reader of the log is gone, which is no reason to stop
		if (written > 0) {
			text += written;
			length -= written;
		}
	}
}
