/*
 * The display as a framebuffer: a picture that apps draw on and one that is shown. What apps do is done under one
 * lock, which is held for as long as a picture takes to copy at the most.
 *
 * Whoever looks at what is shown takes no lock, for apps that draw without an end would keep it waiting. A flush
 * copies to a picture that is neither shown nor looked at, of which there is always one among three, and shows
 * that one from then on.
 */
#include "display.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "display-memory.h"
#include "font.h"
#include "utf8.h"

enum { NOTHING = -1 };

static uint16_t drawn[DISPLAY_HEIGHT][DISPLAY_WIDTH];
static uint16_t pictures[3][DISPLAY_HEIGHT][DISPLAY_WIDTH];
static _Atomic int shown;						/* of the pictures */
static _Atomic int lookedAt = NOTHING;			/* likewise, by the one thread that looks */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What of a rectangle lies on the display, its ends not included. */
typedef struct {
	int left, top, right, bottom;
} Area;

static int clamp(int64_t value, int maximum)
{
	return value < 0 ? 0 : value > maximum ? maximum : (int)value;
}

/* In 64 bits, since x + w need not fit into 32. */
static Area clip(int64_t x, int64_t y, int64_t w, int64_t h)
{
	return (Area){
		.left = clamp(x, DISPLAY_WIDTH), .right = clamp(x + w, DISPLAY_WIDTH),
		.top = clamp(y, DISPLAY_HEIGHT), .bottom = clamp(y + h, DISPLAY_HEIGHT),
	};
}

static bool is_empty(Area area)
{
	return area.left >= area.right || area.top >= area.bottom;
}

int display_width(void)
{
	return DISPLAY_WIDTH;
}

int display_height(void)
{
	return DISPLAY_HEIGHT;
}

void display_fill(int32_t x, int32_t y, int32_t w, int32_t h, uint16_t rgb565)
{
	Area area = clip(x, y, w, h);
	if (is_empty(area))
		return;
	pthread_mutex_lock(&lock);
	for (int row = area.top; row < area.bottom; row++) {
		for (int column = area.left; column < area.right; column++)
			drawn[row][column] = rgb565;
	}
	pthread_mutex_unlock(&lock);
}

void display_blit(int32_t x, int32_t y, int32_t w, int32_t h, const uint8_t *pixels)
{
	Area area = clip(x, y, w, h);
	if (is_empty(area))
		return;
	size_t byteLength = (size_t)(area.right - area.left) * 2;
	pthread_mutex_lock(&lock);
	for (int row = area.top; row < area.bottom; row++) {
		size_t skipped = (size_t)((int64_t)row - y) * (size_t)w + (size_t)((int64_t)area.left - x);
		memcpy(&drawn[row][area.left], pixels + skipped * 2, byteLength);
	}
	pthread_mutex_unlock(&lock);
}

static void draw_glyph(int64_t x, int64_t y, uint16_t rgb565, const uint8_t *glyph)
{
	Area area = clip(x, y, FONT_WIDTH, FONT_HEIGHT);
	if (is_empty(area))
		return;
	pthread_mutex_lock(&lock);
	for (int row = area.top; row < area.bottom; row++) {
		for (int column = area.left; column < area.right; column++) {
			if (glyph[row - y] & (0x80 >> (column - x)))
				drawn[row][column] = rgb565;
		}
	}
	pthread_mutex_unlock(&lock);
}

/* The character of a well-formed sequence. */
static uint32_t character_of(const uint8_t *bytes, int length)
{
	uint32_t character = length == 1 ? bytes[0] : bytes[0] & (0x7F >> length);
	for (int index = 1; index < length; index++)
		character = character << 6 | (bytes[index] & 0x3F);
	return character;
}

/*
 * One character after the other, each under the lock for itself: a text may be as long as an app's memory, and
 * what lies outside the display is passed over without it.
 */
void display_text(int32_t x, int32_t y, uint16_t rgb565, const char *text, uint32_t length)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + length;
	int64_t column = x, top = y;
	while (at < end && top < DISPLAY_HEIGHT) {
		int sequence = utf8_sequence(at, end);
		int taken = sequence > 0 ? sequence : 1;
		uint32_t character = sequence > 0 ? character_of(at, sequence) : UINT32_MAX;
		at += taken;
		if (character == '\n') {
			column = x;
			top += FONT_HEIGHT;
		}
		else {
			draw_glyph(column, top, rgb565, font_glyph(character));
			column += FONT_WIDTH;
		}
	}
}

/* With the lock held. */
static void show(void)
{
	int next = 0;
	while (next == shown || next == lookedAt)
		next++;
	memcpy(pictures[next], drawn, sizeof(drawn));
	shown = next;
}

void display_flush(void)
{
	pthread_mutex_lock(&lock);
	show();
	pthread_mutex_unlock(&lock);
}

void display_reset(void)
{
	pthread_mutex_lock(&lock);
	memset(drawn, 0, sizeof(drawn));
	show();
	pthread_mutex_unlock(&lock);
}

/* A picture that is still shown after it has been claimed is not being written to, and will not be. */
void display_copy_shown(uint16_t *pixels)
{
	int claimed;
	do
		lookedAt = claimed = shown;
	while (claimed != shown);
	memcpy(pixels, pictures[claimed], sizeof(pictures[claimed]));
	lookedAt = NOTHING;
}
