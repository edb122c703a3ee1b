/*
 * svc/random: the chip's generator of random numbers. It is one for cryptography while the radio is on or its own
 * noise source is (esp_random.h), which start.c sees to.
 */
#include "esp_random.h"
#include "machine.h"

/* getRandomValues(into): fills it and returns it. */
void xs_random_get_random_values(xsMachine *the)
{
	void *data;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &data, &length);
	esp_fill_random(data, length);
	xsResult = xsArg(0);
}
