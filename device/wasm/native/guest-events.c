/* From the app's thread to the callbacks of the VM, and the end of the record that both hold. */
#include <stdio.h>
#include <stdlib.h>

#include "guest.h"

void guest_release(Guest *guest)
{
	pthread_mutex_lock(&guest->mutex);
	const bool isLast = --guest->references == 0;
	pthread_mutex_unlock(&guest->mutex);
	if (!isLast)
		return;
	pthread_cond_destroy(&guest->changed);
	pthread_mutex_destroy(&guest->mutex);
	image_memory_free(&guest->code, &guest->image);
	free(guest->module);
	free(guest);
}

static void set_number(xsMachine *the, const char *name, double value)
{
	xsmcSetNumber(xsVar(1), value);
	xsmcSet(xsVar(0), xsID(name), xsVar(1));
}

static void set_string(xsMachine *the, const char *name, const char *value)
{
	xsmcSetString(xsVar(1), (char *)value);
	xsmcSet(xsVar(0), xsID(name), xsVar(1));
}

/* `draw@1f2a`: a function, and where in the module it was. */
static void set_stack(xsMachine *the, const GuestExit *exit)
{
	char frame[GUEST_NAME_BYTES + sizeof("@ffffffff")];
	xsmcSetNewArray(xsVar(1), exit->frameCount);
	for (uint32_t index = 0; index < exit->frameCount; index++) {
		const uint32_t offset = exit->offsets[index];
		snprintf(frame, sizeof(frame), offset ? "%s@%x" : "%s", exit->frames[index], (unsigned int)offset);
		xsmcSetString(xsVar(2), frame);
		xsmcSetIndex(xsVar(1), index, xsVar(2));
	}
	xsmcSet(xsVar(0), xsID("stack"), xsVar(1));
}

static void call_exit(Guest *guest)
{
	const GuestExit *exit = &guest->exit;		// no thread writes to it any more
	xsBeginHost(guest->the);
	xsmcVars(3);
	xsmcSetNewObject(xsVar(0));
	set_string(the, "reason", exit->reason);
	if (exit->hasCode)
		set_number(the, "code", exit->code);
	if (*exit->message)
		set_string(the, "message", exit->message);
	if (exit->frameCount > 0)
		set_stack(the, exit);
	(void)xsCallFunction1(guest->onExit, guest->self, xsVar(0));
	xsEndHost(guest->the);
}

static void call(Guest *guest, xsSlot *callback)
{
	xsBeginHost(guest->the);
	(void)xsCallFunction0(*callback, guest->self);
	xsEndHost(guest->the);
}

/* What is logged from here on waits for the next call, or an app that never stops would keep the VM taking. */
static bool has_log(Guest *guest)
{
	guest->takeableLines = guest->lineCount;
	guest->hasTaken = false;
	return guest->lineCount > 0;
}

static bool has_request(Guest *guest)
{
	const bool isNew = guest->call && !guest->isStopping && !guest->isRequestTold;
	guest->isRequestTold |= isNew;
	return isNew;
}

static bool has_exit(Guest *guest)
{
	const bool isNew = guest->exit.reason && !guest->isExitTold;
	guest->isExitTold |= isNew;
	return isNew;
}

/* A callback may close the guest, after which there are no more. */
static bool is_due(Guest *guest, bool (*has)(Guest *guest))
{
	pthread_mutex_lock(&guest->mutex);
	const bool isDue = !guest->isClosed && has(guest);
	pthread_mutex_unlock(&guest->mutex);
	return isDue;
}

/* A callback that has taken some lines and left others is called again, in a turn to come. */
static void call_again(Guest *guest)
{
	pthread_mutex_lock(&guest->mutex);
	if (guest->takeableLines > 0 && guest->hasTaken)
		guest_unlock_and_wake(guest);
	else
		pthread_mutex_unlock(&guest->mutex);
}

/* The guest whose callbacks run. One that is still there when the next comes was left by a callback that threw. */
static Guest *delivering;

static void begin_delivery(Guest *guest)
{
	if (delivering)
		guest_release(delivering);
	delivering = guest;
	pthread_mutex_lock(&guest->mutex);
	guest->isWakePosted = false;
	pthread_mutex_unlock(&guest->mutex);
}

static void deliver(void *context)
{
	Guest *guest = context;
	begin_delivery(guest);
	if (is_due(guest, has_log)) {
		call(guest, &guest->onLog);
		guest_platform_end_turn(guest->the);
		call_again(guest);
	}
	if (is_due(guest, has_request)) {
		call(guest, &guest->onRequest);
		guest_platform_end_turn(guest->the);
	}
	if (is_due(guest, has_exit)) {
		call_exit(guest);
		guest_platform_end_turn(guest->the);
	}
	delivering = NULL;
	guest_release(guest);
}

void guest_unlock_and_wake(Guest *guest)
{
	const bool isDue = !guest->isWakePosted && !guest->isClosed;
	guest->isWakePosted |= isDue;
	guest->references += isDue;
	pthread_mutex_unlock(&guest->mutex);
	if (isDue)
		guest_platform_post(deliver, guest);
}
