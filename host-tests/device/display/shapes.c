/*
 * Holds drawing.h to what it promises: lines, circles, triangles, sprites, glyphs and moved pictures are compared with what
 * their definitions say of each pixel, and clipped ones with whole ones. Prints what does not hold.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "display-memory.h"
#include "drawing.h"
#include "font.h"
#include "holds.h"

enum { INK = 0xBEEF, PAPER = 0x1111, ROUNDS = 300, FAR = DISPLAY_COORDINATE };

static const DisplayArea WHOLE = { .right = DISPLAY_WIDTH, .bottom = DISPLAY_HEIGHT };
static uint16_t pixels[DISPLAY_PIXELS], others[DISPLAY_PIXELS];

static uint32_t chance = 1;

/* From `least` to `most`; the same in each run. */
static int32_t any(int32_t least, int32_t most)
{
	chance = chance * 1664525u + 1013904223u;
	return least + (int32_t)((uint64_t)(chance >> 8) * ((uint64_t)most - least + 1) >> 24);
}

static void clear(uint16_t *picture)
{
	for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++)
		picture[pixel] = PAPER;
}

static Canvas cleared(void)
{
	clear(pixels);
	return (Canvas){ .pixels = pixels, .clip = WHOLE };
}

static bool is_set(int x, int y)
{
	return pixels[y * DISPLAY_WIDTH + x] != PAPER;
}

/* Most are on the display or beside it, some far from it. */
static DisplayPoint any_point(void)
{
	if (any(0, 7) == 0)
		return (DisplayPoint){ .x = any(-FAR, FAR), .y = any(-FAR, FAR) };
	return (DisplayPoint){ .x = any(-20, DISPLAY_WIDTH + 20), .y = any(-20, DISPLAY_HEIGHT + 20) };
}

static int64_t magnitude(int64_t value)
{
	return value < 0 ? -value : value;
}

/* Each pixel is at most half a pixel from the line, and there is one for each step along the longer axis. */
static void check_lines(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		const DisplayPoint a = any_point(), b = any(0, 20) == 0 ? a : any_point();
		const int64_t dx = (int64_t)b.x - a.x, dy = (int64_t)b.y - a.y;
		const bool isWide = magnitude(dx) >= magnitude(dy);
		const int64_t length = magnitude(isWide ? dx : dy);
		Canvas canvas = cleared();
		draw_line(&canvas, a, b, INK);
		bool isNear = true;
		int along[DISPLAY_HEIGHT] = { 0 };
		for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++) {
			const int x = pixel % DISPLAY_WIDTH, y = pixel / DISPLAY_WIDTH;
			if (!is_set(x, y))
				continue;
			const int64_t aside = ((int64_t)y - a.y) * dx - ((int64_t)x - a.x) * dy;
			isNear &= 2 * magnitude(aside) <= length;
			along[isWide ? x : y]++;
		}
		HOLDS(isNear);
		bool isWhole = true;
		const int end = isWide ? DISPLAY_WIDTH : DISPLAY_HEIGHT;
		for (int at = 0; at < end; at++)
			isWhole &= along[at] <= 1;
		HOLDS(isWhole);
		memcpy(others, pixels, sizeof(pixels));
		canvas = cleared();
		draw_line(&canvas, b, a, INK);
		HOLDS(memcmp(others, pixels, sizeof(pixels)) == 0);
		const bool isSeen = a.x >= 0 && a.x < DISPLAY_WIDTH && a.y >= 0 && a.y < DISPLAY_HEIGHT;
		HOLDS(!isSeen || is_set(a.x, a.y));
	}
	Canvas canvas = cleared();
	draw_line(&canvas, (DisplayPoint){ 0, 0 }, (DisplayPoint){ 239, 100 }, INK);
	int count = 0;
	for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++)
		count += pixels[pixel] == INK;
	HOLDS(count == 240);
}

static bool is_inside(int64_t dx, int64_t dy, int64_t radius)
{
	return dx * dx + dy * dy <= radius * radius + radius;
}

/* A pixel of the edge is inside, and the one beyond it, above, below or beside, is not. */
static void check_circles(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		const DisplayPoint centre = any_point();
		const int32_t radius = round < 5 ? round : any(0, 7) == 0 ? any(0, FAR) : any(0, 200);
		const bool isFilled = any(0, 1) == 0;
		Canvas canvas = cleared();
		draw_circle(&canvas, centre, radius, INK, isFilled);
		bool isRight = true;
		for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++) {
			const int64_t dx = magnitude(pixel % DISPLAY_WIDTH - (int64_t)centre.x);
			const int64_t dy = magnitude(pixel / DISPLAY_WIDTH - (int64_t)centre.y);
			const bool isEdge = !is_inside(dx + 1, dy, radius) || !is_inside(dx, dy + 1, radius);
			isRight &= (pixels[pixel] == INK) == (is_inside(dx, dy, radius) && (isFilled || isEdge));
		}
		HOLDS(isRight);
	}
}

static int64_t side_of(DisplayPoint a, DisplayPoint b, int x, int y)
{
	return ((int64_t)b.x - a.x) * (y - a.y) - ((int64_t)b.y - a.y) * (x - a.x);
}

/* What lies inside is filled, and what is filled lies inside or on the line of an edge. */
static void check_triangles(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		const DisplayPoint p[3] = { any_point(), any_point(), any_point() };
		Canvas canvas = cleared();
		for (int corner = 0; corner < 3; corner++)
			draw_line(&canvas, p[corner], p[(corner + 1) % 3], INK);
		memcpy(others, pixels, sizeof(pixels));
		canvas = cleared();
		draw_triangle(&canvas, p, INK);
		bool isFull = true, isTight = true, hasEdges = true;
		for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++) {
			const int x = pixel % DISPLAY_WIDTH, y = pixel / DISPLAY_WIDTH;
			const int64_t a = side_of(p[0], p[1], x, y), b = side_of(p[1], p[2], x, y), c = side_of(p[2], p[0], x, y);
			const bool isIn = (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
			const bool isOn = others[pixel] == INK;
			isFull &= !isIn || is_set(x, y);
			isTight &= !is_set(x, y) || isIn || isOn || a == 0 || b == 0 || c == 0;
			hasEdges &= !isOn || is_set(x, y);
		}
		HOLDS(isFull);
		HOLDS(isTight);
		HOLDS(hasEdges);
	}
}

static uint16_t sheet_pixel(int x, int y)
{
	return (uint16_t)(y * 251 + x * 7 + 1) % 60;
}

/* In a block of exactly the size and at an odd address, so that nothing beside it is read unnoticed. */
static uint8_t *new_sheet(int w, int h, uint8_t **block)
{
	*block = malloc((size_t)w * h * 2 + 1);
	for (int pixel = 0; pixel < w * h; pixel++) {
		(*block)[1 + pixel * 2] = sheet_pixel(pixel % w, pixel / w) & 0xFF;
		(*block)[2 + pixel * 2] = sheet_pixel(pixel % w, pixel / w) >> 8;
	}
	return *block + 1;
}

static void check_sprites(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		const int w = any(1, 60), h = any(1, 60), inRow = any(1, 4), rows = any(1, 4);
		const int sheetWidth = w * inRow + any(0, w - 1), sheetHeight = h * rows + any(0, h - 1);
		const int flip = any(0, 3), number = any(0, inRow * rows - 1), transparent = any(-1, 60);
		uint8_t *block;
		const DisplaySprite sprite = {
			.sheet = new_sheet(sheetWidth, sheetHeight, &block), .sheetWidth = sheetWidth, .sheetHeight = sheetHeight,
			.width = w, .height = h, .number = number, .transparent = transparent, .flip = flip,
		};
		const DisplayPoint at = any_point();
		Canvas canvas = cleared();
		HOLDS(display_has_sprite(&sprite));
		draw_sprite(&canvas, at.x, at.y, &sprite);
		bool isRight = true;
		for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++) {
			const int x = pixel % DISPLAY_WIDTH - at.x, y = pixel / DISPLAY_WIDTH - at.y;
			uint16_t right = PAPER;
			if (x >= 0 && x < w && y >= 0 && y < h) {
				const int column = number % inRow * w + (flip & DISPLAY_FLIP_X ? w - 1 - x : x);
				const int row = number / inRow * h + (flip & DISPLAY_FLIP_Y ? h - 1 - y : y);
				if (sheet_pixel(column, row) != transparent)
					right = sheet_pixel(column, row);
			}
			isRight &= pixels[pixel] == right;
		}
		HOLDS(isRight);
		free(block);
	}
}

static void check_parts(void)
{
	DisplaySprite sprite = { .sheetWidth = 17, .sheetHeight = 8, .width = 8, .height = 8 };
	HOLDS(display_has_sprite(&sprite));
	sprite.number = 1;
	HOLDS(display_has_sprite(&sprite));
	sprite.number = 2;
	HOLDS(!display_has_sprite(&sprite));
	sprite.number = -1;
	HOLDS(!display_has_sprite(&sprite));
	sprite = (DisplaySprite){ .sheetWidth = 8, .sheetHeight = 8, .width = 0, .height = 8 };
	HOLDS(!display_has_sprite(&sprite));
	sprite.width = INT32_MIN;
	HOLDS(!display_has_sprite(&sprite));
	sprite = (DisplaySprite){ .sheetWidth = 8, .sheetHeight = 8, .width = 9, .height = 1 };
	HOLDS(!display_has_sprite(&sprite));
	sprite = (DisplaySprite){ .sheetWidth = INT32_MAX, .sheetHeight = INT32_MAX, .width = 1, .height = 1, .number = INT32_MAX };
	HOLDS(display_has_sprite(&sprite));
}

static void check_glyphs(void)
{
	uint8_t rows[FONT_HEIGHT];
	for (int round = 0; round < ROUNDS; round++) {
		const DisplayPoint at = any_point();
		const int scale = any(1, DISPLAY_TEXT_SCALE);
		font_glyph((uint32_t)any(0x20, 0x17F), rows);
		Canvas canvas = cleared();
		draw_glyph(&canvas, at.x, at.y, scale, INK, rows);
		bool isRight = true;
		for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++) {
			const int x = pixel % DISPLAY_WIDTH - at.x, y = pixel / DISPLAY_WIDTH - at.y;
			const bool isIn = x >= 0 && x < FONT_WIDTH * scale && y >= 0 && y < FONT_HEIGHT * scale;
			isRight &= (pixels[pixel] == INK) == (isIn && rows[y / scale] >> (FONT_WIDTH - 1 - x / scale) & 1);
		}
		HOLDS(isRight);
	}
}

static DisplayArea any_area(void)
{
	const int32_t x = any(-50, 250), y = any(-50, 330);
	return area_of(WHOLE, x, y, any(0, 300), any(0, 400));
}

static bool lies_in(DisplayArea area, int x, int y)
{
	return x >= area.left && x < area.right && y >= area.top && y < area.bottom;
}

static void draw_any(const Canvas *canvas, uint32_t seed)
{
	static const uint8_t SHEET[32 * 32 * 2] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	static const DisplaySprite SPRITE = { .sheet = SHEET, .sheetWidth = 32, .sheetHeight = 32, .width = 32, .height = 32 };
	uint8_t rows[FONT_HEIGHT];
	chance = seed;
	const DisplayPoint p[3] = { any_point(), any_point(), any_point() };
	const int32_t w = any(-10, 300), h = any(-10, 300), radius = any(0, 200);
	font_glyph('A', rows);
	switch (seed % 7) {
	case 0: draw_fill(canvas, p[0].x, p[0].y, w, h, INK); break;
	case 1: draw_pixels(canvas, p[0].x, p[0].y, 32, 32, SHEET); break;
	case 2: draw_line(canvas, p[0], p[1], INK); break;
	case 3: draw_circle(canvas, p[0], radius, INK, w > 100); break;
	case 4: draw_triangle(canvas, p, INK); break;
	case 5: draw_sprite(canvas, p[0].x, p[0].y, &SPRITE); break;
	default: draw_glyph(canvas, p[0].x, p[0].y, 4, INK, rows); break;
	}
}

/* What is drawn within a clip is what would be drawn without it, and nothing else changes. */
static void check_clips(void)
{
	for (uint32_t round = 0; round < 7 * ROUNDS; round++) {
		chance = round + 12345;
		const DisplayArea clip = any_area();
		Canvas canvas = cleared();
		draw_any(&canvas, round);
		clear(others);
		const Canvas clipped = { .pixels = others, .clip = clip };
		draw_any(&clipped, round);
		bool isRight = true;
		for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++) {
			const bool isIn = lies_in(clip, pixel % DISPLAY_WIDTH, pixel / DISPLAY_WIDTH);
			isRight &= others[pixel] == (isIn ? pixels[pixel] : PAPER);
		}
		HOLDS(isRight);
	}
}

static void check_scrolls(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		const DisplayArea clip = any_area();
		const int dx = any(0, 9) == 0 ? any(INT32_MIN, -1) : any(-250, 250), dy = any(0, 9) == 0 ? INT32_MIN : any(-330, 330);
		for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++)
			pixels[pixel] = others[pixel] = (uint16_t)(pixel * 31);
		const Canvas canvas = { .pixels = pixels, .clip = clip };
		draw_scrolled(&canvas, dx, dy);
		bool isRight = true;
		for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++) {
			const int x = pixel % DISPLAY_WIDTH, y = pixel / DISPLAY_WIDTH;
			const int64_t fromX = (int64_t)x - dx, fromY = (int64_t)y - dy;
			const bool isMoved = lies_in(clip, x, y) && fromX >= clip.left && fromX < clip.right && fromY >= clip.top
				&& fromY < clip.bottom;
			isRight &= pixels[pixel] == (isMoved ? others[fromY * DISPLAY_WIDTH + fromX] : others[pixel]);
		}
		HOLDS(isRight);
	}
}

int main(void)
{
	check_lines();
	check_circles();
	check_triangles();
	check_sprites();
	check_parts();
	check_glyphs();
	check_clips();
	check_scrolls();
	return failures > 0;
}
