/* svc/random: the kernel's cryptographic source, getrandom(2). */
#include <string.h>
#include <sys/random.h>

#include "machine.h"

/* getRandomValues(into): fills and returns it. */
void xs_random_get_random_values(xsMachine *the)
{
	void *data;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &data, &length);
	for (uint8_t *at = data, *end = at + length; at < end; ) {
		ssize_t count = getrandom(at, end - at, 0);
		if (count < 0 && errno != EINTR)
			xsUnknownError("no random bytes: %s", strerror(errno));
		if (count > 0)
			at += count;
	}
	xsResult = xsArg(0);
}
