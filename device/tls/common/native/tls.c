/* svc/tls: the class over tls-engine.h. */
#include "machine.h"
#include "server-name.h"
#include "tls-engine.h"

void xs_tls_destructor(void *data)
{
	tls_engine_delete(data);
}

/* constructor(serverName) */
void xs_tls_constructor(xsMachine *the)
{
	if (xsmcTypeOf(xsArg(0)) != xsStringType && xsmcTypeOf(xsArg(0)) != xsStringXType)
		xsTypeError("the name of a server is a string");
	const char *name = xsmcToString(xsArg(0));
	ServerName parsed;
	if (!server_name_parse(&parsed, name))
		xsRangeError("\"%s\" is not a name of a server", name);
	TlsEngine *engine = tls_engine_new(name);
	if (!engine)
		xsUnknownError("no memory for TLS");
	xsmcSetHostData(xsThis, engine);
}

static TlsEngine *engine_of(xsMachine *the)
{
	return xsmcGetHostDataValidate(xsThis, xs_tls_destructor);
}

void xs_tls_phase(xsMachine *the)
{
	static const char *const NAMES[] = {
		[TLS_HANDSHAKE] = "handshake", [TLS_OPEN] = "open", [TLS_ENDED] = "ended", [TLS_FAILED] = "failed",
	};
	fxStringX(the, &xsResult, (char *)NAMES[tls_engine_phase(engine_of(the))]);
}

void xs_tls_problem(xsMachine *the)
{
	TlsEngine *engine = engine_of(the);
	if (tls_engine_phase(engine) == TLS_FAILED)
		xsmcSetString(xsResult, (char *)tls_engine_problem(engine));
}

static void set_count(xsMachine *the, size_t count)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

void xs_tls_receivable(xsMachine *the)
{
	set_count(the, tls_engine_receivable(engine_of(the)));
}

void xs_tls_readable(xsMachine *the)
{
	set_count(the, tls_engine_readable(engine_of(the)));
}

void xs_tls_writable(xsMachine *the)
{
	set_count(the, tls_engine_writable(engine_of(the)));
}

void xs_tls_takeable(xsMachine *the)
{
	set_count(the, tls_engine_takeable(engine_of(the)));
}

/* receive(ciphertext): all or nothing. */
void xs_tls_receive(xsMachine *the)
{
	TlsEngine *engine = engine_of(the);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	if (!tls_engine_receive(engine, bytes, length))
		xsRangeError("cannot receive %u bytes, there is no room for them now", (unsigned)length);
}

/* read(into): fills the buffer. */
void xs_tls_read(xsMachine *the)
{
	TlsEngine *engine = engine_of(the);
	void *into;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &into, &length);
	if (!tls_engine_read(engine, into, length))
		xsRangeError("cannot read %u bytes, fewer are available", (unsigned)length);
}

/* write(plaintext): all or nothing. */
void xs_tls_write(xsMachine *the)
{
	TlsEngine *engine = engine_of(the);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	if (!tls_engine_write(engine, bytes, length))
		xsRangeError("cannot write %u bytes, there is no room for them now", (unsigned)length);
}

/* take(into): the number of bytes to be sent. */
void xs_tls_take(xsMachine *the)
{
	TlsEngine *engine = engine_of(the);
	void *into;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &into, &length);
	set_count(the, tls_engine_take(engine, into, length));
}

void xs_tls_end(xsMachine *the)
{
	tls_engine_end(engine_of(the));
}

void xs_tls_close(xsMachine *the)
{
	xs_tls_destructor(machine_detach(the, xs_tls_destructor));
}
