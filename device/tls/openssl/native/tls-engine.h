/*
 * A client's end of a TLS connection between buffers (protocol/ports/network.ts): OpenSSL reads ciphertext from one and writes
 * it to another, and none grows beyond what is said here. Beyond them OpenSSL has a record that comes in.
 *
 * Plaintext waits as such, and is made a record of when all ciphertext before it was taken: how much there is room for
 * does not depend on how small the pieces are that a program writes. What OpenSSL says by itself, updates of keys and
 * alerts, has room of its own: nothing is read on while that is used.
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
	BIO *input;			/* ssl's */
	BIO *output;		/* ssl's */
	TlsPhase phase;
	ByteQueue plaintext;		/* to be sent */
	uint8_t plaintextBytes[TLS_OUTPUT_BYTES];
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
/* What is still plaintext counts as that. */
size_t tls_engine_takeable(const TlsEngine *engine);

/* All or nothing: false beyond receivable, readable, writable. */
bool tls_engine_receive(TlsEngine *engine, const uint8_t *bytes, size_t length);
bool tls_engine_read(TlsEngine *engine, uint8_t *into, size_t length);
bool tls_engine_write(TlsEngine *engine, const uint8_t *bytes, size_t length);
/* @returns how many bytes were taken */
size_t tls_engine_take(TlsEngine *engine, uint8_t *into, size_t length);
void tls_engine_end(TlsEngine *engine);

#endif
