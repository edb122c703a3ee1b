/* svc/host: the command line as the program reads it. Read again in each run, since the ports become known. */
#include <string.h>

#include "crash-loop.h"
#include "machine.h"
#include "options.h"

static void set_string(xsMachine *the, const char *name, const char *value)
{
	if (!value)
		return;
	xsmcSetString(xsVar(0), (char *)value);
	xsmcDefine(xsResult, xsID(name), xsVar(0), xsDefault);
}

static void set_port(xsMachine *the, const char *name, int value)
{
	xsmcSetInteger(xsVar(0), value);
	xsmcDefine(xsResult, xsID(name), xsVar(0), xsDefault);
}

/* The object without its build options, which xs_config_options adds. */
void xs_config_host(xsMachine *the)
{
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	set_port(the, "httpPort", options.httpPort);
	set_port(the, "wsPort", options.wsPort);
	set_port(the, "setupHttpPort", options.setupHttpPort);
	set_port(the, "setupDnsPort", options.setupDnsPort);
	set_string(the, "address", options.address);
	set_string(the, "logLevel", options.logLevel);
	set_string(the, "hub", options.hub);
	set_string(the, "sd", options.sd);
	set_string(the, "usbDrive", options.usbDrive);
	xsmcSetBoolean(xsVar(0), options.mdns);
	xsmcDefine(xsResult, xsID("mdns"), xsVar(0), xsDefault);
	xsmcSetBoolean(xsVar(0), crash_loop_is_safe_mode());
	xsmcDefine(xsResult, xsID("safeMode"), xsVar(0), xsDefault);
}

/* { NAME: "VALUE", … } of all --config flags, in their order; the last value of a name counts. */
void xs_config_options(xsMachine *the)
{
	xsmcVars(2);
	xsmcSetNewObject(xsResult);
	for (int index = 0; index < options.configCount; index++) {
		const char *text = options.config[index];
		const char *equals = strchr(text, '=');
		xsmcSetStringBuffer(xsVar(0), (char *)text, equals - text);
		xsmcSetString(xsVar(1), (char *)equals + 1);
		xsmcSetAt(xsResult, xsVar(0), xsVar(1));
	}
}
