/*
 * A lamp: a light-emitting diode at a pin, dimmed by pulses that are too fast to be seen. It shows how an app makes pulses,
 * measures a voltage, says what the console does not have, and leaves its pins as they were.
 *
 * Left and right dim it, A lets it glow and fade, select ends the app, and the light goes out.
 */
#include "svc.h"

/* Pins of an ESP32-S3 for apps. */
#define LAMP_PIN 38
#define METER_PIN 2
/* Modes of gpio_mode. */
#define INPUT 0

/* Far above what the eye sees as flicker. */
#define PULSES_HZ 1000
#define FULL_DUTY 65535
#define STEPS 16

#define FRAME_MS 30
#define FRAMES_A_STEP 3

/* Colours are RGB565: five bits of red, six of green, five of blue. */
#define BACKGROUND 0x0000
#define RIM 0x8410
#define TEXT 0xffff
#define FAILURE 0xfd20

#define LINE_HEIGHT 20
#define LEFT 16
#define RADIUS 48

#define LOG_WARNING 2
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

static void append_number(struct line *line, int32_t number)
{
	char digit;
	if (number < 0) {
		append(line, LITERAL("-"));
		number = -number;
	}
	digit = (char)('0' + number % 10);
	if (number > 9)
		append_number(line, number / 10);
	append(line, &digit, 1);
}

struct lamp {
	int32_t brightness; /* 0 to STEPS */
	int32_t change;     /* of the brightness at each step: 0 unless it glows and fades */
	int32_t error;      /* of the pulses, below 0 */
	int32_t millivolts; /* measured; an error below 0 */
};

/* Eyes tell the steps of dark light better than those of bright light, so the duty is the square of the brightness. */
static int32_t duty(int32_t brightness)
{
	return FULL_DUTY * brightness / STEPS * brightness / STEPS;
}

static void set(struct lamp *lamp, int32_t brightness)
{
	int32_t error;
	if (brightness < 0 || brightness > STEPS)
		return;
	lamp->brightness = brightness;
	error = svc_pwm_write(LAMP_PIN, PULSES_HZ, duty(brightness));
	if (error < 0 && lamp->error == 0) {
		struct line line = { .length = 0 };
		append(&line, LITERAL("cannot make pulses: error "));
		append_number(&line, error);
		svc_log(LOG_WARNING, line.text, line.length);
	}
	lamp->error = error;
}

static void glow(struct lamp *lamp)
{
	if (lamp->brightness == 0)
		lamp->change = 1;
	else if (lamp->brightness == STEPS)
		lamp->change = -1;
	set(lamp, lamp->brightness + lamp->change);
}

static void write_line(int32_t y, const char *label, int32_t label_length, int32_t number, const char *unit,
		       int32_t unit_length)
{
	struct line line = { .length = 0 };
	append(&line, label, label_length);
	append_number(&line, number);
	append(&line, unit, unit_length);
	svc_display_text(LEFT, y, number < 0 ? FAILURE : TEXT, line.text, line.length);
}

static void show(const struct lamp *lamp, int32_t width, int32_t height)
{
	int32_t light = lamp->brightness * 31 / STEPS;
	int32_t y = height - 5 * LINE_HEIGHT;
	svc_display_fill(0, 0, width, height, BACKGROUND);
	svc_display_circle(width / 2, height / 3, RADIUS, light << 11 | light << 6, 1);
	svc_display_circle(width / 2, height / 3, RADIUS, RIM, 0);
	write_line(y, LITERAL("Brightness "), lamp->brightness, LITERAL(" of 16"));
	if (lamp->error < 0)
		write_line(y + LINE_HEIGHT, LITERAL("No pulses: error "), lamp->error, LITERAL(""));
	else
		write_line(y + LINE_HEIGHT, LITERAL("High for "), duty(lamp->brightness) * 10 / (FULL_DUTY / 100),
			   LITERAL(" of 1000"));
	if (lamp->millivolts < 0)
		write_line(y + 2 * LINE_HEIGHT, LITERAL("Not measured: error "), lamp->millivolts, LITERAL(""));
	else
		write_line(y + 2 * LINE_HEIGHT, LITERAL("Pin 2 has "), lamp->millivolts, LITERAL(" mV"));
	svc_display_flush();
}

static int32_t shine(struct lamp *lamp, int32_t width, int32_t height)
{
	for (int32_t frame = 0;; frame++) {
		int32_t pressed = svc_buttons_pressed();
		if (pressed < 0) /* an error, with bits that are no buttons */
			pressed = 0;
		if (pressed & SVC_BUTTON_SELECT)
			return 0;
		if (pressed & SVC_BUTTON_A)
			lamp->change = lamp->change == 0;
		if (pressed & (SVC_BUTTON_LEFT | SVC_BUTTON_RIGHT))
			lamp->change = 0;
		if (pressed & SVC_BUTTON_LEFT)
			set(lamp, lamp->brightness - 1);
		if (pressed & SVC_BUTTON_RIGHT)
			set(lamp, lamp->brightness + 1);
		if (lamp->change != 0 && frame % FRAMES_A_STEP == 0)
			glow(lamp);
		lamp->millivolts = svc_adc_read(METER_PIN);
		show(lamp, width, height);
		svc_sleep_ms(FRAME_MS);
	}
}

/* The console calls this; what it returns is the app's exit code. */
SVC_EXPORT(main) int32_t run(void)
{
	int32_t width = svc_display_width();
	int32_t height = svc_display_height();
	struct lamp lamp = { .brightness = 0 };
	int32_t code;
	if (width <= 0 || height <= 0) {
		svc_log(LOG_ERROR, LITERAL("this console has no display"));
		return 1;
	}
	svc_gpio_mode(METER_PIN, INPUT);
	set(&lamp, STEPS / 2);
	code = shine(&lamp, width, height);
	svc_gpio_mode(LAMP_PIN, INPUT); /* pulses would go on after the app's end */
	return code;
}
