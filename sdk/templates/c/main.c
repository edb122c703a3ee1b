/*
 * {{name}}: a square that the arrow buttons move. A gives it another colour, select ends the app.
 *
 * The console calls the export `main` once. Everything that happens is in its loop: look at the buttons, draw
 * what has changed, sleep.
 */
#include "svc.h"

/* Colours are RGB565: five bits of red, six of green, five of blue. */
#define BACKGROUND 0x0000
#define TEXT 0xffff
static const int32_t COLOURS[] = { 0xfd20, 0x07ff, 0xf81f, 0x07e0 };
#define COLOUR_COUNT ((int32_t)(sizeof COLOURS / sizeof COLOURS[0]))

#define SIDE 32
#define STEP 4
#define FRAME_MS 33
/* The console's font is 8 by 16 pixels. */
#define LETTER_HEIGHT 16
#define MARGIN 8
/* The square stays clear of the text. */
#define TOP (MARGIN + 3 * LETTER_HEIGHT)

#define LOG_INFO 1
#define LOG_ERROR 3

/* A string literal as the two arguments, address and length, that the console's functions take. */
#define LITERAL(text) (text), (int32_t)(sizeof(text) - 1)

struct square {
	int32_t right, bottom; /* furthest places */
	int32_t x, y;
	int32_t colour;
};

static void draw(const struct square *square)
{
	svc_display_fill(square->x, square->y, SIDE, SIDE, COLOURS[square->colour]);
	svc_display_flush(); /* what was drawn since the last time appears at once */
}

static int32_t within(int32_t value, int32_t least, int32_t most)
{
	return value < least ? least : value > most ? most : value;
}

static void move(struct square *square, int32_t right, int32_t down)
{
	int32_t x = within(square->x + right * STEP, 0, square->right);
	int32_t y = within(square->y + down * STEP, TOP, square->bottom);
	if (x == square->x && y == square->y)
		return;
	svc_display_fill(square->x, square->y, SIDE, SIDE, BACKGROUND);
	square->x = x;
	square->y = y;
	draw(square);
}

static void recolour(struct square *square)
{
	square->colour = (square->colour + 1) % COLOUR_COUNT;
	svc_log(LOG_INFO, LITERAL("another colour"));
	draw(square);
}

/* 1, -1, or 0 where neither or both are down. */
static int32_t direction(int32_t held, int32_t forward, int32_t back)
{
	return !!(held & forward) - !!(held & back);
}

static int32_t play(struct square *square)
{
	int32_t held = 0;
	for (;;) {
		int32_t now = svc_buttons();
		int32_t pressed;
		if (now < 0) /* an error, with bits that are no buttons */
			now = 0;
		pressed = now & ~held; /* has gone down since the last time */
		held = now;
		if (pressed & SVC_BUTTON_SELECT)
			return 0;
		if (pressed & SVC_BUTTON_A)
			recolour(square);
		move(square, direction(now, SVC_BUTTON_RIGHT, SVC_BUTTON_LEFT),
		     direction(now, SVC_BUTTON_DOWN, SVC_BUTTON_UP));
		svc_sleep_ms(FRAME_MS);
	}
}

/* What it returns is the app's exit code. */
SVC_EXPORT(main) int32_t run(void)
{
	int32_t width = svc_display_width();
	int32_t height = svc_display_height();
	struct square square = { .right = width - SIDE, .bottom = height - SIDE };
	if (width <= 0 || height <= 0) {
		svc_log(LOG_ERROR, LITERAL("this console has no display"));
		return 1;
	}
	square.x = square.right / 2;
	square.y = square.bottom / 2;
	svc_log(LOG_INFO, LITERAL("hello from {{name}}"));
	svc_display_fill(0, 0, width, height, BACKGROUND);
	svc_display_text(MARGIN, MARGIN, TEXT, LITERAL("{{name}}"));
	svc_display_text(MARGIN, MARGIN + LETTER_HEIGHT, TEXT, LITERAL("arrows, A, SELECT"));
	draw(&square);
	return play(&square);
}
