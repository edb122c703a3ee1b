/* svc/buttons: which buttons are down, and those that a remote client holds down. */
#include "machine.h"
#include "pins-board.h"
#include "pins.h"

void xs_buttons_pressed(xsMachine *the)
{
	pins_look();		/* the console asks often enough not to miss a press between two questions of an app */
	xsmcSetInteger(xsResult, pins_pressed());
}

void xs_buttons_pressed_by_owner(xsMachine *the)
{
	xsmcSetInteger(xsResult, pins_owner_pressed());
}

/* holdBack(holdsAll) */
void xs_buttons_hold_back(xsMachine *the)
{
	pins_hold_all_back(xsmcTest(xsArg(0)));
}

/* reserveChord(bits) */
void xs_buttons_reserve_chord(xsMachine *the)
{
	pins_reserve_chord(xsmcToInteger(xsArg(0)) & EVERY_BUTTON);
}

/* press(bits, isOwner) */
void xs_buttons_press(xsMachine *the)
{
	xsNumberValue buttons = xsmcToNumber(xsArg(0));
	if (!(buttons >= 0 && buttons <= EVERY_BUTTON))
		xsRangeError("there are %d buttons", BUTTON_COUNT);
	pins_press((int32_t)buttons, xsmcTest(xsArg(1)));
}
