/* Values that C keeps, and calls into the machine (machine.h). The host creates and deletes the machine. */
#include "machine.h"

void machine_keep(xsMachine *the, xsSlot *kept, xsSlot value)
{
	*kept = xsAccess(value);
	xsRemember(*kept);
}

void machine_release(xsMachine *the, xsSlot *kept)
{
	xsForget(*kept);
}

xsSlot machine_get_callback(xsMachine *the, xsSlot *options, const char *name)
{
	xsSlot callback;
	xsmcGet(callback, *options, xsID(name));
	if (xsmcTypeOf(callback) != xsUndefinedType && !xsmcIsCallable(callback))
		xsTypeError("%s is not a function", name);
	return callback;
}

void *machine_detach(xsMachine *the, xsDestructor destructor)
{
	if (!xsmcGetHostData(xsThis))
		return NULL;
	void *data = xsmcGetHostDataValidate(xsThis, destructor);
	xsmcSetHostData(xsThis, NULL);
	xsmcSetHostDestructor(xsThis, NULL);
	return data;
}

void machine_call(xsSlot *self, xsSlot *function)
{
	xsMachine *the = machine;
	if (xsmcTypeOf(*function) == xsUndefinedType)
		return;
	xsBeginHost(machine);
	(void)xsCallFunction0(*function, *self);
	xsEndHost(machine);
	machine_end_turn();
}

static void call_with(xsSlot *self, xsSlot *function, xsSlot argument)
{
	xsMachine *the = machine;
	if (xsmcTypeOf(*function) == xsUndefinedType)
		return;
	xsBeginHost(machine);
	(void)xsCallFunction1(*function, *self, argument);
	xsEndHost(machine);
	machine_end_turn();
}

void machine_call_count(xsSlot *self, xsSlot *function, xsIntegerValue argument)
{
	xsSlot number;
	xsMachine *the = machine;
	xsmcSetInteger(number, argument);
	call_with(self, function, number);
}

void machine_call_boolean(xsSlot *self, xsSlot *function, bool argument)
{
	xsSlot boolean;
	xsMachine *the = machine;
	xsmcSetBoolean(boolean, argument);
	call_with(self, function, boolean);
}

void machine_set_number(xsMachine *the, xsSlot *slot, xsNumberValue value)
{
	const bool isInteger = value >= INT32_MIN && value <= INT32_MAX && value == (xsIntegerValue)value;
	if (isInteger)
		xsmcSetInteger(*slot, (xsIntegerValue)value);
	else
		xsmcSetNumber(*slot, value);
}
