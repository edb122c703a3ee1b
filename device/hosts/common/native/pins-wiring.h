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

/* As after power on: prepares the pins that apps cannot use. */
void pins_wiring_reset(void);

/* Buttons that are physically pressed, as in pins_buttons. */
int32_t pins_wiring_buttons(void);

#endif
