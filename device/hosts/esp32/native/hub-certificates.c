/*
 * Trust in hubs (tls-trust.h): the certificate authorities of ESP-IDF's bundle, which is part of the firmware. It is
 * Mozilla's list, or the file that a build names with `--hub-ca` in its place.
 *
 * The bundle is a callback of mbedTLS, which takes a certificate whose issuer it knows for trusted.
 */
#include <stdbool.h>

#include "esp_crt_bundle.h"
#include "tls-crypto.h"
#include "tls-trust.h"

static int (*bundle)(void *context, mbedtls_x509_crt *certificate, int depth, uint32_t *flags);

bool tls_trust_set(mbedtls_ssl_config *settings)
{
	if (esp_crt_bundle_attach(settings) != ESP_OK)
		return false;
	bundle = settings->MBEDTLS_PRIVATE(f_vrfy);
	return true;
}

bool tls_trust_includes(mbedtls_x509_crt *certificate)
{
	uint32_t flags = MBEDTLS_X509_BADCERT_NOT_TRUSTED;
	return bundle && bundle(NULL, certificate, 0, &flags) == 0 && flags == 0;
}
