/* Buttons and what is left for apps (pin-map.h). */
#include "pin-map.h"

const int8_t pinMapButtons[PIN_MAP_BUTTONS] = {
	MODDEF_BUTTONS_UP, MODDEF_BUTTONS_DOWN, MODDEF_BUTTONS_LEFT, MODDEF_BUTTONS_RIGHT,
	MODDEF_BUTTONS_A, MODDEF_BUTTONS_B, MODDEF_BUTTONS_X, MODDEF_BUTTONS_Y,
	MODDEF_BUTTONS_START, MODDEF_BUTTONS_SELECT,
};

/* A bit each: the manifest has them as two words, for pins from 0 and from 32 on. */
static const uint32_t FREE_PINS[] = { MODDEF_FREEPINS_LOW, MODDEF_FREEPINS_HIGH };

bool pin_map_is_free(int32_t pin)
{
	return pin >= 0 && pin < 64 && FREE_PINS[pin / 32] >> pin % 32 & 1;
}
