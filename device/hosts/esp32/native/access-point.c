/* svc/access-point (device/ports/access-point.ts): the access point as the program uses it. There is one at a time. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "wifi-access-point.h"

enum { SSID_BYTES = 32, LEAST_PASSWORD_BYTES = 8, PASSWORD_BYTES = 63, MAXIMUM_CLIENTS = 10 };

typedef struct {
	xsSlot self;
	xsSlot onChanged;
} AccessPoint;

static AccessPoint *opened;

static void notify_changed(void)
{
	if (opened)
		machine_call(&opened->self, &opened->onChanged);
}

void xs_access_point_destructor(void *data)
{
	if (!data)
		return;
	wifi_access_point_stop();
	opened = NULL;
	free(data);
}

static void copy_text(xsMachine *the, xsSlot *from, char *into, size_t least, size_t most)
{
	const char *text = xsmcToString(*from);
	const size_t length = strlen(text);
	if (length < least || length > most)
		xsRangeError("%d to %d bytes", (int)least, (int)most);
	strcpy(into, text);
}

/* constructor(ssid, password, clientLimit, onChanged) */
void xs_access_point_constructor(xsMachine *the)
{
	char ssid[SSID_BYTES + 1], password[PASSWORD_BYTES + 1];
	copy_text(the, &xsArg(0), ssid, 1, SSID_BYTES);
	copy_text(the, &xsArg(1), password, LEAST_PASSWORD_BYTES, PASSWORD_BYTES);
	const int clientLimit = xsmcToInteger(xsArg(2));
	if (clientLimit < 1 || clientLimit > MAXIMUM_CLIENTS)
		xsRangeError("1 to %d clients", MAXIMUM_CLIENTS);
	if (!xsmcIsCallable(xsArg(3)))
		xsTypeError("an access point needs a function");
	if (opened)
		xsUnknownError("the access point is open already");
	AccessPoint *point = calloc(1, sizeof(AccessPoint));
	if (!point || !wifi_access_point_start(ssid, password, clientLimit, notify_changed)) {
		free(point);
		xsUnknownError("the radio cannot be an access point");
	}
	opened = point;
	xsmcSetHostData(xsThis, point);
	machine_keep(the, &point->self, xsThis);
	machine_keep(the, &point->onChanged, xsArg(3));
}

void xs_access_point_address(xsMachine *the)
{
	char text[16];
	const esp_ip4_addr_t address = wifi_access_point_address();
	xsmcGetHostDataValidate(xsThis, xs_access_point_destructor);
	(void)esp_ip4addr_ntoa(&address, text, sizeof(text));
	xsmcSetString(xsResult, text);
}

void xs_access_point_client_count(xsMachine *the)
{
	xsmcGetHostDataValidate(xsThis, xs_access_point_destructor);
	xsmcSetInteger(xsResult, wifi_access_point_client_count());
}

void xs_access_point_close(xsMachine *the)
{
	AccessPoint *point = machine_detach(the, xs_access_point_destructor);
	if (!point)
		return;
	machine_release(the, &point->onChanged);
	machine_release(the, &point->self);
	xs_access_point_destructor(point);
}
