/*
 * The client side of a TLS connection between buffers (protocol/ports/network.ts): the library reads ciphertext from
 * one and writes it to another, both within the limits below. In addition, the library buffers one incoming record.
 *
 * Plaintext waits unencrypted and becomes one record once all earlier ciphertext was taken, so the room does not
 * depend on how small the program's writes are. The library's own messages, key updates and alerts, have separate room:
 * reading pauses while it is in use.
 */
#ifndef SVC_TLS_ENGINE_H
#define SVC_TLS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TLS_INPUT_BYTES = 4096, TLS_OUTPUT_BYTES = 4096, TLS_REPLY_BYTES = 1024, TLS_PROBLEM_BYTES = 128 };

typedef enum { TLS_HANDSHAKE, TLS_OPEN, TLS_ENDED, TLS_FAILED } TlsPhase;

/* Each library has its own (device/tls/openssl, device/tls/mbedtls). */
typedef struct TlsEngine TlsEngine;

/*
 * Starts the handshake, so there is output to take.
 * @param serverName one that server_name_parse accepts
 * @returns NULL if there is no memory
 */
TlsEngine *tls_engine_new(const char *serverName);
/* No-op for NULL. */
void tls_engine_delete(TlsEngine *engine);

TlsPhase tls_engine_phase(const TlsEngine *engine);
/* @returns why the connection failed; empty unless it did */
const char *tls_engine_problem(const TlsEngine *engine);

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
