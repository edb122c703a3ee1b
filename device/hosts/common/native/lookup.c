/*
 * The class of svc/resolver (lookup.h). A lookup keeps its object alive until it has called back. If the machine is
 * deleted first (a restart), the record becomes an orphan.
 */
#include "lookup.h"

#include <stdlib.h>
#include <string.h>

void xs_lookup_destructor(void *data)
{
	Lookup *lookup = data;
	if (!lookup)
		return;
	if (lookup->isDone)
		free(lookup);
	else
		lookup->isOrphan = true;
}

void lookup_finish(void *context)
{
	Lookup *lookup = context;
	if (lookup->isOrphan) {
		free(lookup);
		return;
	}
	lookup->isDone = true;
	machine_call(&lookup->self, &lookup->onDone);
	machine_release(machine, &lookup->onDone);
	machine_release(machine, &lookup->self);
}

static bool is_name(const char *text)
{
	size_t length = strlen(text);
	return length > 0 && length <= MAXIMUM_NAME_LENGTH && !memchr(text, 0xC0, length);	// C0 80 is U+0000
}

/* new Lookup(name, onDone): calls back later, without arguments. */
void xs_lookup_constructor(xsMachine *the)
{
	const char *name = xsmcToString(xsArg(0));
	if (!is_name(name))
		xsRangeError("this is not a name of a host");
	Lookup *lookup = calloc(1, sizeof(Lookup));
	if (!lookup)
		xsUnknownError("out of memory");
	strcpy(lookup->name, name);
	xsmcSetHostData(xsThis, lookup);
	machine_keep(the, &lookup->self, xsThis);
	machine_keep(the, &lookup->onDone, xsArg(1));
	lookup_start(lookup);
}

static Lookup *lookup_of(xsMachine *the)
{
	return xsmcGetHostDataValidate(xsThis, xs_lookup_destructor);
}

/* lookup.address(): undefined if none was found. */
void xs_lookup_address(xsMachine *the)
{
	Lookup *lookup = lookup_of(the);
	if (!lookup->problem)
		xsmcSetString(xsResult, lookup->address);
}

/* lookup.problem(): why no address was found. */
void xs_lookup_problem(xsMachine *the)
{
	Lookup *lookup = lookup_of(the);
	if (lookup->problem)
		xsmcSetString(xsResult, (char *)lookup->problem);
}
