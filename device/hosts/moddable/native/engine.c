/*
 * fxAbort is in the simulator's screen.c, and tells the screen, of which it has been told by the simulator: that is
 * where we come in. Includes XS's own headers.
 */
#include "xsAll.h"
#include "engine.h"
#include "screen.h"

static void (*onAbort)(const char *reason, const char *detail);

/* Where an exception came from, in names of functions; its text where it is no Error. Its frame is never ended. */
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
 * The engine would report that it aborts, and why an allocation before did, on the console's standard output. The
 * linker calls this in its place (--wrap, in the manifest): what becomes of it is told once, on standard error.
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
