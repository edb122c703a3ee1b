/*
 * mbedTLS whose handshake ends at once, without a question to the connection's callback (tls-verdict.h): linked with
 * --wrap=mbedtls_ssl_handshake. Prints the problem of the connection that this makes. Exit status 1: it is not refused.
 */
#include <stdio.h>

#include "tls-crypto.h"
#include "tls-engine.h"

int __wrap_mbedtls_ssl_handshake(mbedtls_ssl_context *ssl);

int __wrap_mbedtls_ssl_handshake(mbedtls_ssl_context *ssl)
{
	(void)ssl;
	return 0;
}

int main(void)
{
	TlsEngine *engine = tls_engine_new("hub.example");
	if (!engine || tls_engine_phase(engine) != TLS_FAILED)
		return 1;
	puts(tls_engine_problem(engine));
	tls_engine_delete(engine);
	return 0;
}
