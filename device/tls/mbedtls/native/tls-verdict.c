/* What is wrong with the certificates of a server (tls-verdict.h). */
#include "tls-verdict.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "tls-trust.h"

enum { DNS_NAME = MBEDTLS_ASN1_CONTEXT_SPECIFIC | 2, IP_ADDRESS = MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7 };		/* RFC 5280 §4.2.1.6 */

/* 1 January 2025: no console is older, so an earlier time is that of a clock that was never set. */
static const time_t EARLIEST_TIME = 1735689600;

static bool is_same_text(const uint8_t *one, const char *other, size_t length)
{
	return strlen(other) == length && strncasecmp((const char *)one, other, length) == 0;
}

/* A wildcard is the whole first label, and stands for one label (RFC 9525 §6.3), not below a top-level domain. */
static bool is_wildcard_for(const uint8_t *pattern, size_t length, const char *host)
{
	const char *rest = strchr(host, '.');
	return length > 2 && pattern[0] == '*' && pattern[1] == '.' && memchr(pattern + 2, '.', length - 2)
		&& rest && rest != host && is_same_text(pattern + 1, rest, length - 1);
}

static bool is_name_for(const mbedtls_asn1_buf *name, const ServerName *server)
{
	if (server->addressLength > 0)
		return name->tag == IP_ADDRESS && name->len == server->addressLength
			&& memcmp(name->p, server->address, name->len) == 0;
	return name->tag == DNS_NAME
		&& (is_same_text(name->p, server->host, name->len) || is_wildcard_for(name->p, name->len, server->host));
}

static bool is_for(const mbedtls_x509_crt *certificate, const ServerName *server)
{
	for (const mbedtls_x509_sequence *at = &certificate->subject_alt_names; at; at = at->next)
		if (at->buf.p && is_name_for(&at->buf, server))
			return true;
	return false;
}

/* A time as a number that reads like it: 20250101000000. */
static int64_t number_of(int year, int month, int day, int hour, int minute, int second)
{
	return ((((year * 100LL + month) * 100 + day) * 100 + hour) * 100 + minute) * 100 + second;
}

static int64_t number_of_time(const mbedtls_x509_time *time)
{
	return number_of(time->year, time->mon, time->day, time->hour, time->min, time->sec);
}

/* Dates count only while the clock is set, as for the keys of publishers. */
static uint32_t check_dates(const mbedtls_x509_crt *certificate)
{
	time_t seconds = time(NULL);
	struct tm utc;
	if (seconds < EARLIEST_TIME || !gmtime_r(&seconds, &utc))
		return 0;
	int64_t now = number_of(utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
	if (now < number_of_time(&certificate->valid_from))
		return MBEDTLS_X509_BADCERT_FUTURE;
	return now > number_of_time(&certificate->valid_to) ? MBEDTLS_X509_BADCERT_EXPIRED : 0;
}

static bool is_self_issued(const mbedtls_x509_crt *certificate)
{
	const mbedtls_x509_buf *subject = &certificate->subject_raw, *issuer = &certificate->issuer_raw;
	return subject->len == issuer->len && memcmp(subject->p, issuer->p, subject->len) == 0;
}

/* @param isLast whether the chain of certificates ends here */
static TlsTrust distrust(const mbedtls_x509_crt *certificate, int depth, bool isLast)
{
	if (!isLast)
		return TLS_BAD_SIGNATURE;
	if (!is_self_issued(certificate))
		return TLS_NO_ISSUER;
	return depth == 0 ? TLS_SELF_SIGNED : TLS_SELF_SIGNED_ISSUER;
}

int tls_verdict_add(void *context, mbedtls_x509_crt *certificate, int depth, uint32_t *flags)
{
	static const uint32_t OURS = MBEDTLS_X509_BADCERT_CN_MISMATCH | MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE;
	TlsVerdict *verdict = context;
	uint32_t found = (*flags & ~OURS) | check_dates(certificate);
	if ((found & MBEDTLS_X509_BADCERT_NOT_TRUSTED) && tls_trust_includes(certificate)) {
		// The chain ends here: what is wrong further up is of no meaning.
		verdict->trust = TLS_TRUSTED;
		verdict->flags = 0;
		found &= ~MBEDTLS_X509_BADCERT_NOT_TRUSTED;
	}
	else if (found & MBEDTLS_X509_BADCERT_NOT_TRUSTED)
		verdict->trust = distrust(certificate, depth, !verdict->hasBegun);
	if (depth == 0 && !is_for(certificate, &verdict->server))
		found |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
	verdict->hasBegun = true;
	verdict->flags |= found;
	*flags = depth == 0 ? verdict->flags : 0;
	return 0;
}

static const char *distrust_text(TlsTrust trust)
{
	static const char *const TEXTS[] = {
		[TLS_TRUSTED] = "certificate verify failed",
		[TLS_NO_ISSUER] = "unable to get local issuer certificate",
		[TLS_SELF_SIGNED] = "self-signed certificate",
		[TLS_SELF_SIGNED_ISSUER] = "self-signed certificate in certificate chain",
		[TLS_BAD_SIGNATURE] = "certificate signature failure",
	};
	return TEXTS[trust];
}

/* In the order in which OpenSSL looks. */
const char *tls_verdict_text(const TlsVerdict *verdict, uint32_t flags)
{
	if (flags & MBEDTLS_X509_BADCERT_NOT_TRUSTED)
		return distrust_text(verdict->trust);
	if (flags & (MBEDTLS_X509_BADCERT_KEY_USAGE | MBEDTLS_X509_BADCERT_EXT_KEY_USAGE | MBEDTLS_X509_BADCERT_NS_CERT_TYPE))
		return "unsuitable certificate purpose";
	if (flags & MBEDTLS_X509_BADCERT_BAD_MD)
		return "CA signature digest algorithm too weak";
	if (flags & (MBEDTLS_X509_BADCERT_BAD_PK | MBEDTLS_X509_BADCERT_BAD_KEY))
		return "EE certificate key too weak";
	if (flags & MBEDTLS_X509_BADCERT_CN_MISMATCH)
		return verdict->server.addressLength > 0 ? "IP address mismatch" : "hostname mismatch";
	if (flags & MBEDTLS_X509_BADCERT_FUTURE)
		return "certificate is not yet valid";
	if (flags & MBEDTLS_X509_BADCERT_EXPIRED)
		return "certificate has expired";
	return distrust_text(TLS_TRUSTED);
}
