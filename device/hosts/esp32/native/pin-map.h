/*
 * Which pin of the chip is wired to what: the manifest's `defines`, as the Moddable SDK hands them to C. docs/board.md
 * has the same as a wiring table.
 */
#ifndef SVC_PIN_MAP_H
#define SVC_PIN_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "mc.defines.h"

/* In the order of pins_buttons(): up, down, left, right, A, B, X, Y, start, select. */
enum { PIN_MAP_BUTTONS = 10 };
extern const int8_t pinMapButtons[PIN_MAP_BUTTONS];

/* Whether an app may use the pin: nothing of the console's is wired to it, nor of the chip's. */
bool pin_map_is_free(int32_t pin);

#endif
