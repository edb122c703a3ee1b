/* The functions of the ABI that are done on the app's own thread, as abi-table.c names them. */
#include <string.h>

#include "display.h"
#include "guest.h"
#include "interruption.h"
#include "pins.h"
#include "wasm3-stack.h"

enum { NOT_FOUND = -2, IO_ERROR = -5, BUSY = -16, INVALID = -22 };

const char *abi_log(Guest *guest, AbiCall *call)
{
	const int32_t level = call->parameters[0];
	if (level < 0 || level > 3)
		call->result = INVALID;
	else
		guest_log_add(guest, level, call->ranges[0].bytes, call->ranges[0].byteLength);
	return NULL;
}

const char *abi_uptime_ms(Guest *guest, AbiCall *call)
{
	(void)guest;
	call->result = guest_platform_uptime_ms();
	return NULL;
}

const char *abi_sleep_ms(Guest *guest, AbiCall *call)
{
	const int32_t milliseconds = call->parameters[0];
	if (milliseconds < 0) {
		call->result = INVALID;
		return NULL;
	}
	pthread_mutex_lock(&guest->mutex);
	guest_pause(guest, milliseconds);
	pthread_mutex_unlock(&guest->mutex);
	return NULL;
}

const char *abi_random(Guest *guest, AbiCall *call)
{
	(void)guest;
	if (!guest_platform_random(call->ranges[0].bytes, call->ranges[0].byteLength))
		call->result = IO_ERROR;
	return NULL;
}

const char *abi_exit(Guest *guest, AbiCall *call)
{
	guest->exit.code = call->parameters[0];
	return m3Err_trapExit;
}

/* Of the native stack and wasm3's own, the one that ends first, in bytes of the native one. */
const char *abi_stack_left(Guest *guest, AbiCall *call)
{
	const uintptr_t pointer = stack_pointer();
	const uintptr_t native = pointer > stackBounds.ownLimit ? pointer - stackBounds.ownLimit : 0;
	call->result = native / GUEST_STACK_SCALE;
	Wasm3Stack operands;
	if (wasm3_stack_left(&operands)) {
		const int64_t left = (uint64_t)operands.bytesLeft * guest->stackBytes / operands.byteLength;
		call->result = left < call->result ? left : call->result;
	}
	return NULL;
}

const char *abi_script_size(Guest *guest, AbiCall *call)
{
	call->result = guest->hasScript ? (int64_t)guest->scriptByteLength : NOT_FOUND;
	return NULL;
}

const char *abi_script_read(Guest *guest, AbiCall *call)
{
	const int32_t offset = call->parameters[1];
	if (!guest->hasScript)
		call->result = NOT_FOUND;
	else if (offset < 0)
		call->result = INVALID;
	else if ((uint32_t)offset < guest->scriptByteLength) {
		uint32_t left = guest->scriptByteLength - offset;
		uint32_t length = call->ranges[0].byteLength < left ? call->ranges[0].byteLength : left;
		memcpy(call->ranges[0].bytes, guest->module + guest->scriptOffset + offset, length);
		call->result = length;
	}
	return NULL;
}

const char *abi_display_width(Guest *guest, AbiCall *call)
{
	(void)guest;
	call->result = display_width();
	return NULL;
}

const char *abi_display_height(Guest *guest, AbiCall *call)
{
	(void)guest;
	call->result = display_height();
	return NULL;
}

/* @param isInFront whether the app is, so that its call had an effect */
static void tell_whether_shown(AbiCall *call, bool isInFront)
{
	if (!isInFront)
		call->result = BUSY;
}

const char *abi_display_fill(Guest *guest, AbiCall *call)
{
	const int32_t *p = call->parameters;
	tell_whether_shown(call, display_fill(&guest->display, p[0], p[1], p[2], p[3], (uint16_t)p[4]));
	return NULL;
}

const char *abi_display_blit(Guest *guest, AbiCall *call)
{
	const int32_t *p = call->parameters;
	tell_whether_shown(call, display_blit(&guest->display, p[0], p[1], p[2], p[3], call->ranges[0].bytes));
	return NULL;
}

static void write_text(Guest *guest, AbiCall *call, int scale, int32_t rgb565)
{
	const char *text = (const char *)call->ranges[0].bytes;
	const int32_t x = call->parameters[0], y = call->parameters[1];
	tell_whether_shown(call, display_text(&guest->display, x, y, scale, (uint16_t)rgb565, text, call->ranges[0].byteLength));
}

const char *abi_display_text(Guest *guest, AbiCall *call)
{
	write_text(guest, call, 1, call->parameters[2]);
	return NULL;
}

const char *abi_display_large_text(Guest *guest, AbiCall *call)
{
	const int32_t scale = call->parameters[2];
	if (scale < 1 || scale > DISPLAY_TEXT_SCALE)
		call->result = INVALID;
	else
		write_text(guest, call, scale, call->parameters[3]);
	return NULL;
}

const char *abi_display_sprite(Guest *guest, AbiCall *call)
{
	const int32_t *p = call->parameters;
	const DisplaySprite sprite = {
		.sheet = call->ranges[0].bytes, .sheetWidth = p[3], .sheetHeight = p[4], .width = p[5], .height = p[6],
		.number = p[7], .transparent = p[8], .flip = p[9],
	};
	if (!display_has_sprite(&sprite) || (p[9] & ~DISPLAY_FLIPS) != 0)
		call->result = INVALID;
	else
		tell_whether_shown(call, display_sprite(&guest->display, p[0], p[1], &sprite));
	return NULL;
}

/* Reads points from the parameters, x and y of each. @returns whether they may be drawn; the result is set where not */
static bool read_points(AbiCall *call, int count, DisplayPoint *points)
{
	for (int index = 0; index < count; index++) {
		const int32_t x = call->parameters[2 * index], y = call->parameters[2 * index + 1];
		points[index] = (DisplayPoint){ .x = x, .y = y };
		if (x < -DISPLAY_COORDINATE || x > DISPLAY_COORDINATE || y < -DISPLAY_COORDINATE || y > DISPLAY_COORDINATE) {
			call->result = INVALID;
			return false;
		}
	}
	return true;
}

const char *abi_display_line(Guest *guest, AbiCall *call)
{
	DisplayPoint ends[2];
	if (read_points(call, 2, ends))
		tell_whether_shown(call, display_line(&guest->display, ends[0], ends[1], (uint16_t)call->parameters[4]));
	return NULL;
}

const char *abi_display_circle(Guest *guest, AbiCall *call)
{
	const int32_t *p = call->parameters;
	DisplayPoint centre;
	if (p[2] < 0 || p[2] > DISPLAY_COORDINATE)
		call->result = INVALID;
	else if (read_points(call, 1, &centre))
		tell_whether_shown(call, display_circle(&guest->display, centre, p[2], (uint16_t)p[3], p[4] != 0));
	return NULL;
}

const char *abi_display_triangle(Guest *guest, AbiCall *call)
{
	DisplayPoint corners[3];
	if (read_points(call, 3, corners))
		tell_whether_shown(call, display_triangle(&guest->display, corners, (uint16_t)call->parameters[6]));
	return NULL;
}

const char *abi_display_scroll(Guest *guest, AbiCall *call)
{
	tell_whether_shown(call, display_scroll(&guest->display, call->parameters[0], call->parameters[1]));
	return NULL;
}

const char *abi_display_clip(Guest *guest, AbiCall *call)
{
	const int32_t *p = call->parameters;
	tell_whether_shown(call, display_clip(&guest->display, p[0], p[1], p[2], p[3]));
	return NULL;
}

const char *abi_display_flush(Guest *guest, AbiCall *call)
{
	tell_whether_shown(call, display_flush(&guest->display));
	return NULL;
}

const char *abi_display_conceal(Guest *guest, AbiCall *call)
{
	tell_whether_shown(call, display_conceal(&guest->display, call->parameters[0], call->parameters[1]));
	return NULL;
}

const char *abi_gpio_read(Guest *guest, AbiCall *call)
{
	(void)guest;
	call->result = pins_read(call->parameters[0]);
	return NULL;
}

/* Of the home screen, the owner's count alone. */
static void answer_buttons(Guest *guest, AbiCall *call, int32_t (*buttons)(bool ofOwner))
{
	if (display_is_in_front(&guest->display))
		call->result = buttons(guest->capabilities & GUEST_SYSTEM_CAPABILITY);
}

const char *abi_buttons(Guest *guest, AbiCall *call)
{
	answer_buttons(guest, call, pins_buttons);
	return NULL;
}

const char *abi_buttons_pressed(Guest *guest, AbiCall *call)
{
	answer_buttons(guest, call, pins_take_pressed);
	return NULL;
}

const char *abi_buttons_released(Guest *guest, AbiCall *call)
{
	answer_buttons(guest, call, pins_take_released);
	return NULL;
}

const char *abi_gpio_mode(Guest *guest, AbiCall *call)
{
	(void)guest;
	call->result = pins_mode(call->parameters[0], call->parameters[1]);
	return NULL;
}

const char *abi_gpio_write(Guest *guest, AbiCall *call)
{
	(void)guest;
	call->result = pins_write(call->parameters[0], call->parameters[1]);
	return NULL;
}
