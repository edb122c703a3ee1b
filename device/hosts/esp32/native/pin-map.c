/* Buttons, and pins for apps (pin-map.h). */
#include "pin-map.h"

#include <stddef.h>

const int8_t pinMapButtons[PIN_MAP_BUTTONS] = {
	MODDEF_BUTTONS_UP, MODDEF_BUTTONS_DOWN, MODDEF_BUTTONS_LEFT, MODDEF_BUTTONS_RIGHT,
	MODDEF_BUTTONS_A, MODDEF_BUTTONS_B, MODDEF_BUTTONS_X, MODDEF_BUTTONS_Y,
	MODDEF_BUTTONS_START, MODDEF_BUTTONS_SELECT,
};

static const int8_t freePins[] = MODDEF_PINS_FREE;

bool pin_map_is_free(int32_t pin)
{
	for (size_t index = 0; index < sizeof(freePins); index++) {
		if (freePins[index] == pin)
			return true;
	}
	return false;
}
