/* Which certificates are trusted: each host has its own. */
#ifndef SVC_TLS_TRUST_H
#define SVC_TLS_TRUST_H

#include <mbedtls/ssl.h>
#include <stdbool.h>

/* Gives the trusted certificates to all connections. Called once. @returns false if there is no memory */
bool tls_trust_set(mbedtls_ssl_config *settings);

/*
 * @param certificate one that mbedTLS finds no trusted issuer for
 * @returns whether it is trusted nevertheless: by itself, whoever has signed it, or by its issuer
 */
bool tls_trust_includes(mbedtls_x509_crt *certificate);

#endif
