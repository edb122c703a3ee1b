/*
 * Trust (tls-trust.h, hub-trust.h): the system's certificates, from Debian's file or the one that SSL_CERT_FILE names,
 * or those of one file. Each certificate of a file is trusted by itself, be it a root, an intermediate or the server's:
 * naming one is enough.
 */
#include "tls-trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hub-trust.h"
#include "tls-crypto.h"

static mbedtls_x509_crt trusted;		/* all zero: none, which mbedtls_x509_crt_init makes of it, too */
static bool isNamed;

/* @returns the text of a file, to be freed; NULL if it cannot be read */
static unsigned char *read_text(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	unsigned char *text = NULL;
	if (!file)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0) {
		long size = ftell(file);
		rewind(file);
		text = size >= 0 ? calloc(1, (size_t)size + 1) : NULL;
		*length = text ? fread(text, 1, (size_t)size, file) : 0;
	}
	fclose(file);
	return text;
}

const char *hub_trust_read(const char *path)
{
	size_t length;
	unsigned char *text = read_text(path, &length);
	if (!text)
		return "console: \"%s\" cannot be read\n";
	mbedtls_x509_crt found;
	mbedtls_x509_crt_init(&found);
	bool hasAny = strstr((char *)text, "-----BEGIN CERTIFICATE-----") != NULL;
	bool isSound = hasAny && tls_crypto_begin() && mbedtls_x509_crt_parse(&found, text, length + 1) == 0;
	free(text);
	if (isSound) {
		mbedtls_x509_crt_free(&trusted);
		trusted = found;
		isNamed = true;
		return NULL;
	}
	mbedtls_x509_crt_free(&found);
	return hasAny ? "console: \"%s\" holds a certificate that cannot be read\n"
		: "console: \"%s\" holds no certificate in PEM\n";
}

/* Certificates that mbedTLS does not understand are left out. */
static void read_systems(void)
{
	const char *named = getenv("SSL_CERT_FILE");
	size_t length;
	unsigned char *text = read_text(named ? named : "/etc/ssl/certs/ca-certificates.crt", &length);
	if (text)
		(void)mbedtls_x509_crt_parse(&trusted, text, length + 1);
	free(text);
}

bool tls_trust_set(mbedtls_ssl_config *settings)
{
	if (!isNamed)
		read_systems();
	mbedtls_ssl_conf_ca_chain(settings, &trusted, NULL);
	return true;
}

bool tls_trust_includes(mbedtls_x509_crt *certificate)
{
	for (const mbedtls_x509_crt *at = &trusted; isNamed && at; at = at->next)
		if (at->raw.len == certificate->raw.len && memcmp(at->raw.p, certificate->raw.p, at->raw.len) == 0)
			return true;
	return false;
}
