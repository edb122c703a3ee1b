/*
 * svc/wifi: a simulated radio. It receives the access points of access-points.c, completes each operation after a
 * delay, and checks only the network's name and the password.
 */
#include "wifi.h"

#include <stdlib.h>
#include <string.h>

#include "access-points.h"
#include "event-loop.h"
#include "machine.h"

enum { DISCONNECTED = 200, JOINING = 300, JOINED = 500 };		/* device/ports/wifi.ts */
enum { SSID_BYTES = 32, PASSWORD_BYTES = 64 };

static const double JOIN_MS = 50;
static const double SCAN_MS = 100;
static const double WEAK_LIFETIME_MS = 500;

typedef struct {
	Deadline step;					/* the next change of `connection` */
	Deadline scan;
	int connection;
	const AccessPoint *joined;
	const char *failure;			/* NULL: none; while joining, the coming result */
	bool hasHeardWeak;				/* at the last attempt to join it */
	xsSlot self;
	xsSlot onChanged;
	xsSlot onScanned;				/* kept while scan.isSet */
} Radio;

static Radio *radio;				/* the one that is switched on */

bool wifi_is_joined(void)
{
	return !radio || radio->connection == JOINED;
}

int wifi_rssi(int hosts)
{
	return !radio || !radio->joined || radio->joined->isHosts ? hosts : radio->joined->rssi;
}

static void tell(Deadline *deadline)
{
	(void)deadline;
	machine_call(&radio->self, &radio->onChanged);
}

static void next_step(void (*ready)(Deadline *deadline), double milliseconds)
{
	radio->step.ready = ready;
	event_loop_set(&radio->step, event_loop_now() + milliseconds);
}

static void end_connection(const char *failure)
{
	event_loop_clear(&radio->step);
	radio->connection = DISCONNECTED;
	radio->joined = NULL;
	radio->failure = failure;
}

static void lose(Deadline *deadline)
{
	end_connection("lost");
	tell(deadline);
}

static void settle(Deadline *deadline)
{
	if (radio->failure)
		end_connection(radio->failure);
	else {
		radio->connection = JOINED;
		if (radio->joined->isWeak)
			next_step(lose, WEAK_LIFETIME_MS);
	}
	tell(deadline);
}

/* Why it cannot be joined, NULL if it can. */
static const char *join_failure(const AccessPoint *point, const char *password)
{
	if (point && point->isWeak)
		radio->hasHeardWeak = !radio->hasHeardWeak;
	if (!point || (point->isWeak && radio->hasHeardWeak))
		return "not_found";
	return point->password && strcmp(point->password, password) != 0 ? "wrong_password" : NULL;
}

static void delete_radio(Radio *gone)
{
	event_loop_clear(&gone->step);
	event_loop_clear(&gone->scan);
	radio = NULL;
	free(gone);
}

void xs_wifi_destructor(void *data)
{
	if (data)
		delete_radio(data);
}

/* new Wifi(onChanged) */
void xs_wifi_constructor(xsMachine *the)
{
	if (!xsmcIsCallable(xsArg(0)))
		xsTypeError("a radio needs a function");
	if (radio)
		xsUnknownError("the radio is switched on already");
	radio = calloc(1, sizeof(Radio));
	if (!radio)
		xsUnknownError("out of memory");
	radio->connection = DISCONNECTED;
	xsmcSetHostData(xsThis, radio);
	machine_keep(the, &radio->self, xsThis);
	machine_keep(the, &radio->onChanged, xsArg(0));
}

void xs_wifi_connection(xsMachine *the)
{
	xsmcGetHostDataValidate(xsThis, xs_wifi_destructor);
	xsmcSetInteger(xsResult, radio->connection);
}

void xs_wifi_failure(xsMachine *the)
{
	xsmcGetHostDataValidate(xsThis, xs_wifi_destructor);
	if (radio->failure && radio->connection == DISCONNECTED)
		xsmcSetString(xsResult, (char *)radio->failure);
}

static void copy_text(xsMachine *the, xsSlot *from, char *into, size_t limit)
{
	const char *text = xsmcToString(*from);
	if (strlen(text) > limit)
		xsRangeError("over %d bytes", (int)limit);
	strcpy(into, text);
}

/* connect(ssid, password): without password if that is empty. */
void xs_wifi_connect(xsMachine *the)
{
	char ssid[SSID_BYTES + 1], password[PASSWORD_BYTES + 1];
	copy_text(the, &xsArg(0), ssid, SSID_BYTES);
	copy_text(the, &xsArg(1), password, PASSWORD_BYTES);
	xsmcGetHostDataValidate(xsThis, xs_wifi_destructor);
	if (!*ssid)
		xsRangeError("the name of the network is empty");
	if (radio->scan.isSet || radio->connection != DISCONNECTED)
		xsUnknownError("the radio is busy");
	radio->joined = access_point_named(ssid);
	radio->failure = join_failure(radio->joined, password);
	bool isThere = !radio->failure && radio->joined->isHosts;
	radio->connection = isThere ? JOINED : JOINING;
	next_step(isThere ? tell : settle, isThere ? 0 : JOIN_MS);
}

void xs_wifi_disconnect(xsMachine *the)
{
	xsmcGetHostDataValidate(xsThis, xs_wifi_destructor);
	end_connection(NULL);
}

static void end_scan(Deadline *deadline)
{
	(void)deadline;
	xsMachine *the = machine;
	xsSlot onScanned = radio->onScanned;
	machine_release(the, &radio->onScanned);
	machine_call(&radio->self, &onScanned);
}

/* scan(onScanned): calls back later, without arguments. */
void xs_wifi_scan(xsMachine *the)
{
	xsmcGetHostDataValidate(xsThis, xs_wifi_destructor);
	if (radio->scan.isSet || radio->connection == JOINING)
		xsUnknownError("the radio is busy");
	machine_keep(the, &radio->onScanned, xsArg(0));
	radio->scan.ready = end_scan;
	event_loop_set(&radio->scan, event_loop_now() + SCAN_MS);
}

static void set_number(xsMachine *the, const char *name, int value)
{
	xsmcSetInteger(xsVar(0), value);
	xsmcDefine(xsResult, xsID(name), xsVar(0), xsDefault);
}

static void set_text(xsMachine *the, const char *name, const char *value)
{
	xsmcSetString(xsVar(0), (char *)value);
	xsmcDefine(xsResult, xsID(name), xsVar(0), xsDefault);
}

/* found(index): { SSID, RSSI, channel, security }, undefined beyond the last one. */
void xs_wifi_found(xsMachine *the)
{
	int index = xsmcToInteger(xsArg(0));
	const AccessPoint *point = access_point_at(index);
	if (!point)
		return;
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	set_text(the, "SSID", point->ssid);
	set_number(the, "RSSI", point->rssi);
	set_number(the, "channel", point->channel);
	set_text(the, "security", point->password ? "wpa2_psk" : "none");
}

void xs_wifi_close(xsMachine *the)
{
	if (!machine_detach(the, xs_wifi_destructor))
		return;
	if (radio->scan.isSet)
		machine_release(the, &radio->onScanned);
	machine_release(the, &radio->onChanged);
	machine_release(the, &radio->self);
	delete_radio(radio);
}
