/*
 * The pins of a host. pins.c keeps modes and levels and calls these functions one at a time, except for those that
 * only read, and only with free pins and modes of pins.h.
 */
#ifndef SVC_PINS_WIRING_H
#define SVC_PINS_WIRING_H

#include <stdbool.h>
#include <stdint.h>

/* Numbered as on an ESP32-S3, which has the most. */
enum { PIN_COUNT = 49 };

/* Whether apps may use the pin, 0 to PIN_COUNT - 1. */
bool pins_wiring_is_free(int pin);

/* A pin that becomes an output drives 0. */
void pins_wiring_configure(int pin, int mode);

void pins_wiring_drive(int pin, int level);

/* The level of an input in that mode. */
int pins_wiring_level(int pin, int mode);

/* The voltage at an input in that mode. -19: the pin has no converter; -5: the conversion failed. */
int32_t pins_wiring_millivolts(int pin, int mode);

/*
 * Makes pulses with a valid frequency and duty (pins.h) on an input, an output, or a pin that has them already.
 * 0; -28: as many pins as possible have them; -19: there are none.
 */
int32_t pins_wiring_pulse(int pin, int hz, int duty);

/* The pin, which has pulses, has them no longer; `pins_wiring_configure` follows. */
void pins_wiring_end_pulses(int pin);

/* As after power on: prepares the pins that apps cannot use. */
void pins_wiring_reset(void);

/* Buttons that are physically pressed, as in pins_buttons. */
int32_t pins_wiring_buttons(void);

#endif
