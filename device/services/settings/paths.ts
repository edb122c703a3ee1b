/** Paths of the console's settings. A domain and a key have at most 15 characters each (NVS). */
export const TOKEN_SETTING = "svc/http/token";
export const LOG_LEVEL_SETTING = "svc/log/level";
/** Written by `services/firmware/security-floor.ts` alone. */
export const SECURITY_FLOOR_SETTING = "svc/ota/security";
export const STAGED_SECURITY_SETTING = "svc/ota/staged";
/** Written by `services/firmware/staged-signer.ts` alone. */
export const STAGED_SIGNER_SETTING = "svc/ota/signer";
/** Written by `services/trust/revocations.ts` alone. */
export const REVOCATIONS_SETTING = "svc/keys/revoked";
/** Holds a password. Read and written by `services/wifi/credentials.ts` alone. */
export const WIFI_NETWORK_SETTING = "svc/wifi/network";
/** Written by `services/firmware/last-result.ts` alone. */
export const LAST_UPDATE_SETTING = "svc/ota/last";
/** Written by `services/hub/hub-tokens.ts` alone; each token is a secret between console and hub. */
export const HUB_TOKEN_SETTING = "svc/hub/device_token";
export const HUB_TOKENS_SETTING = "svc/hub/tokens";
/** Written by `services/hub/hub-settings.ts` alone. */
export const HUB_URL_SETTING = "svc/hub/url";
export const HUB_DEVICE_ID_SETTING = "svc/hub/device_id";
export const HUB_CLAIM_CODE_SETTING = "svc/hub/claim_code";
/** Written by `services/hub/result-store.ts` alone. */
export const HUB_RESULTS_SETTING = "svc/hub/results";
/** Written by `services/hub/firmware-note.ts` alone. */
export const HUB_FIRMWARE_SETTING = "svc/hub/firmware";
