/*
 * The simulator's screen.c defines fxAbort, which notifies the screen, a structure of callbacks that the simulator
 * provides: we replace one of them. Includes XS's own headers.
 */
#include <stdio.h>

#include "xsAll.h"
#include "engine.h"
#include "screen.h"

static void (*onAbort)(const char *reason, const char *detail);

/* The stack of an exception, in names of functions; its text if it is not an Error. Its frame is never ended. */
static void describe_exception(txMachine *the, char *text, size_t size)
{
	mxTry(the) {
		fxBeginHost(the);
		mxPush(mxException);
		if (the->stack->kind == XS_REFERENCE_KIND)
			mxGetID(mxID(_stack));
		if (the->stack->kind == XS_UNDEFINED_KIND)
			*the->stack = mxException;
		fxToStringBuffer(the, the->stack, text, (txSize)size);
	}
	mxCatch(the) {
		snprintf(text, size, "an exception that has no text");
	}
}

static void aborted(txScreen *screen, int status)
{
	char detail[1024] = "";
	if (status == XS_UNHANDLED_EXCEPTION_EXIT || status == XS_UNHANDLED_REJECTION_EXIT)
		describe_exception(screen->machine, detail, sizeof(detail));
	onAbort(fxAbortString(status), detail);
}

/*
 * Replaces XS's report on the console's standard output of aborts and of failed allocations (--wrap, in the manifest):
 * the result is reported once, on standard error.
 */
void __wrap_fxReport(void *the, char *format, ...)
{
}

void engine_open(void *machine, void (*callback)(const char *reason, const char *detail))
{
	txScreen *screen = ((txMachine *)machine)->host;
	onAbort = callback;
	screen->abort = aborted;
}
