/* svc/guest: the class over a guest. Everything in here runs on the thread of the management machine. */
#include "guest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pins.h"
#include "sound.h"

enum { MAXIMUM_IMAGE_BYTES = 16 * 1024 * 1024 };

static void stop_and_join(Guest *guest)
{
	pthread_mutex_lock(&guest->mutex);
	guest->isClosed = true;
	guest_interrupt(guest);
	pthread_mutex_unlock(&guest->mutex);
	if (guest->hasThread)
		pthread_join(guest->thread, NULL);
	guest->hasThread = false;
	display_leave(&guest->display);
	sound_leave(guest);
}

void xs_guest_destructor(void *data)
{
	Guest *guest = data;
	if (!guest)
		return;
	stop_and_join(guest);
	guest_release(guest);
}

/* options[name] as an integer of that range. xsVar(0) is used. */
static double get_integer(xsMachine *the, xsSlot *options, const char *name, double maximum)
{
	xsmcGet(xsVar(0), *options, xsID(name));
	double value = xsmcToNumber(xsVar(0));
	if (!(value >= 0 && value <= maximum) || value != floor(value))
		xsRangeError("%s is not from 0 to %.0f", name, maximum);
	return value;
}

static xsSlot get_function(xsMachine *the, const char *name)
{
	xsSlot function;
	xsmcGet(function, xsArg(0), xsID(name));
	if (!xsmcIsCallable(function))
		xsTypeError("%s is not a function", name);
	return function;
}

static void get_script(xsMachine *the, Guest *settings)
{
	xsmcGet(xsVar(1), xsArg(0), xsID("script"));
	if (xsmcTypeOf(xsVar(1)) == xsUndefinedType)
		return;
	settings->hasScript = true;
	settings->scriptOffset = get_integer(the, &xsVar(1), "offset", settings->moduleByteLength);
	settings->scriptByteLength = get_integer(the, &xsVar(1), "byteLength", settings->moduleByteLength - settings->scriptOffset);
}

/* options.image, where there is one. */
static void get_image(xsMachine *the, Guest *settings)
{
	xsmcGet(xsVar(1), xsArg(0), xsID("image"));
	if (xsmcTypeOf(xsVar(1)) == xsUndefinedType)
		return;
	if (!codeMemoryMachine)
		xsUnknownError("native images do not run here");
	const struct { const char *name; uint32_t *value; } FIGURES[] = {
		{ "textByteLength", &settings->image.textByteLength }, { "dataByteLength", &settings->image.dataByteLength },
		{ "zeroByteLength", &settings->image.zeroByteLength }, { "relocationCount", &settings->image.relocationCount },
		{ "functionCount", &settings->image.functionCount }, { "namesByteLength", &settings->image.namesByteLength },
		{ "entryOffset", &settings->image.entryOffset }, { "limitOffset", &settings->image.limitOffset },
		{ "frameBytes", &settings->image.frameBytes },
	};
	for (size_t index = 0; index < sizeof(FIGURES) / sizeof(*FIGURES); index++)
		*FIGURES[index].value = get_integer(the, &xsVar(1), FIGURES[index].name, MAXIMUM_IMAGE_BYTES);
	const NativeLayout *image = &settings->image;
	const uint64_t fileBytes = (uint64_t)image->textByteLength + image->dataByteLength + image->relocationCount * 4ull
		+ image->functionCount * 8ull + image->namesByteLength;
	const uint64_t loadedBytes = (uint64_t)image->textByteLength + image->dataByteLength + image->zeroByteLength;
	if (fileBytes > settings->moduleByteLength || image->entryOffset >= image->textByteLength
		|| image->limitOffset + sizeof(uintptr_t) > loadedBytes || image->limitOffset % sizeof(uintptr_t) != 0)
		xsRangeError("the image is not as long as it says, or its limit is at no word");
	settings->hasImage = true;
	if (!image_memory_allocate(&settings->code, image))
		xsUnknownError("no memory for the code of an image");
}

static void initialize(Guest *guest)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	guest_platform_init_mutex(&guest->mutex);
	pthread_cond_init(&guest->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	guest->references = 1;
}

/* constructor({ name, moduleByteLength, capabilities, memoryQuotaBytes, stackBytes, nestedBlocks, script, image, on… }) */
void xs_guest_constructor(xsMachine *the)
{
	enum { MAXIMUM_STACK_BYTES = 1024 * 1024, MAXIMUM_NESTED_BLOCKS = 1024 };
	const double MAXIMUM_QUOTA_BYTES = 65535.0 * 65536;		// wasm3 counts them in 32 bits
	xsmcVars(5);
	Guest *guest = calloc(1, sizeof(Guest));
	if (!guest)
		xsUnknownError("no memory for a guest");
	initialize(guest);
	xsmcSetHostData(xsThis, guest);			// what throws from here on leaves it to the collector
	guest->moduleByteLength = get_integer(the, &xsArg(0), "moduleByteLength", INT32_MAX);
	guest->capabilities = get_integer(the, &xsArg(0), "capabilities", UINT32_MAX);
	guest->memoryQuotaBytes = get_integer(the, &xsArg(0), "memoryQuotaBytes", MAXIMUM_QUOTA_BYTES);
	guest->stackBytes = get_integer(the, &xsArg(0), "stackBytes", MAXIMUM_STACK_BYTES);
	guest->nestedBlocks = get_integer(the, &xsArg(0), "nestedBlocks", MAXIMUM_NESTED_BLOCKS);
	get_script(the, guest);
	get_image(the, guest);
	xsmcGet(xsVar(0), xsArg(0), xsID("name"));
	snprintf(guest->name, sizeof(guest->name), "%s", xsmcToString(xsVar(0)));
	xsVar(2) = get_function(the, "onRequest");
	xsVar(3) = get_function(the, "onLog");
	xsVar(4) = get_function(the, "onExit");
	guest->module = malloc(guest->moduleByteLength + 1);		// one more, so that none is something, too
	if (!guest->module)
		xsUnknownError("no memory for a module of %u bytes", (unsigned int)guest->moduleByteLength);
	guest->the = the;
	guest->self = xsThis;
	guest->onRequest = xsVar(2);
	guest->onLog = xsVar(3);
	guest->onExit = xsVar(4);
	xsRemember(guest->self);
	xsRemember(guest->onRequest);
	xsRemember(guest->onLog);
	xsRemember(guest->onExit);
}

/* machine: what native images are for; undefined where none runs */
void xs_guest_machine(xsMachine *the)
{
	if (codeMemoryMachine)
		xsmcSetString(xsResult, (char *)codeMemoryMachine);
}

/* load(bytes) */
void xs_guest_load(xsMachine *the)
{
	void *bytes;
	xsUnsignedValue length;
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	if (guest->hasThread || !guest->module)
		xsUnknownError("the app has been started");
	if (length > guest->moduleByteLength - guest->loadedByteLength)
		xsRangeError("the module has %u bytes", (unsigned int)guest->moduleByteLength);
	memcpy(guest->module + guest->loadedByteLength, bytes, length);
	guest->loadedByteLength += length;
}

/* start(entry) */
void xs_guest_start(xsMachine *the)
{
	char *entry = xsmcToString(xsArg(0));
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	if (guest->hasThread)
		xsUnknownError("the app has been started");
	if (guest->loadedByteLength != guest->moduleByteLength)
		xsUnknownError("%u of %u bytes of the module are there", (unsigned int)guest->loadedByteLength,
			(unsigned int)guest->moduleByteLength);
	if (strlen(entry) >= sizeof(guest->entry))
		xsRangeError("the name of the entry is over %u bytes", (unsigned int)sizeof(guest->entry) - 1);
	strcpy(guest->entry, entry);
	int error = guest_platform_start_thread(&guest->thread, guest_thread_stack_bytes(guest), guest_thread, guest);
	if (error)
		xsUnknownError("no thread: %s", strerror(error));
	guest->hasThread = true;
}

/* stop(): allowed before start(), too; the app then ends immediately. */
void xs_guest_stop(xsMachine *the)
{
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	pthread_mutex_lock(&guest->mutex);
	guest_interrupt(guest);
	pthread_mutex_unlock(&guest->mutex);
}

static void set_suspended(xsMachine *the, bool isSuspended)
{
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	pthread_mutex_lock(&guest->mutex);
	guest_suspend(guest, isSuspended);
	pthread_mutex_unlock(&guest->mutex);
}

/* suspend(): allowed before start(), too. */
void xs_guest_suspend(xsMachine *the)
{
	set_suspended(the, true);
}

/* resume() */
void xs_guest_resume(xsMachine *the)
{
	set_suspended(the, false);
}

/* bringToFront() */
void xs_guest_bring_to_front(xsMachine *the)
{
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	if (display_is_in_front(&guest->display))
		return;
	pins_hold_back_buttons();
	display_bring_to_front(&guest->display);
	sound_bring_to_front(guest);
}

/* takeLog(): of the lines that onLog was called for, or, once the app has ended, of all. */
void xs_guest_take_log(xsMachine *the)
{
	GuestLogLine line;
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	pthread_mutex_lock(&guest->mutex);
	const bool isThere = guest->exit.reason ? guest->lineCount > 0 : guest->takeableLines > 0;
	if (isThere) {
		guest->takeableLines -= guest->takeableLines > 0;
		guest->hasTaken = true;
		line = guest->log[guest->firstLine];
		guest->firstLine = (guest->firstLine + 1) % GUEST_LOG_LINES;
		guest->lineCount--;
	}
	pthread_mutex_unlock(&guest->mutex);
	if (!isThere)
		return;
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	xsmcSetInteger(xsVar(0), line.level);
	xsmcSet(xsResult, xsID("level"), xsVar(0));
	xsmcSetStringBuffer(xsVar(0), line.text, line.byteLength);
	xsmcSet(xsResult, xsID("text"), xsVar(0));
	xsmcSetNumber(xsVar(0), line.lost);
	xsmcSet(xsResult, xsID("lost"), xsVar(0));
}

void xs_guest_close(xsMachine *the)
{
	Guest *guest = xsmcGetHostData(xsThis);
	if (!guest)
		return;
	xsmcSetHostData(xsThis, NULL);
	xsmcSetHostDestructor(xsThis, NULL);
	xsForget(guest->self);
	xsForget(guest->onRequest);
	xsForget(guest->onLog);
	xsForget(guest->onExit);
	xs_guest_destructor(guest);
}
