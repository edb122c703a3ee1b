/*
 * The console's font, 8 by 16 pixels a character: printable ASCII, the letters of Latin languages (font-latin.c), and a box
 * for everything else.
 */
#ifndef SVC_FONT_H
#define SVC_FONT_H

#include <stdint.h>

enum { FONT_WIDTH = 8, FONT_HEIGHT = 16 };

/* Writes FONT_HEIGHT rows, from top to bottom, the highest bit on the left. */
void font_glyph(uint32_t character, uint8_t *rows);

#endif
