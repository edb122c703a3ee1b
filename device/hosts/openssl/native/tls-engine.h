/*
 * A client's end of a TLS connection between two buffers (device/ports/tls.ts): OpenSSL reads ciphertext from one and
 * writes it to the other, and neither grows beyond what is said here. Beyond them OpenSSL has a record each way.
 *
 * Writing is all or nothing, so that an output buffer that is full must not be in OpenSSL's way. It has room of its own
 * for what OpenSSL says by itself, updates of keys and alerts: nothing is read on while half of that is used.
 */
#ifndef SVC_TLS_ENGINE_H
#define SVC_TLS_ENGINE_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TLS_INPUT_BYTES = 4096, TLS_OUTPUT_BYTES = 4096, TLS_REPLY_BYTES = 2048, TLS_PROBLEM_BYTES = 128 };

typedef enum { TLS_HANDSHAKE, TLS_OPEN, TLS_ENDED, TLS_FAILED } TlsPhase;

typedef struct {
	SSL *ssl;
	BIO *input;			/* ssl's */
	BIO *output;		/* ssl's */
	TlsPhase phase;
	char problem[TLS_PROBLEM_BYTES];		/* empty unless it has failed */
} TlsEngine;

/* Whether it is the name of a host, or an address. */
bool tls_is_server_name(const char *name);

/* The handshake has begun: there is something to take. @returns NULL where there is no memory for it */
TlsEngine *tls_engine_new(const char *serverName);
/* NULL is fine. */
void tls_engine_delete(TlsEngine *engine);

size_t tls_engine_receivable(const TlsEngine *engine);
size_t tls_engine_readable(const TlsEngine *engine);
size_t tls_engine_writable(const TlsEngine *engine);
size_t tls_engine_takeable(const TlsEngine *engine);

/* All or nothing: false beyond receivable, or readable. */
bool tls_engine_receive(TlsEngine *engine, const uint8_t *bytes, size_t length);
bool tls_engine_read(TlsEngine *engine, uint8_t *into, size_t length);
/* All or nothing. Takes what was writable once, whatever OpenSSL has said by itself since. */
bool tls_engine_write(TlsEngine *engine, const uint8_t *bytes, size_t length);
/* @returns how many bytes were taken */
size_t tls_engine_take(TlsEngine *engine, uint8_t *into, size_t length);
void tls_engine_end(TlsEngine *engine);

#endif
