/* The console's font beyond ASCII: see font-latin.c for what it has. */
#ifndef SVC_FONT_LATIN_H
#define SVC_FONT_LATIN_H

#include <stdbool.h>
#include <stdint.h>

#include "font.h"

/* Writes FONT_HEIGHT rows, as font_glyph() does. @returns false, and writes nothing, for a character that is not there */
bool font_latin(uint32_t character, uint8_t *rows);

#endif
