/* Native(name), native(name) and trace(text): the globals that host modules use. */
#include "natives.h"

static int compare_entry(const void *name, const void *entry)
{
	return strcmp(name, ((const NativeEntry *)entry)->name);
}

static xsCallback find_native(xsMachine *the, const NativeEntry *entries, uint32_t count)
{
	char *name = xsmcToString(xsArg(0));
	const NativeEntry *entry = bsearch(name, entries, count, sizeof(NativeEntry), compare_entry);
	if (!entry)
		xsReferenceError("no native \"%s\"", name);
	return entry->callback;
}

/* native(name): the host function of that name. */
void global_native(xsMachine *the)
{
	xsResult = xsNewHostFunction(find_native(the, nativeFunctions, nativeFunctionCount), 0);
}

/* Native(name): a constructor to extend, whose instances are destroyed by the function of that name. */
void global_Native(xsMachine *the)
{
	xsCallback construct = find_native(the, nativeConstructors, nativeConstructorCount);
	xsResult = xsNewHostConstructor(construct, 0, xsNewObject());
}

extern void xs_trace(xsMachine *the);

static void define_global(xsMachine *the, const char *name, xsCallback callback)
{
	xsSlot function = xsNewHostFunction(callback, 1);
	xsmcDefine(xsGlobal, xsID(name), function, xsDontEnum);
}

void natives_install(xsMachine *the)
{
	define_global(the, "native", global_native);
	define_global(the, "Native", global_Native);
	define_global(the, "trace", xs_trace);
}
