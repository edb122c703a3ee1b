/* The display's pixels as a screen of the desktop shows them, with the light behind them. */
#ifndef SVC_LIT_PIXELS_H
#define SVC_LIT_PIXELS_H

#include <stdint.h>

/*
 * Converts RGB565 to eight bits a colour: 0xFFRRGGBB. At full light these are the colours of GET /api/screen: the high bits
 * are repeated in the low ones.
 * @param brightnessPercent 0 (black) to 100
 */
void lit_pixels(const uint16_t *rgb565, int count, uint32_t brightnessPercent, uint32_t *argb8888);

#endif
