/* Blocks of memory outside the machine's heap, which typed arrays view as they do an ArrayBuffer. */
#include "xsmc.h"

#include <stdlib.h>

/* More than any of our buffers; a board has 8 MiB in total. */
enum { MAXIMUM_BLOCK_BYTES = 1024 * 1024 };

void xs_memory_destructor(void *data)
{
	free(data);
}

/* new Block(byteLength) */
void xs_memory_constructor(xsMachine *the)
{
	xsNumberValue byteLength = xsmcToNumber(xsArg(0));
	if (!(byteLength >= 1 && byteLength <= MAXIMUM_BLOCK_BYTES))
		xsRangeError("bad length of a block");
	void *data = calloc(1, (size_t)byteLength);
	if (!data)
		xsUnknownError("no memory for the block");
	xsmcSetHostBuffer(xsThis, data, (xsIntegerValue)byteLength);
}

/* block.close(): its views have length 0 from then on. */
void xs_memory_close(xsMachine *the)
{
	free(xsmcGetHostData(xsThis));
	xsmcSetHostData(xsThis, NULL);
}
