/*
 * The client side of a TLS connection between buffers (protocol/ports/network.ts): OpenSSL reads ciphertext from one
 * and writes it to another, both within the limits below. In addition, OpenSSL buffers one incoming record.
 *
 * Plaintext waits unencrypted and becomes one record once all earlier ciphertext was taken, so the room does not
 * depend on how small the program's writes are. OpenSSL's own messages, key updates and alerts, have separate room:
 * reading pauses while it is in use.
 */
#ifndef SVC_TLS_ENGINE_H
#define SVC_TLS_ENGINE_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "byte-queue.h"

enum { TLS_INPUT_BYTES = 4096, TLS_OUTPUT_BYTES = 4096, TLS_REPLY_BYTES = 1024, TLS_PROBLEM_BYTES = 128 };

typedef enum { TLS_HANDSHAKE, TLS_OPEN, TLS_ENDED, TLS_FAILED } TlsPhase;

typedef struct {
	SSL *ssl;
	BIO *input;			/* owned by ssl */
	BIO *output;		/* owned by ssl */
	TlsPhase phase;
	ByteQueue plaintext;		/* to be encrypted and sent */
	uint8_t plaintextBytes[TLS_OUTPUT_BYTES];
	char problem[TLS_PROBLEM_BYTES];		/* empty unless the connection failed */
} TlsEngine;

/* Whether it is a host name or an address. */
bool tls_is_server_name(const char *name);

/*
 * Starts the handshake, so there is output to take.
 * @returns NULL if there is no memory
 */
TlsEngine *tls_engine_new(const char *serverName);
/* No-op for NULL. */
void tls_engine_delete(TlsEngine *engine);

size_t tls_engine_receivable(const TlsEngine *engine);
size_t tls_engine_readable(const TlsEngine *engine);
size_t tls_engine_writable(const TlsEngine *engine);
/* Plaintext counts with its unencrypted length. */
size_t tls_engine_takeable(const TlsEngine *engine);

/* All or nothing: false if there are more bytes than receivable, readable or writable. */
bool tls_engine_receive(TlsEngine *engine, const uint8_t *bytes, size_t length);
bool tls_engine_read(TlsEngine *engine, uint8_t *into, size_t length);
bool tls_engine_write(TlsEngine *engine, const uint8_t *bytes, size_t length);
/* @returns the number of bytes taken */
size_t tls_engine_take(TlsEngine *engine, uint8_t *into, size_t length);
void tls_engine_end(TlsEngine *engine);

#endif
