/*
 * Trust (tls-trust.h, hub-trust.h): the system's certificates, from OpenSSL's default paths, or those of one file.
 * Each certificate of the file is trusted by itself, be it a root, an intermediate or the server's: naming one is
 * enough.
 */
#include "tls-trust.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>

#include "hub-trust.h"

static X509_STORE *named;		/* NULL: the system's certificates */

/*
 * Skips other content of PEM files.
 * @returns the number of certificates; -1 if the file is damaged
 */
static int read_certificates(BIO *file, X509_STORE *store)
{
	int count = 0;
	X509 *certificate;
	ERR_clear_error();
	while ((certificate = PEM_read_bio_X509(file, NULL, NULL, NULL))) {
		count += X509_STORE_add_cert(store, certificate);
		X509_free(certificate);
	}
	bool isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
	ERR_clear_error();
	return isAtEnd ? count : -1;
}

const char *hub_trust_read(const char *path)
{
	BIO *file = BIO_new_file(path, "r");
	if (!file) {
		ERR_clear_error();
		return "console: \"%s\" cannot be read\n";
	}
	X509_STORE *store = X509_STORE_new();
	int count = store ? read_certificates(file, store) : -1;
	BIO_free(file);
	if (count > 0) {
		X509_STORE_free(named);
		named = store;
		return NULL;
	}
	X509_STORE_free(store);
	return count == 0 ? "console: \"%s\" holds no certificate in PEM\n"
		: "console: \"%s\" holds a certificate that cannot be read\n";
}

static void trust(SSL_CTX *context)
{
	if (named)
		SSL_CTX_set1_cert_store(context, named);
	else
		SSL_CTX_set_default_verify_paths(context);
	X509_VERIFY_PARAM *rules = SSL_CTX_get0_param(context);
	if (named)
		X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
	// Only subject alternative names count, and a wildcard is a whole label (RFC 9525 §6.3).
	X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
}

static SSL_CTX *make_context(void)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	if (!context)
		return NULL;
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);		// saves 33 KiB while the connection is idle
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	trust(context);
	return context;
}

SSL_CTX *tls_context(void)
{
	static SSL_CTX *context;
	if (!context)
		context = make_context();
	return context;
}
