/* Commands of the ILI9341, with the names and codes of its data sheet (ili9341.h). */
#include "ili9341.h"

enum {
	SOFTWARE_RESET = 0x01,
	SLEEP_OUT = 0x11,
	DISPLAY_ON = 0x29,
	COLUMN_ADDRESS_SET = 0x2A,
	PAGE_ADDRESS_SET = 0x2B,
	MEMORY_ACCESS_CONTROL = 0x36,
	PIXEL_FORMAT_SET = 0x3A,
	FRAME_RATE_CONTROL = 0xB1,
	DISPLAY_FUNCTION_CONTROL = 0xB6,
	POWER_CONTROL_1 = 0xC0,
	POWER_CONTROL_2 = 0xC1,
	VCOM_CONTROL_1 = 0xC5,
	VCOM_CONTROL_2 = 0xC7,
};

enum { LAST_COLUMN = 239 };

const Ili9341Command ili9341Start[] = {
	{ SOFTWARE_RESET, 0, { 0 }, 120 },						// before SLEEP_OUT, if the controller was awake (8.2.2)
	{ POWER_CONTROL_1, 1, { 0x23 }, 0 },					// GVDD 4.60 V
	{ POWER_CONTROL_2, 1, { 0x10 }, 0 },
	{ VCOM_CONTROL_1, 2, { 0x3E, 0x28 }, 0 },				// VCOMH 4.25 V, VCOML -1.5 V
	{ VCOM_CONTROL_2, 1, { 0x86 }, 0 },
	{ MEMORY_ACCESS_CONTROL, 1, { 0x48 }, 0 },				// from left to right; blue, green, red
	{ PIXEL_FORMAT_SET, 1, { 0x55 }, 0 },					// 16 bits a pixel
	{ FRAME_RATE_CONTROL, 2, { 0x00, 0x18 }, 0 },			// 79 Hz
	{ DISPLAY_FUNCTION_CONTROL, 3, { 0x08, 0x82, 0x27 }, 0 },	// 320 lines
	{ SLEEP_OUT, 0, { 0 }, 5 },								// the next command may follow after 5 ms (8.2.12)
	{ DISPLAY_ON, 0, { 0 }, 0 },
	{ 0 },
};

static Ili9341Command range(uint8_t code, int first, int last)
{
	return (Ili9341Command){
		.code = code,
		.length = 4,
		.parameters = { (uint8_t)(first >> 8), (uint8_t)first, (uint8_t)(last >> 8), (uint8_t)last },
	};
}

void ili9341_window(int top, int bottom, Ili9341Command commands[ILI9341_WINDOW_COMMANDS])
{
	commands[0] = range(COLUMN_ADDRESS_SET, 0, LAST_COLUMN);
	commands[1] = range(PAGE_ADDRESS_SET, top, bottom - 1);
}

void ili9341_pixels(const uint16_t *pixels, int count, uint8_t *bytes)
{
	for (const uint16_t *end = pixels + count; pixels < end; pixels++) {
		*bytes++ = (uint8_t)(*pixels >> 8);
		*bytes++ = (uint8_t)*pixels;
	}
}
