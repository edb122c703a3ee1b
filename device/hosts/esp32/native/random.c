/*
 * svc/random: the chip's random number generator. It is suitable for cryptography while the radio or the noise source
 * is on (esp_random.h), which start.c ensures.
 */
#include "esp_random.h"
#include "machine.h"

/* getRandomValues(into): fills and returns it. */
void xs_random_get_random_values(xsMachine *the)
{
	void *data;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &data, &length);
	esp_fill_random(data, length);
	xsResult = xsArg(0);
}
