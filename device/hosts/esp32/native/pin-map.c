/* Buttons, and pins for apps (pin-map.h). */
#include "pin-map.h"

#include <stddef.h>

const int8_t pinMapButtons[PIN_MAP_BUTTONS] = {
	MODDEF_BUTTONS_UP, MODDEF_BUTTONS_DOWN, MODDEF_BUTTONS_LEFT, MODDEF_BUTTONS_RIGHT,
	MODDEF_BUTTONS_A, MODDEF_BUTTONS_B, MODDEF_BUTTONS_X, MODDEF_BUTTONS_Y,
	MODDEF_BUTTONS_START, MODDEF_BUTTONS_SELECT,
};

static const int8_t freePins[] = MODDEF_PINS_FREE;

/* Those that the option Ethernet takes, where it is built in. */
#ifdef MODDEF_ETHERNET_PINS
static const int8_t ethernetPins[] = MODDEF_ETHERNET_PINS;
#else
static const int8_t ethernetPins[] = { -1 };
#endif

static bool has_pin(const int8_t pins[], size_t count, int32_t pin)
{
	for (size_t index = 0; index < count; index++) {
		if (pins[index] == pin)
			return true;
	}
	return false;
}

bool pin_map_is_free(int32_t pin)
{
	return has_pin(freePins, sizeof(freePins), pin) && !has_pin(ethernetPins, sizeof(ethernetPins), pin);
}
