/*
 * Holds the buttons of a console to docs/spec/display-and-input.md#chord-wait, with a clock of its own. Prints what does not hold.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "holds.h"
#include "pins-board.h"
#include "pins-wiring.h"
#include "pins.h"

enum { UP = 1 << 0, A = 1 << 4, START = 1 << 8, SELECT = 1 << 9, CHORD = START | SELECT, WAIT_MS = 200 };

static int64_t nowMs;
static int32_t wired;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){ .tv_sec = nowMs / 1000, .tv_nsec = nowMs % 1000 * 1000000 };
	return 0;
}

int32_t pins_wiring_buttons(void) { return wired; }
bool pins_wiring_is_free(int pin) { return pin < 0; }
void pins_wiring_configure(int pin, int mode) { (void)pin, (void)mode; }
void pins_wiring_drive(int pin, int level) { (void)pin, (void)level; }
int pins_wiring_level(int pin, int mode) { (void)pin, (void)mode; return 0; }
int32_t pins_wiring_millivolts(int pin, int mode) { (void)pin, (void)mode; return 0; }
int32_t pins_wiring_pulse(int32_t pin, int32_t hz, int32_t duty) { (void)pin, (void)hz, (void)duty; return 0; }
void pins_wiring_end_pulses(int pin) { (void)pin; }
void pins_wiring_reset(void) {}

/* Where presses come from: the console's own buttons (pins, window), its owner and a stranger elsewhere. */
enum { OWN, OWNER, STRANGER, SOURCES };
static int source;

static void press(int32_t buttons)
{
	if (source == OWN)
		wired = buttons, pins_look();
	else
		pins_press(buttons, source == OWNER);
}

static void pass(int ms)
{
	for (int64_t end = nowMs + ms; nowMs < end; nowMs += 10)
		pins_look();
}

/* Of an app; the home screen sees a stranger's buttons never. */
static void sees(int line, int32_t down, int32_t wentDown, int32_t wentUp)
{
	for (int isHome = 0; isHome <= (source != STRANGER); isHome++) {
		int32_t found[] = { pins_buttons(isHome), pins_take_pressed(isHome), pins_take_released(isHome) };
		HOLDS(found[0] == down && found[1] == wentDown && found[2] == wentUp, "from line %d, source %d, home %d: %x %x %x",
			line, source, isHome, found[0], found[1], found[2]);
	}
}
#define SEES(down, wentDown, wentUp) sees(__LINE__, down, wentDown, wentUp)

static void begin(int32_t chord)
{
	wired = 0;
	nowMs += 10000;
	pins_reset();
	pins_reserve_chord(chord);
}

static void check_together(int32_t first, int apartMs)
{
	begin(CHORD);
	press(first);
	SEES(0, 0, 0);
	pass(apartMs);
	press(CHORD);
	pass(600);
	SEES(0, 0, 0);
	press(CHORD & ~first);
	pass(600);
	SEES(0, 0, 0);
	press(0);
	pass(600);
	SEES(0, 0, 0);
	press(first);
	pass(WAIT_MS + 10);
	SEES(first, first, 0);	/* the next press counts again */
}

static void check_alone(void)
{
	begin(CHORD);
	press(SELECT | UP);
	SEES(UP, UP, 0);
	pass(WAIT_MS - 20);
	SEES(UP, 0, 0);
	pass(30);
	SEES(SELECT | UP, SELECT, 0);
	press(CHORD | UP);		/* too late for the other, which is held back */
	pass(600);
	SEES(SELECT | UP, 0, 0);
	press(0);
	SEES(0, 0, SELECT | UP);
}

static void check_short(void)
{
	begin(CHORD);
	press(START);
	pass(50);
	press(0);
	SEES(START, START, 0);
	pass(40);
	SEES(START, 0, 0);
	pass(20);
	SEES(0, 0, START);
	press(START), press(0), press(START), press(0);
	pass(10);
	SEES(0, START, START);
	/* One after the other is not together. */
	press(SELECT);
	pass(100);
	press(0);
	press(START);
	pass(300);
	SEES(START, CHORD, SELECT);
}

static void check_others(void)
{
	begin(CHORD);
	press(A);
	SEES(A, A, 0);
	press(0);
	SEES(0, 0, A);
	begin(0);				/* a build without a home screen */
	press(CHORD);
	SEES(CHORD, CHORD, 0);
	begin(CHORD);
	press(SELECT);
	pins_hold_all_back(true);	/* the display went dark */
	pass(600);
	press(CHORD);
	pass(600);
	SEES(0, 0, 0);
}

int main(void)
{
	for (source = 0; source < SOURCES; source++) {
		for (int apartMs = 0; apartMs < WAIT_MS; apartMs += 50) {
			check_together(SELECT, apartMs);
			check_together(START, apartMs);
		}
		check_alone();
		check_short();
		check_others();
	}
	return failures > 0;
}
