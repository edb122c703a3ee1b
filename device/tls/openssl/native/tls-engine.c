/* TLS by OpenSSL (tls-engine.h). */
#include "tls-engine.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "byte-queue.h"
#include "server-name.h"
#include "tls-trust.h"

struct TlsEngine {
	SSL *ssl;
	BIO *input;			/* owned by ssl */
	BIO *output;		/* owned by ssl */
	TlsPhase phase;
	ByteQueue plaintext;		/* to be encrypted and sent */
	uint8_t plaintextBytes[TLS_OUTPUT_BYTES];
	char problem[TLS_PROBLEM_BYTES];		/* empty unless the connection failed */
};

static bool expect_server(SSL *ssl, const char *text)
{
	ServerName name;
	if (!server_name_parse(&name, text))
		return false;
	if (name.addressLength > 0)
		return X509_VERIFY_PARAM_set1_ip(SSL_get0_param(ssl), name.address, name.addressLength) == 1;
	return SSL_set1_host(ssl, name.host) == 1 && SSL_set_tlsext_host_name(ssl, name.host) == 1;
}

/* OpenSSL's description of an untrusted certificate, or of the first error. */
static const char *describe(const SSL *ssl, unsigned long error)
{
	int reason = ERR_GET_REASON(error);
	if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED)
		return X509_verify_cert_error_string(SSL_get_verify_result(ssl));
	if (reason == SSL_R_WRONG_VERSION_NUMBER)
		return "the server does not speak TLS";		// the cause of any byte that starts no record
	const char *text = ERR_reason_error_string(error);
	return text ? text : "OpenSSL does not say why";
}

static void fail(TlsEngine *engine)
{
	engine->phase = TLS_FAILED;
	strncpy(engine->problem, describe(engine->ssl, ERR_peek_error()), TLS_PROBLEM_BYTES - 1);
	byte_queue_clear(&engine->plaintext);
	ERR_clear_error();
}

/* Handles an unsuccessful result of OpenSSL. */
static void handle_failure(TlsEngine *engine, int result)
{
	int error = SSL_get_error(engine->ssl, result);
	if (error == SSL_ERROR_ZERO_RETURN)
		engine->phase = TLS_ENDED;
	else if (error != SSL_ERROR_WANT_READ)
		fail(engine);
}

static bool may_read_on(const TlsEngine *engine)
{
	return SSL_pending(engine->ssl) == 0 && BIO_ctrl_pending(engine->output) < TLS_OUTPUT_BYTES + TLS_REPLY_BYTES;
}

/*
 * Continues as far as the input goes: through the handshake, then up to the next plaintext, by peeking at its first
 * byte.
 */
static void advance(TlsEngine *engine)
{
	uint8_t first;
	int result = 1;
	ERR_clear_error();
	if (engine->phase == TLS_HANDSHAKE) {
		result = SSL_do_handshake(engine->ssl);
		if (result == 1)
			engine->phase = TLS_OPEN;
	}
	if (engine->phase == TLS_OPEN && may_read_on(engine))
		result = SSL_peek(engine->ssl, &first, 1);
	if (result != 1)
		handle_failure(engine, result);
}

static TlsEngine *begin(TlsEngine *engine, const char *serverName)
{
	engine->input = BIO_new(BIO_s_mem());
	engine->output = BIO_new(BIO_s_mem());
	if (!engine->input || !engine->output || !expect_server(engine->ssl, serverName)) {
		BIO_free(engine->input);
		BIO_free(engine->output);
		return NULL;
	}
	byte_queue_open(&engine->plaintext, engine->plaintextBytes, TLS_OUTPUT_BYTES);
	SSL_set_bio(engine->ssl, engine->input, engine->output);
	SSL_set_connect_state(engine->ssl);
	advance(engine);
	return engine;
}

TlsEngine *tls_engine_new(const char *serverName)
{
	SSL_CTX *context = tls_context();
	TlsEngine *engine = context ? calloc(1, sizeof(TlsEngine)) : NULL;
	if (!engine)
		return NULL;
	engine->ssl = SSL_new(context);
	if (engine->ssl && begin(engine, serverName))
		return engine;
	tls_engine_delete(engine);
	return NULL;
}

void tls_engine_delete(TlsEngine *engine)
{
	if (!engine)
		return;
	SSL_free(engine->ssl);
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
	return TLS_INPUT_BYTES - BIO_ctrl_pending(engine->input);
}

size_t tls_engine_readable(const TlsEngine *engine)
{
	return SSL_pending(engine->ssl);
}

size_t tls_engine_takeable(const TlsEngine *engine)
{
	return BIO_ctrl_pending(engine->output) + engine->plaintext.length;
}

size_t tls_engine_writable(const TlsEngine *engine)
{
	return is_up(engine) ? byte_queue_room(&engine->plaintext) : 0;
}

bool tls_engine_receive(TlsEngine *engine, const uint8_t *bytes, size_t length)
{
	if (length > tls_engine_receivable(engine))
		return false;
	if (length == 0 || is_over(engine))
		return true;
	if (BIO_write(engine->input, bytes, (int)length) != (int)length)
		fail(engine);
	else
		advance(engine);
	if (is_over(engine))
		(void)BIO_reset(engine->input);
	return true;
}

bool tls_engine_read(TlsEngine *engine, uint8_t *into, size_t length)
{
	if (length > tls_engine_readable(engine))
		return false;
	if (length == 0)
		return true;
	ERR_clear_error();
	int result = SSL_read(engine->ssl, into, (int)length);
	if (result <= 0)
		handle_failure(engine, result);
	else if (!is_over(engine))
		advance(engine);
	return result == (int)length;
}

bool tls_engine_write(TlsEngine *engine, const uint8_t *bytes, size_t length)
{
	if (length > tls_engine_writable(engine))
		return false;
	byte_queue_append(&engine->plaintext, bytes, length);
	return true;
}

/* Makes one record of all plaintext to be sent. The output is unlimited, so SSL_write succeeds or fails at once. */
static void encrypt(TlsEngine *engine)
{
	if (engine->plaintext.length == 0)
		return;
	ERR_clear_error();
	if (SSL_write(engine->ssl, byte_queue_head(&engine->plaintext), (int)engine->plaintext.length) <= 0)
		fail(engine);
	byte_queue_clear(&engine->plaintext);
}

size_t tls_engine_take(TlsEngine *engine, uint8_t *into, size_t length)
{
	if (BIO_ctrl_pending(engine->output) == 0)
		encrypt(engine);
	int taken = length > 0 ? BIO_read(engine->output, into, length > INT_MAX ? INT_MAX : (int)length) : 0;
	if (BIO_ctrl_pending(engine->input) > 0 && !is_over(engine))
		advance(engine);		// the full output may have stopped it
	return taken > 0 ? (size_t)taken : 0;
}

void tls_engine_end(TlsEngine *engine)
{
	if (!is_up(engine))
		return;
	encrypt(engine);
	ERR_clear_error();
	(void)SSL_shutdown(engine->ssl);		// the peer's response is received if the caller continues to read
	ERR_clear_error();
}
