/*
 * TLS by mbedTLS (tls-engine.h).
 *
 * The library reads from the queue `input` and writes to the queue `output`, which has room for one record and replies.
 * A record is only made while `output` is empty, so the library never has to keep one back.
 */
#include "tls-engine.h"

#include <mbedtls/error.h>
#include <mbedtls/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte-queue.h"
#include "server-name.h"
#include "tls-crypto.h"
#include "tls-trust.h"
#include "tls-verdict.h"

enum {
	OUTPUT_QUEUE_BYTES = TLS_OUTPUT_BYTES + TLS_REPLY_BYTES,
	ROOM_TO_REPLY_BYTES = TLS_REPLY_BYTES / 2,		/* the other half is for what encryption adds to a record */
};

struct TlsEngine {
	mbedtls_ssl_context ssl;
	TlsVerdict verdict;
	TlsPhase phase;
	enum { SENDING, ENDING, SILENT } sending;		/* ending: close_notify follows the plaintext */
	ByteQueue input;
	ByteQueue output;
	ByteQueue plaintext;		/* to be encrypted and sent */
	uint8_t inputBytes[TLS_INPUT_BYTES];
	uint8_t outputBytes[OUTPUT_QUEUE_BYTES];
	uint8_t plaintextBytes[TLS_OUTPUT_BYTES];
	char problem[TLS_PROBLEM_BYTES];		/* empty unless the connection failed */
};

static bool prepare(mbedtls_ssl_config *settings)
{
	mbedtls_ssl_config_init(settings);
	if (!tls_crypto_begin())
		return false;
	if (mbedtls_ssl_config_defaults(settings, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT))
		return false;
	tls_crypto_set(settings);
	mbedtls_ssl_conf_authmode(settings, MBEDTLS_SSL_VERIFY_REQUIRED);
#if defined(MBEDTLS_SSL_SESSION_TICKETS)
	mbedtls_ssl_conf_session_tickets(settings, MBEDTLS_SSL_SESSION_TICKETS_DISABLED);
#endif
#if defined(MBEDTLS_SSL_RENEGOTIATION)
	mbedtls_ssl_conf_renegotiation(settings, MBEDTLS_SSL_RENEGOTIATION_DISABLED);
#endif
	return tls_trust_set(settings);
}

/* @returns the settings of all connections, made at the first call and kept; NULL if there is no memory */
static const mbedtls_ssl_config *common_settings(void)
{
	static mbedtls_ssl_config settings;
	static bool isReady;
	if (isReady)
		return &settings;
	isReady = prepare(&settings);
	if (!isReady)
		mbedtls_ssl_config_free(&settings);
	return isReady ? &settings : NULL;
}

static size_t least(size_t one, size_t other)
{
	return one < other ? one : other;
}

/* mbedTLS reads ciphertext. */
static int fetch(void *context, unsigned char *into, size_t length)
{
	ByteQueue *input = &((TlsEngine *)context)->input;
	size_t count = least(length, input->length);
	if (count == 0)
		return MBEDTLS_ERR_SSL_WANT_READ;
	memcpy(into, byte_queue_head(input), count);
	byte_queue_drop(input, count);
	return (int)count;
}

/* mbedTLS writes ciphertext. */
static int send_on(void *context, const unsigned char *bytes, size_t length)
{
	ByteQueue *output = &((TlsEngine *)context)->output;
	size_t count = least(length, byte_queue_room(output));
	if (count == 0)
		return MBEDTLS_ERR_SSL_WANT_WRITE;
	byte_queue_append(output, bytes, count);
	return (int)count;
}

/* A fatal alert of the server (RFC 8446 §6), in OpenSSL's words, which name the version that it came with. */
static void describe_alert(int code, char *into)
{
	enum { LAST_OF_SSL3 = 47 };
	static const struct {
		int code;
		const char *text;
	} ALERTS[] = {
		{ 10, "unexpected message" }, { 20, "bad record mac" }, { 40, "handshake failure" }, { 42, "bad certificate" },
		{ 47, "illegal parameter" }, { 48, "unknown ca" }, { 49, "access denied" }, { 50, "decode error" },
		{ 51, "decrypt error" }, { 70, "protocol version" }, { 71, "insufficient security" }, { 80, "internal error" },
		{ 112, "unrecognized name" },
	};
	const char *text = "for another reason";
	for (size_t index = 0; index < sizeof(ALERTS) / sizeof(*ALERTS); index++)
		if (ALERTS[index].code == code)
			text = ALERTS[index].text;
	snprintf(into, TLS_PROBLEM_BYTES, "%s alert %s", code <= LAST_OF_SSL3 ? "sslv3" : "tlsv1", text);
}

/* @returns what mbedTLS has found wrong with the certificates; 0 before it has seen any */
static uint32_t certificate_flags(const TlsEngine *engine)
{
	return engine->verdict.hasBegun ? mbedtls_ssl_get_verify_result(&engine->ssl) : 0;
}

/* @returns NULL for what is left to mbedTLS to describe */
static const char *problem_text(const TlsEngine *engine, int error)
{
	if (error == MBEDTLS_ERR_SSL_BAD_PROTOCOL_VERSION)
		return "tlsv1 alert protocol version";		// the alert is ours if the server has chosen an older version
	if (error == MBEDTLS_ERR_SSL_INVALID_RECORD && engine->phase == TLS_HANDSHAKE)
		return "the server does not speak TLS";
	if (error == MBEDTLS_ERR_SSL_INVALID_MAC)
		return "decryption failed or bad record mac";
	uint32_t flags = certificate_flags(engine);
	return flags != 0 ? tls_verdict_text(&engine->verdict, flags) : NULL;
}

static void describe(const TlsEngine *engine, int error, char *into)
{
	const char *text = problem_text(engine, error);
	if (error == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE)
		describe_alert(engine->ssl.MBEDTLS_PRIVATE(in_msg)[1], into);
	else if (text)
		strncpy(into, text, TLS_PROBLEM_BYTES - 1);
	else
		mbedtls_strerror(error, into, TLS_PROBLEM_BYTES);
}

static void fail(TlsEngine *engine, int error)
{
	describe(engine, error, engine->problem);
	engine->phase = TLS_FAILED;
	byte_queue_clear(&engine->plaintext);
	byte_queue_clear(&engine->input);
}

static bool may_read_on(const TlsEngine *engine)
{
	return mbedtls_ssl_get_bytes_avail(&engine->ssl) == 0 && byte_queue_room(&engine->output) >= ROOM_TO_REPLY_BYTES;
}

/* One call of mbedTLS: the handshake, or what follows up to the next plaintext, of which nothing is read. */
static int step(TlsEngine *engine)
{
	unsigned char nothing;
	if (engine->phase == TLS_OPEN)
		return mbedtls_ssl_read(&engine->ssl, &nothing, 0);
	int result = mbedtls_ssl_handshake(&engine->ssl);
	if (result != 0)
		return result;
	if (!engine->verdict.hasBegun)
		return MBEDTLS_ERR_X509_CERT_VERIFY_FAILED;		// the library has not asked for our verdict
	engine->phase = TLS_OPEN;
	return 0;
}

/* Whether there was nothing for the caller in what was read. */
static bool is_for_library(int result)
{
	return result == 0 || result == MBEDTLS_ERR_SSL_WANT_READ || result == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET;
}

/*
 * Continues as far as the input goes: through the handshake, then up to the next plaintext. Records that are for mbedTLS
 * alone may end a call before the input is at its end.
 */
static void advance(TlsEngine *engine)
{
	int result = 0;
	bool goesOn = true;
	while (goesOn && may_read_on(engine)) {
		TlsPhase phase = engine->phase;
		size_t before = engine->input.length;
		result = step(engine);
		bool isProgress = engine->input.length < before || engine->phase != phase || result == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET;
		goesOn = is_for_library(result) && isProgress;
	}
	if (result == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) {
		engine->phase = TLS_ENDED;
		byte_queue_clear(&engine->input);
	}
	// A handshake whose output is full continues once that was taken.
	else if (!is_for_library(result) && !(result == MBEDTLS_ERR_SSL_WANT_WRITE && engine->phase == TLS_HANDSHAKE))
		fail(engine, result);
}

static bool begin(TlsEngine *engine, const char *serverName)
{
	const mbedtls_ssl_config *settings = common_settings();
	ServerName *server = &engine->verdict.server;
	if (!settings || !server_name_parse(server, serverName) || mbedtls_ssl_setup(&engine->ssl, settings))
		return false;
	if (mbedtls_ssl_set_hostname(&engine->ssl, server->addressLength > 0 ? NULL : server->host))
		return false;
	mbedtls_ssl_set_verify(&engine->ssl, tls_verdict_add, &engine->verdict);
	mbedtls_ssl_set_bio(&engine->ssl, engine, send_on, fetch, NULL);
	byte_queue_open(&engine->input, engine->inputBytes, TLS_INPUT_BYTES);
	byte_queue_open(&engine->output, engine->outputBytes, OUTPUT_QUEUE_BYTES);
	byte_queue_open(&engine->plaintext, engine->plaintextBytes, TLS_OUTPUT_BYTES);
	advance(engine);
	return true;
}

TlsEngine *tls_engine_new(const char *serverName)
{
	TlsEngine *engine = calloc(1, sizeof(TlsEngine));
	if (!engine)
		return NULL;
	mbedtls_ssl_init(&engine->ssl);
	if (begin(engine, serverName))
		return engine;
	tls_engine_delete(engine);
	return NULL;
}

void tls_engine_delete(TlsEngine *engine)
{
	if (!engine)
		return;
	mbedtls_ssl_free(&engine->ssl);
	free(engine);
}

TlsPhase tls_engine_phase(const TlsEngine *engine)
{
	return engine->phase;
}

const char *tls_engine_problem(const TlsEngine *engine)
{
	return engine->problem;
}

/* Bytes after the end have no receiver and are dropped. */
static bool is_over(const TlsEngine *engine)
{
	return engine->phase == TLS_ENDED || engine->phase == TLS_FAILED;
}

/* Whether we can still send: the peer's end of the connection is not ours. */
static bool is_up(const TlsEngine *engine)
{
	return engine->phase == TLS_OPEN || engine->phase == TLS_ENDED;
}

size_t tls_engine_receivable(const TlsEngine *engine)
{
	return byte_queue_room(&engine->input);
}

size_t tls_engine_readable(const TlsEngine *engine)
{
	return is_up(engine) ? mbedtls_ssl_get_bytes_avail(&engine->ssl) : 0;
}

size_t tls_engine_takeable(const TlsEngine *engine)
{
	return engine->output.length + engine->plaintext.length;
}

size_t tls_engine_writable(const TlsEngine *engine)
{
	return is_up(engine) && engine->sending == SENDING ? byte_queue_room(&engine->plaintext) : 0;
}

bool tls_engine_receive(TlsEngine *engine, const uint8_t *bytes, size_t length)
{
	if (length > tls_engine_receivable(engine))
		return false;
	if (length == 0 || is_over(engine))
		return true;
	byte_queue_append(&engine->input, bytes, length);
	advance(engine);
	return true;
}

bool tls_engine_read(TlsEngine *engine, uint8_t *into, size_t length)
{
	if (length > tls_engine_readable(engine))
		return false;
	if (length == 0)
		return true;
	bool isRead = mbedtls_ssl_read(&engine->ssl, into, length) == (int)length;		// within one record, so all of it
	if (!is_over(engine))
		advance(engine);
	return isRead;
}

bool tls_engine_write(TlsEngine *engine, const uint8_t *bytes, size_t length)
{
	if (length > tls_engine_writable(engine))
		return false;
	byte_queue_append(&engine->plaintext, bytes, length);
	return true;
}

/* Makes one record of the plaintext, or close_notify after the last of it, while there is no output. */
static void fill_output(TlsEngine *engine)
{
	if (!is_up(engine) || engine->output.length > 0)
		return;
	if (engine->plaintext.length > 0) {
		int count = mbedtls_ssl_write(&engine->ssl, byte_queue_head(&engine->plaintext), engine->plaintext.length);
		if (count > 0)
			byte_queue_drop(&engine->plaintext, (size_t)count);
		else
			fail(engine, count);
	}
	if (engine->sending == ENDING && engine->plaintext.length == 0) {
		engine->sending = SILENT;
		(void)mbedtls_ssl_close_notify(&engine->ssl);		// the peer's response is received if the caller continues to read
	}
}

size_t tls_engine_take(TlsEngine *engine, uint8_t *into, size_t length)
{
	ByteQueue *output = &engine->output;
	fill_output(engine);
	size_t count = least(length, output->length);
	if (count > 0)
		memcpy(into, byte_queue_head(output), count);
	byte_queue_drop(output, count);
	if (engine->sending == ENDING)
		fill_output(engine);
	if (!is_over(engine) && (engine->phase == TLS_HANDSHAKE || engine->input.length > 0))
		advance(engine);		// the full output may have stopped it
	return count;
}

void tls_engine_end(TlsEngine *engine)
{
	if (is_up(engine) && engine->sending == SENDING)
		engine->sending = ENDING;
	fill_output(engine);
}
