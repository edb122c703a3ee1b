/* svc/display: what is shown, as the management machine reads it. */
#include <stdlib.h>
#include <string.h>

#include "display-memory.h"
#include "machine.h"

enum { ROW_BYTES = DISPLAY_WIDTH * 2 };

void xs_display_width(xsMachine *the)
{
	xsmcSetInteger(xsResult, DISPLAY_WIDTH);
}

void xs_display_height(xsMachine *the)
{
	xsmcSetInteger(xsResult, DISPLAY_HEIGHT);
}

void xs_display_snapshot_destructor(void *data)
{
	free(data);
}

void xs_display_snapshot_constructor(xsMachine *the)
{
	uint16_t *pixels = malloc(DISPLAY_PIXELS * sizeof(uint16_t));
	if (!pixels)
		xsUnknownError("no memory");
	display_copy_shown(pixels);
	xsmcSetHostData(xsThis, pixels);
}

/* readRow(y, into): fills the first bytes of `into` with a row, low byte first. */
void xs_display_snapshot_read_row(xsMachine *the)
{
	xsNumberValue y = xsmcToNumber(xsArg(0));
	const uint16_t *pixels = xsmcGetHostDataValidate(xsThis, xs_display_snapshot_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(1), &bytes, &length);
	if (!pixels)
		xsUnknownError("the snapshot is closed");
	if (!(y >= 0 && y <= DISPLAY_HEIGHT - 1))
		xsRangeError("no such row");
	if (length < ROW_BYTES)
		xsRangeError("a row takes %d bytes", ROW_BYTES);
	memcpy(bytes, pixels + (size_t)y * DISPLAY_WIDTH, ROW_BYTES);
}

void xs_display_snapshot_close(xsMachine *the)
{
	void *pixels = xsmcGetHostData(xsThis);
	if (!pixels)
		return;
	xsmcSetHostData(xsThis, NULL);
	xsmcSetHostDestructor(xsThis, NULL);
	xs_display_snapshot_destructor(pixels);
}
