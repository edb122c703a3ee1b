/* svc/system: properties of the console, and control over it. */
#include "system.h"

#include <math.h>
#include <stdio.h>

#include "boot.h"
#include "cpu-facts.h"
#include "event-loop.h"
#include "heap-figures.h"
#include "load.h"
#include "machine.h"
#include "options.h"
#include "ready-line.h"

static xsSlot shutdownCallback;
static unsigned int shutdownBoot;		/* the run that the callback belongs to */

static void set_number(xsMachine *the, const char *name, double value)
{
	machine_set_number(the, &xsVar(0), value);
	xsmcSet(xsResult, xsID(name), xsVar(0));
}

/* As in manifests (docs/spec/app-packages.md): a board that QEMU runs, or whatever machine the simulator was built for. */
void xs_system_architecture(xsMachine *the)
{
#if defined(__riscv) && __riscv_xlen == 32
	xsmcSetString(xsResult, "rv32");
#else
	xsmcSetString(xsResult, "native");
#endif
}

void xs_system_board(xsMachine *the)
{
	xsmcSetString(xsResult, (char *)boot_board());
}

void xs_system_mac(xsMachine *the)
{
	xsmcSetString(xsResult, (char *)options.mac);
}

void xs_system_reset_reason(xsMachine *the)
{
	xsmcSetString(xsResult, (char *)boot_reset_reason());
}

void xs_system_uptime_ms(xsMachine *the)
{
	machine_set_number(the, &xsResult, floor(boot_uptime_ms()));
}

void xs_system_cpu(xsMachine *the)
{
	CpuFacts facts = cpu_facts();
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	xsmcSetString(xsVar(0), facts.model);
	xsmcSet(xsResult, xsID("model"), xsVar(0));
	set_number(the, "cores", facts.cores);
	if (facts.frequencyMhz > 0)
		set_number(the, "frequencyMhz", facts.frequencyMhz);
	set_number(the, "loadPercent", round(load_percent(event_loop_now())));
}

void xs_system_heap(xsMachine *the)
{
	HeapFigures figures = heap_figures(the);
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	set_number(the, "totalBytes", figures.totalBytes);
	set_number(the, "freeBytes", figures.totalBytes - figures.usedBytes);
	set_number(the, "minimumFreeBytes", figures.totalBytes - figures.mostUsedBytes);
}

/* hasHeapRoom(byteLength, isToStay) */
void xs_system_has_heap_room(xsMachine *the)
{
	xsNumberValue byteLength = xsmcToNumber(xsArg(0));
	if (!(byteLength >= 0 && byteLength <= INT32_MAX))
		xsRangeError("bad length");
	xsmcSetBoolean(xsResult, heap_has_room(the, (size_t)byteLength, xsmcTest(xsArg(1))));
}

void xs_system_used_heap_bytes(xsMachine *the)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)heap_used_bytes(the, false));
}

void xs_system_live_heap_bytes(xsMachine *the)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)heap_used_bytes(the, true));
}

void xs_system_restart(xsMachine *the)
{
	(void)the;
	boot_request_restart();
}

/* ready(name, httpPort, wsPort): later boots use the same ports. */
void xs_system_ready(xsMachine *the)
{
	options_set_ports(xsmcToInteger(xsArg(1)), xsmcToInteger(xsArg(2)));
	ready_line_print(xsmcToString(xsArg(0)));
}

/* onShutdown(callback): only the last callback is called. */
void xs_system_on_shutdown(xsMachine *the)
{
	if (!xsmcIsCallable(xsArg(0)))
		xsTypeError("onShutdown needs a function");
	if (shutdownBoot == boot_number())
		machine_release(the, &shutdownCallback);
	shutdownBoot = boot_number();
	machine_keep(the, &shutdownCallback, xsArg(0));
}

void system_print_heap(void)
{
	if (!machine)
		return;
	fxCollectGarbage(machine);
	HeapFigures figures = heap_figures(machine);
	fprintf(stderr,
		"console: heap {\"live_bytes\":%zu,\"slot_bytes\":%zu,\"chunk_bytes\":%zu,\"stack_bytes\":%zu,"
		"\"slot_room_bytes\":%zu,\"peak_live_bytes\":%zu,\"peak_stack_bytes\":%zu,\"peak_needed_bytes\":%zu,\"total_bytes\":%zu}\n",
		figures.usedBytes, figures.slotBytes, figures.chunkBytes, figures.stackBytes,
		figures.slotRoomBytes, figures.peakLiveBytes, heap_peak_stack_bytes(machine), figures.peakNeededBytes, figures.totalBytes);
	heap_figures_forget_peaks(machine);
}

void system_shut_down(void)
{
	static bool isShuttingDown;
	xsSlot self;
	if (isShuttingDown)
		return;
	isShuttingDown = true;
	if (machine && shutdownBoot == boot_number()) {
		xsMachine *the = machine;
		xsmcSetUndefined(self);
		machine_call(&self, &shutdownCallback);
	}
	boot_request_shutdown();
}
