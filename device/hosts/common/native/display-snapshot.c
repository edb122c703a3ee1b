/* svc/display: the shown picture, as the management machine reads and clears it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "display.h"
#include "display-memory.h"
#include "machine.h"
#include "sound.h"

enum { ROW_BYTES = DISPLAY_WIDTH * 2, RGB_ROW_BYTES = DISPLAY_WIDTH * 3 };

void xs_display_show_nothing(xsMachine *the)
{
	(void)the;
	display_bring_to_front(NULL);
	sound_bring_to_front(NULL);
}

/* setBrightness(percent) */
void xs_display_set_brightness(xsMachine *the)
{
	xsNumberValue percent = xsmcToNumber(xsArg(0));
	if (!(percent >= 0 && percent <= 100))
		xsRangeError("no brightness");
	display_set_brightness((int)percent);
}

/* keepPictures(count) */
void xs_display_keep_pictures(xsMachine *the)
{
	xsNumberValue count = xsmcToNumber(xsArg(0));
	if (!(count >= 0 && count <= INT16_MAX))
		xsRangeError("no number of pictures");
	display_keep_pictures((int)count);
}

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

/* constructor(isOwner) */
void xs_display_snapshot_constructor(xsMachine *the)
{
	uint16_t *pixels = malloc(DISPLAY_PIXELS * sizeof(uint16_t));
	if (!pixels)
		xsUnknownError("no memory");
	display_copy_shown(pixels, xsmcToBoolean(xsArg(0)));
	xsmcSetHostData(xsThis, pixels);
}

/* The row named by argument 0; `*bytes` points to the destination, argument 1, which has room for `byteLength`. */
static const uint16_t *row_and_room(xsMachine *the, size_t byteLength, void **bytes)
{
	xsNumberValue y = xsmcToNumber(xsArg(0));
	const uint16_t *pixels = xsmcGetHostDataValidate(xsThis, xs_display_snapshot_destructor);
	xsUnsignedValue room;
	xsmcGetBufferWritable(xsArg(1), bytes, &room);
	if (!pixels)
		xsUnknownError("the snapshot is closed");
	if (!(y >= 0 && y <= DISPLAY_HEIGHT - 1))
		xsRangeError("no such row");
	if (room < byteLength)
		xsRangeError("a row takes %d bytes", (int)byteLength);
	return pixels + (size_t)y * DISPLAY_WIDTH;
}

/* readRow(y, into): pixels in RGB565, low byte first. */
void xs_display_snapshot_read_row(xsMachine *the)
{
	void *bytes;
	const uint16_t *row = row_and_room(the, ROW_BYTES, &bytes);
	memcpy(bytes, row, ROW_BYTES);
}

/* readRgbRow(y, into): three bytes a pixel; the high bits of each byte are repeated in its low bits. */
void xs_display_snapshot_read_rgb_row(xsMachine *the)
{
	void *bytes;
	const uint16_t *row = row_and_room(the, RGB_ROW_BYTES, &bytes);
	uint8_t *at = bytes;
	for (const uint16_t *pixel = row; pixel < row + DISPLAY_WIDTH; pixel++) {
		int red = *pixel >> 11, green = *pixel >> 5 & 0x3F, blue = *pixel & 0x1F;
		*at++ = (uint8_t)(red << 3 | red >> 2);
		*at++ = (uint8_t)(green << 2 | green >> 4);
		*at++ = (uint8_t)(blue << 3 | blue >> 2);
	}
}

void xs_display_snapshot_close(xsMachine *the)
{
	xs_display_snapshot_destructor(machine_detach(the, xs_display_snapshot_destructor));
}
