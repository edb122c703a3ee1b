/* The differences between the versions of mbedTLS (tls-crypto.h). */
#include "tls-crypto.h"

#if MBEDTLS_VERSION_NUMBER < 0x03000000

bool tls_crypto_begin(void)
{
	return true;
}

#else
#include <psa/crypto.h>

bool tls_crypto_begin(void)
{
	return psa_crypto_init() == PSA_SUCCESS;		// may be called again
}

#endif
#if MBEDTLS_VERSION_NUMBER < 0x04000000
#include <sys/random.h>

static int random_bytes(void *context, unsigned char *into, size_t length)
{
	(void)context;
	while (length > 0) {
		size_t wanted = length < 256 ? length : 256;		// never interrupted up to that
		if (getrandom(into, wanted, 0) != (ssize_t)wanted)
			return MBEDTLS_ERR_SSL_INTERNAL_ERROR;
		into += wanted;
		length -= wanted;
	}
	return 0;
}

void tls_crypto_set(mbedtls_ssl_config *settings)
{
	mbedtls_ssl_conf_rng(settings, random_bytes, NULL);
#if MBEDTLS_VERSION_NUMBER < 0x03020000
	mbedtls_ssl_conf_min_version(settings, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
	mbedtls_ssl_conf_max_version(settings, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
#else
	mbedtls_ssl_conf_min_tls_version(settings, MBEDTLS_SSL_VERSION_TLS1_2);
#if MBEDTLS_VERSION_NUMBER < 0x03060100
	// With TLS 1.3 these versions leave out the connection's own callback, which is our verdict (tls-verdict.h).
	mbedtls_ssl_conf_max_tls_version(settings, MBEDTLS_SSL_VERSION_TLS1_2);
#endif
#endif
}

#else

/* Random bytes are PSA's, and there is no older TLS. */
void tls_crypto_set(mbedtls_ssl_config *settings)
{
	(void)settings;
}

#endif
