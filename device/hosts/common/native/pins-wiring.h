/*
 * What pins are wired to, which each host has its own of. pins.c keeps modes and levels, calls these one at a time but
 * for what only looks, and with nothing but free pins and modes of pins.h.
 */
#ifndef SVC_PINS_WIRING_H
#define SVC_PINS_WIRING_H

#include <stdbool.h>
#include <stdint.h>

/* Numbered as on an ESP32-S3. */
enum { PIN_COUNT = 49 };

/* Whether apps have the pin, of 0 to PIN_COUNT - 1. */
bool pins_wiring_is_free(int pin);

/* An output drives 0 from here on. */
void pins_wiring_configure(int pin, int mode);

void pins_wiring_drive(int pin, int level);

/* The level of an input in that mode. */
int pins_wiring_level(int pin, int mode);

/* As after power on: what is no app's is made ready. */
void pins_wiring_reset(void);

/* Buttons that a finger is on, as pins_buttons has them. */
int32_t pins_wiring_buttons(void);

#endif
