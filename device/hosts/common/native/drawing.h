/*
 * Drawing on a picture of the size of the display. Nothing here knows of apps, locks or what is shown.
 *
 * Colours are RGB565. Everything is clipped, so the work of a call is bounded by the picture, whatever its numbers are.
 */
#ifndef SVC_DRAWING_H
#define SVC_DRAWING_H

#include <stdbool.h>
#include <stdint.h>

#include "display.h"

typedef struct {
	uint16_t *pixels;			/* rows of DISPLAY_WIDTH */
	DisplayArea clip;					/* lies in the picture */
} Canvas;

/* The part of a rectangle that lies in `area`. */
DisplayArea area_of(DisplayArea area, int64_t x, int64_t y, int64_t w, int64_t h);
bool area_is_empty(DisplayArea area);

void draw_fill(const Canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h, uint16_t colour);

/* @param pixels w * h of them, low byte first, those that are clipped included */
void draw_pixels(const Canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h, const uint8_t *pixels);

/* Both ends included; the same pixels whichever end is the first. */
void draw_line(const Canvas *canvas, DisplayPoint from, DisplayPoint to, uint16_t colour);

/* 2 * radius + 1 pixels wide. @param radius 0 to DISPLAY_COORDINATE */
void draw_circle(const Canvas *canvas, DisplayPoint centre, int32_t radius, uint16_t colour, bool isFilled);

/* Filled, with its edges. */
void draw_triangle(const Canvas *canvas, const DisplayPoint corners[3], uint16_t colour);

/* Draws a sprite that its sheet has. */
void draw_sprite(const Canvas *canvas, int32_t x, int32_t y, const DisplaySprite *sprite);

/* @param rows FONT_HEIGHT of them; @param scale pixels for each pixel of the glyph, in both directions */
void draw_glyph(const Canvas *canvas, int64_t x, int64_t y, int scale, uint16_t colour, const uint8_t *rows);

/* Moves the pixels of the clip; those that come from outside it stay as they are. */
void draw_scrolled(const Canvas *canvas, int32_t dx, int32_t dy);

#endif
