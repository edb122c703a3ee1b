/*
 * The display as the app ABI draws on it. Each host has its own display behind it; apps call it on their own
 * threads, several at a time.
 *
 * Drawing goes to a hidden picture; display_flush shows it, whole. Pixels are RGB565: five bits of red in the highest
 * places, six of green, five of blue. Rectangles may lie anywhere: what is outside the display is clipped, and one
 * whose width or height is not above 0 is empty.
 */
#ifndef SVC_DISPLAY_H
#define SVC_DISPLAY_H

#include <stdint.h>

/* Pixels in a row, and rows. */
int display_width(void);
int display_height(void);

void display_fill(int32_t x, int32_t y, int32_t w, int32_t h, uint16_t rgb565);

/*
 * Copies pixels, low byte first, row by row. `pixels` has w * h * 2 bytes, those that lie outside the display
 * included; it needs no alignment.
 */
void display_blit(int32_t x, int32_t y, int32_t w, int32_t h, const uint8_t *pixels);

/*
 * Writes UTF-8 in the font of font.h, the top left corner of the first character at x and y; the background
 * stays. A line feed goes on below, at x again; nothing else breaks a line. A character that the font does not
 * have, and each byte that is not UTF-8, is a box.
 */
void display_text(int32_t x, int32_t y, uint16_t rgb565, const char *text, uint32_t length);

/* Shows everything drawn so far. */
void display_flush(void);

#endif
