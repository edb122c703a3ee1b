/* Settings of all TLS connections of the process: trust and limits. */
#ifndef SVC_TLS_TRUST_H
#define SVC_TLS_TRUST_H

#include <openssl/ssl.h>

/*
 * Created at the first call, and kept.
 * @returns NULL if there is no memory
 */
SSL_CTX *tls_context(void);

#endif
