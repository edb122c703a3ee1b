#include "lit-pixels.h"

void lit_pixels(const uint16_t *rgb565, int count, uint32_t brightnessPercent, uint32_t *argb8888)
{
	for (const uint16_t *pixel = rgb565; pixel < rgb565 + count; pixel++) {
		const uint32_t red = *pixel >> 11, green = *pixel >> 5 & 0x3F, blue = *pixel & 0x1F;
		const uint32_t litRed = (red << 3 | red >> 2) * brightnessPercent / 100;
		const uint32_t litGreen = (green << 2 | green >> 4) * brightnessPercent / 100;
		const uint32_t litBlue = (blue << 3 | blue >> 2) * brightnessPercent / 100;
		*argb8888++ = 0xFF000000 | litRed << 16 | litGreen << 8 | litBlue;
	}
}
