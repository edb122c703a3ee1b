/*
 * {{name}}: a square that the arrow buttons move. A gives it another colour, select ends the app.
 *
 * The console calls the export `main` once. Everything that happens is in its loop: look at the buttons, draw
 * what has changed, sleep.
 */
#include "svc.h"

namespace {

// Colours are RGB565: five bits of red, six of green, five of blue.
constexpr int32_t BACKGROUND = 0x0000;
constexpr int32_t TEXT = 0xffff;
constexpr int32_t COLOURS[] = { 0xfd20, 0x07ff, 0xf81f, 0x07e0 };
constexpr int32_t COLOUR_COUNT = sizeof COLOURS / sizeof COLOURS[0];

constexpr int32_t SIDE = 32;
constexpr int32_t STEP = 4;
constexpr int32_t FRAME_MS = 33;
constexpr int32_t LETTER_HEIGHT = 16; // the console's font is 8 by 16 pixels
constexpr int32_t MARGIN = 8;
constexpr int32_t TOP = MARGIN + 3 * LETTER_HEIGHT; // the square stays clear of the text

enum class Level { info = 1, error = 3 };

template <int32_t SIZE> void log(Level level, const char (&text)[SIZE])
{
	svc_log(static_cast<int32_t>(level), text, SIZE - 1);
}

template <int32_t SIZE> void write(int32_t line, const char (&text)[SIZE])
{
	svc_display_text(MARGIN, MARGIN + line * LETTER_HEIGHT, TEXT, text, SIZE - 1);
}

int32_t within(int32_t value, int32_t least, int32_t most)
{
	return value < least ? least : value > most ? most : value;
}

class Square {
public:
	Square(int32_t width, int32_t height) : right(width - SIDE), bottom(height - SIDE), x(right / 2), y(bottom / 2)
	{
		draw();
	}

	void move(int32_t toRight, int32_t down)
	{
		const int32_t nextX = within(x + toRight * STEP, 0, right);
		const int32_t nextY = within(y + down * STEP, TOP, bottom);
		if (nextX == x && nextY == y)
			return;
		svc_display_fill(x, y, SIDE, SIDE, BACKGROUND);
		x = nextX;
		y = nextY;
		draw();
	}

	void recolour()
	{
		colour = (colour + 1) % COLOUR_COUNT;
		log(Level::info, "another colour");
		draw();
	}

private:
	void draw() const
	{
		svc_display_fill(x, y, SIDE, SIDE, COLOURS[colour]);
		svc_display_flush(); // what was drawn since the last time appears at once
	}

	const int32_t right, bottom; // furthest places
	int32_t x, y;
	int32_t colour = 0;
};

/** 1, -1, or 0 where neither or both are down. */
int32_t direction(int32_t held, int32_t forward, int32_t back)
{
	return !!(held & forward) - !!(held & back);
}

int32_t play(Square &square)
{
	for (int32_t held = 0;;) {
		const int32_t answer = svc_buttons();
		const int32_t now = answer < 0 ? 0 : answer; // below 0 is an error, with bits that are no buttons
		const int32_t pressed = now & ~held;         // has gone down since the last time
		held = now;
		if (pressed & SVC_BUTTON_SELECT)
			return 0;
		if (pressed & SVC_BUTTON_A)
			square.recolour();
		square.move(direction(now, SVC_BUTTON_RIGHT, SVC_BUTTON_LEFT),
		            direction(now, SVC_BUTTON_DOWN, SVC_BUTTON_UP));
		svc_sleep_ms(FRAME_MS);
	}
}

} // namespace

/** What it returns is the app's exit code. */
SVC_EXPORT(main) int32_t run()
{
	const int32_t width = svc_display_width();
	const int32_t height = svc_display_height();
	if (width <= 0 || height <= 0) {
		log(Level::error, "this console has no display");
		return 1;
	}
	log(Level::info, "hello from {{name}}");
	svc_display_fill(0, 0, width, height, BACKGROUND);
	write(0, "{{name}}");
	write(1, "arrows, A, SELECT");
	Square square(width, height);
	return play(square);
}
