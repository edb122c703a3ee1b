/* Names of the slots (slot.h). */
#include "slot.h"

Slot slot_other(Slot slot)
{
	return slot == SLOT_A ? SLOT_B : SLOT_A;
}

const char *slot_name(Slot slot)
{
	return slot == SLOT_A ? "a" : "b";
}
