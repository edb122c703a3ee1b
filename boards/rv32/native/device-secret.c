/*
 * The secret of this console (device-secret.h). A board has it in its eFuses; this one is fixed, so that each run
 * counts the same instructions. There is no other firmware here that it would exclude.
 */
#include "device-secret.h"

#include "hmac.h"

static const uint8_t secret[HMAC_KEY_BYTES] = { 0x52, 0x56, 0x33, 0x32 };

void device_secret_authenticate(const char *purpose, const void *bytes, size_t length, uint8_t mac[DEVICE_MAC_BYTES])
{
	hmac_sha256(secret, purpose, bytes, length, mac);
}

bool device_secret_holds(const char *purpose, const void *bytes, size_t length, const uint8_t mac[DEVICE_MAC_BYTES])
{
	uint8_t expected[DEVICE_MAC_BYTES];
	device_secret_authenticate(purpose, bytes, length, expected);
	return hmac_is_same(expected, mac);
}
