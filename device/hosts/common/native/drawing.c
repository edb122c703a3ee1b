/* Drawing on a picture: rectangles, lines, circles, triangles, sprites and glyphs (drawing.h). */
#include "drawing.h"

#include <string.h>

#include "display-memory.h"
#include "font.h"

static int clamp(int64_t value, int least, int most)
{
	return value < least ? least : value > most ? most : (int)value;
}

/* In 64 bits, since x + w may exceed 32 bits. */
DisplayArea area_of(DisplayArea area, int64_t x, int64_t y, int64_t w, int64_t h)
{
	return (DisplayArea){
		.left = clamp(x, area.left, area.right), .right = clamp(x + w, area.left, area.right),
		.top = clamp(y, area.top, area.bottom), .bottom = clamp(y + h, area.top, area.bottom),
	};
}

bool area_is_empty(DisplayArea area)
{
	return area.left >= area.right || area.top >= area.bottom;
}

static uint16_t *row_of(const Canvas *canvas, int row)
{
	return canvas->pixels + row * DISPLAY_WIDTH;
}

/* From column `left` to column `right`, both included, of a row that may lie outside the clip. */
static void draw_span(const Canvas *canvas, int32_t row, int64_t left, int64_t right, uint16_t colour)
{
	const DisplayArea area = area_of(canvas->clip, left, row, right - left + 1, 1);
	if (area_is_empty(area))
		return;
	uint16_t *pixels = row_of(canvas, area.top);
	for (int column = area.left; column < area.right; column++)
		pixels[column] = colour;
}

void draw_fill(const Canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h, uint16_t colour)
{
	const DisplayArea area = area_of(canvas->clip, x, y, w, h);
	for (int row = area.top; row < area.bottom; row++) {
		uint16_t *pixels = row_of(canvas, row);
		for (int column = area.left; column < area.right; column++)
			pixels[column] = colour;
	}
}

void draw_pixels(const Canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h, const uint8_t *pixels)
{
	const DisplayArea area = area_of(canvas->clip, x, y, w, h);
	if (area_is_empty(area))
		return;
	const size_t byteLength = (size_t)(area.right - area.left) * 2;
	for (int row = area.top; row < area.bottom; row++) {
		const size_t skipped = (size_t)((int64_t)row - y) * (size_t)w + (size_t)((int64_t)area.left - x);
		memcpy(row_of(canvas, row) + area.left, pixels + skipped * 2, byteLength);
	}
}

static void draw_pixel(const Canvas *canvas, int64_t x, int64_t y, uint16_t colour)
{
	const DisplayArea *clip = &canvas->clip;
	if (x >= clip->left && x < clip->right && y >= clip->top && y < clip->bottom)
		row_of(canvas, (int)y)[x] = colour;
}

static int64_t divide_down(int64_t value, int64_t by)
{
	const int64_t quotient = value / by;
	return value % by < 0 ? quotient - 1 : quotient;
}

/* Where a line from a to b is at `at`, rounded; `at` counts along the axis in which it is longer, and a < b there. */
static int64_t minor_at(int32_t at, int32_t a, int32_t b, int32_t minorA, int32_t minorB)
{
	const int64_t length = (int64_t)b - a;
	const int64_t rise = (int64_t)minorB - minorA;
	return minorA + divide_down(2 * ((int64_t)at - a) * rise + length, 2 * length);
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

void draw_line(const Canvas *canvas, DisplayPoint from, DisplayPoint to, uint16_t colour)
{
	const DisplayArea *clip = &canvas->clip;
	const int64_t dx = (int64_t)to.x - from.x, dy = (int64_t)to.y - from.y;
	const bool isWide = (dx < 0 ? -dx : dx) >= (dy < 0 ? -dy : dy);
	const bool isBackward = isWide ? dx < 0 : dy < 0;
	const DisplayPoint a = isBackward ? to : from, b = isBackward ? from : to;
	if (dx == 0 && dy == 0)
		draw_pixel(canvas, a.x, a.y, colour);
	else if (isWide) {
		for (int32_t x = larger(a.x, clip->left); x <= smaller(b.x, clip->right - 1); x++)
			draw_pixel(canvas, x, minor_at(x, a.x, b.x, a.y, b.y), colour);
	}
	else {
		for (int32_t y = larger(a.y, clip->top); y <= smaller(b.y, clip->bottom - 1); y++)
			draw_pixel(canvas, minor_at(y, a.y, b.y, a.x, b.x), y, colour);
	}
}

static uint32_t square_root(uint32_t value)
{
	uint32_t root = 0;
	for (uint32_t bit = 1u << 15; bit > 0; bit >>= 1) {
		if ((root + bit) * (root + bit) <= value)
			root += bit;
	}
	return root;
}

/* Columns of a circle on either side of its centre, `distance` rows from it: those whose middle is less than r + 1/2 away. */
static int32_t half_width(int32_t radius, int32_t distance)
{
	return (int32_t)square_root((uint32_t)radius * radius + radius - (uint32_t)distance * distance);
}

void draw_circle(const Canvas *canvas, DisplayPoint centre, int32_t radius, uint16_t colour, bool isFilled)
{
	const DisplayArea *clip = &canvas->clip;
	const int32_t last = smaller(centre.y + radius, clip->bottom - 1);
	for (int32_t row = larger(centre.y - radius, clip->top); row <= last; row++) {
		const int32_t distance = row < centre.y ? centre.y - row : row - centre.y;
		const int32_t outer = half_width(radius, distance);
		const int32_t beside = distance == radius ? -1 : half_width(radius, distance + 1);
		const int32_t inner = isFilled ? 0 : smaller(beside + 1, outer);
		draw_span(canvas, row, centre.x - outer, centre.x - inner, colour);
		draw_span(canvas, row, centre.x + inner, centre.x + outer, colour);
	}
}

/* Extends a span to where an edge crosses the row. */
static void extend(int32_t row, DisplayPoint a, DisplayPoint b, int64_t *left, int64_t *right)
{
	const DisplayPoint upper = a.y < b.y ? a : b, lower = a.y < b.y ? b : a;
	if (row < upper.y || row > lower.y)
		return;
	const bool isFlat = upper.y == lower.y;
	const int64_t one = isFlat ? upper.x : minor_at(row, upper.y, lower.y, upper.x, lower.x);
	const int64_t other = isFlat ? lower.x : one;
	*left = one < *left ? one : *left;
	*left = other < *left ? other : *left;
	*right = one > *right ? one : *right;
	*right = other > *right ? other : *right;
}

void draw_triangle(const Canvas *canvas, const DisplayPoint corners[3], uint16_t colour)
{
	const DisplayArea *clip = &canvas->clip;
	const int32_t top = smaller(corners[0].y, smaller(corners[1].y, corners[2].y));
	const int32_t bottom = larger(corners[0].y, larger(corners[1].y, corners[2].y));
	for (int32_t row = larger(top, clip->top); row <= smaller(bottom, clip->bottom - 1); row++) {
		int64_t left = INT32_MAX, right = INT32_MIN;
		for (int corner = 0; corner < 3; corner++)
			extend(row, corners[corner], corners[(corner + 1) % 3], &left, &right);
		draw_span(canvas, row, left, right, colour);
	}
	for (int corner = 0; corner < 3; corner++)
		draw_line(canvas, corners[corner], corners[(corner + 1) % 3], colour);
}

void draw_sprite(const Canvas *canvas, int32_t x, int32_t y, const DisplaySprite *sprite)
{
	const int32_t w = sprite->width, h = sprite->height;
	const int32_t inRow = sprite->sheetWidth / w;
	const size_t left = (size_t)(sprite->number % inRow) * w, top = (size_t)(sprite->number / inRow) * h;
	const DisplayArea area = area_of(canvas->clip, x, y, w, h);
	if (area_is_empty(area))
		return;
	for (int row = area.top; row < area.bottom; row++) {
		const int32_t down = row - y;			/* a part lies in the picture, so y and x are near it */
		const size_t from = (top + (sprite->flip & DISPLAY_FLIP_Y ? h - 1 - down : down)) * sprite->sheetWidth + left;
		uint16_t *pixels = row_of(canvas, row);
		for (int column = area.left; column < area.right; column++) {
			const int32_t along = column - x;
			const uint8_t *pixel = sprite->sheet + (from + (sprite->flip & DISPLAY_FLIP_X ? w - 1 - along : along)) * 2;
			const uint16_t colour = (uint16_t)(pixel[0] | pixel[1] << 8);
			if (colour != sprite->transparent)
				pixels[column] = colour;
		}
	}
}

void draw_glyph(const Canvas *canvas, int64_t x, int64_t y, int scale, uint16_t colour, const uint8_t *rows)
{
	const DisplayArea area = area_of(canvas->clip, x, y, FONT_WIDTH * scale, FONT_HEIGHT * scale);
	if (area_is_empty(area))
		return;
	const int left = (int)x, top = (int)y;		/* near the picture, since a part lies in it */
	for (int row = area.top; row < area.bottom; row++) {
		const uint8_t bits = rows[(row - top) / scale];
		uint16_t *pixels = row_of(canvas, row);
		for (int column = area.left; bits != 0 && column < area.right; column++) {
			if (bits & (0x80 >> (column - left) / scale))
				pixels[column] = colour;
		}
	}
}

void draw_scrolled(const Canvas *canvas, int32_t dx, int32_t dy)
{
	const DisplayArea *clip = &canvas->clip;
	const DisplayArea to = area_of(*clip, (int64_t)clip->left + dx, (int64_t)clip->top + dy, clip->right - clip->left,
		clip->bottom - clip->top);
	if (area_is_empty(to))
		return;
	const size_t byteLength = (size_t)(to.right - to.left) * sizeof(uint16_t);
	for (int index = 0; index < to.bottom - to.top; index++) {
		const int row = dy > 0 ? to.bottom - 1 - index : to.top + index;	/* none is overwritten before it is moved */
		memmove(row_of(canvas, row) + to.left, row_of(canvas, row - dy) + to.left - dx, byteLength);
	}
}
