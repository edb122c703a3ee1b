/* The console's font, 8 by 16 pixels a character: printable ASCII, and a box for everything else. */
#ifndef SVC_FONT_H
#define SVC_FONT_H

#include <stdint.h>

enum { FONT_WIDTH = 8, FONT_HEIGHT = 16 };

/* @returns FONT_HEIGHT rows from top to bottom, the highest bit on the left; never NULL */
const uint8_t *font_glyph(uint32_t character);

#endif
