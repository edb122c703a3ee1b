/*
 * The connections of the chip's pins: the manifest's `defines`, which the Moddable SDK passes to C. docs/board.md has
 * them as a wiring table.
 */
#ifndef SVC_PIN_MAP_H
#define SVC_PIN_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "mc.defines.h"

/* In the order of pins_buttons(): up, down, left, right, A, B, X, Y, start, select. -1: there is no such button. */
enum { PIN_MAP_BUTTONS = 10 };
extern const int8_t pinMapButtons[PIN_MAP_BUTTONS];

/* Whether apps may use the pin: neither the console nor the chip itself uses it. */
bool pin_map_is_free(int32_t pin);

#endif
