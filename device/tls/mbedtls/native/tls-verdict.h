/*
 * What is wrong with the certificates of a server, in the words of OpenSSL, whichever library looks at them.
 *
 * mbedTLS checks chains and signatures, and calls tls_verdict_add for each certificate, the server's own last. Names and
 * dates are checked here: mbedTLS accepts a name in the subject (RFC 9525 §6.3 does not), knows no addresses before
 * version 3.5, and on a board no dates.
 */
#ifndef SVC_TLS_VERDICT_H
#define SVC_TLS_VERDICT_H

#include <mbedtls/x509_crt.h>
#include <stdbool.h>
#include <stdint.h>

#include "server-name.h"

typedef enum {
	TLS_TRUSTED, TLS_NO_ISSUER, TLS_SELF_SIGNED, TLS_SELF_SIGNED_ISSUER, TLS_BAD_SIGNATURE,
} TlsTrust;

typedef struct {
	ServerName server;
	bool hasBegun;
	TlsTrust trust;
	uint32_t flags;		/* MBEDTLS_X509_BADCERT_… of the certificates so far */
} TlsVerdict;

/*
 * A callback of mbedTLS (mbedtls_ssl_set_verify).
 * @param context the TlsVerdict
 * @param flags from mbedTLS; those of the whole chain at the server's certificate, 0 before
 * @returns 0
 */
int tls_verdict_add(void *context, mbedtls_x509_crt *certificate, int depth, uint32_t *flags);

/* @param flags what mbedTLS has found in the end @returns what is wrong, as OpenSSL says it */
const char *tls_verdict_text(const TlsVerdict *verdict, uint32_t flags);

#endif
