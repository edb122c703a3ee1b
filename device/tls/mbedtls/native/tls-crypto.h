/* The differences between the versions of mbedTLS: 2.28 and 3 on a desktop, 4 in ESP-IDF 6. */
#ifndef SVC_TLS_CRYPTO_H
#define SVC_TLS_CRYPTO_H

#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <stdbool.h>

#if MBEDTLS_VERSION_NUMBER < 0x03000000
#define MBEDTLS_PRIVATE(member) member
#define MBEDTLS_ERR_SSL_BAD_PROTOCOL_VERSION MBEDTLS_ERR_SSL_BAD_HS_PROTOCOL_VERSION
#endif
#ifndef MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET
#define MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET 1		/* never: TLS 1.2 has none after the handshake */
#endif

/* Call it before anything else of mbedTLS, which needs it to read certificates. @returns false if it fails */
bool tls_crypto_begin(void);

/* TLS 1.2 and newer, with random bytes. */
void tls_crypto_set(mbedtls_ssl_config *settings);

#endif
