/* What all TLS connections of the process have in common: whom they trust, and what they put up with. */
#ifndef SVC_TLS_TRUST_H
#define SVC_TLS_TRUST_H

#include <openssl/ssl.h>

/* Made when it is asked for first, and kept. @returns NULL where there is no memory for it */
SSL_CTX *tls_context(void);

#endif
