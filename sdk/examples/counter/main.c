/*
 * A counter that keeps its value when it ends and when the console is switched off. It shows how an app
 * reads buttons and stores data, and what it does when a call fails.
 *
 * A adds one, B starts again from 0, select ends the app.
 */
#include "svc.h"

/* Colours are RGB565: five bits of red, six of green, five of blue. */
#define BACKGROUND 0x0000
#define TEXT_COLOUR 0xffff
#define COUNT_COLOUR 0xffe0
#define HINT_COLOUR 0x8410

#define LINE_HEIGHT 20
#define LEFT 16
#define POLL_MS 20

#define LOG_INFO 1
#define LOG_ERROR 3

/* A string literal as the two arguments, address and length, that the console's functions take. */
#define LITERAL(text) (text), (int32_t)(sizeof(text) - 1)

/* A line that is put together piece by piece. There is no C library here, and so no snprintf. */
struct line {
	char text[40];
	int32_t length;
};

static void append(struct line *line, const char *text, int32_t length)
{
	for (int32_t i = 0; i < length && line->length < (int32_t)sizeof line->text; i++)
		line->text[line->length++] = text[i];
}

static void append_number(struct line *line, uint32_t number)
{
	char digit = (char)('0' + number % 10);
	if (number > 9)
		append_number(line, number / 10);
	append(line, &digit, 1);
}

/* A number from storage. 0 where nothing is stored yet, or not a number. */
static uint32_t load(const char *key, int32_t key_length)
{
	uint32_t number;
	int32_t length = svc_storage_read(key, key_length, 0, &number, sizeof number);
	return length == (int32_t)sizeof number ? number : 0;
}

/* Storing takes effect in one step: whatever happens meanwhile, the old number is there or the new one. */
static void store(const char *key, int32_t key_length, uint32_t number)
{
	if (svc_storage_write(key, key_length, &number, sizeof number) < 0)
		svc_log(LOG_ERROR, LITERAL("cannot store the number"));
}

static void draw_line(int32_t row, const char *label, int32_t label_length, uint32_t number, int32_t colour)
{
	struct line line = { .length = 0 };
	int32_t top = LEFT + row * LINE_HEIGHT;
	append(&line, label, label_length);
	append_number(&line, number);
	svc_display_fill(0, top, svc_display_width(), LINE_HEIGHT, BACKGROUND);
	svc_display_text(LEFT, top, colour, line.text, line.length);
}

static void show(uint32_t count)
{
	draw_line(1, LITERAL("Count "), count, COUNT_COLOUR);
	svc_display_flush();
}

static void change(uint32_t count)
{
	struct line line = { .length = 0 };
	append(&line, LITERAL("count is "));
	append_number(&line, count);
	store(LITERAL("count"), count);
	svc_log(LOG_INFO, line.text, line.length);	/* what is said is kept, also where the app is stopped right after */
	show(count);
}

/* The buttons that have gone down since the last call: holding one counts once. */
static int32_t pressed_buttons(void)
{
	static int32_t held;
	int32_t now = svc_buttons();
	int32_t pressed;
	if (now < 0) /* an error, with bits that are no buttons */
		now = 0;
	pressed = now & ~held;
	held = now;
	return pressed;
}

static void draw_screen(uint32_t starts)
{
	svc_display_fill(0, 0, svc_display_width(), svc_display_height(), BACKGROUND);
	draw_line(0, LITERAL("Start "), starts, TEXT_COLOUR);
	svc_display_text(LEFT, LEFT + 3 * LINE_HEIGHT, HINT_COLOUR, LITERAL("A adds 1, B resets"));
	svc_display_text(LEFT, LEFT + 4 * LINE_HEIGHT, HINT_COLOUR, LITERAL("SELECT ends"));
}

/* The console calls this; what it returns is the app's exit code. */
SVC_EXPORT(main) int32_t run(void)
{
	uint32_t starts = load(LITERAL("starts")) + 1;
	uint32_t count = load(LITERAL("count"));
	store(LITERAL("starts"), starts);
	draw_screen(starts);
	show(count);
	for (;;) {
		int32_t pressed = pressed_buttons();
		if (pressed & SVC_BUTTON_SELECT)
			return 0;
		if (pressed & SVC_BUTTON_A)
			change(++count);
		if (pressed & SVC_BUTTON_B)
			change(count = 0);
		svc_sleep_ms(POLL_MS);
	}
}
