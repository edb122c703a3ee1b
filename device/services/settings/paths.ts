/** Paths of what the console remembers. A domain and a key have at most 15 characters each (NVS). */
export const TOKEN_SETTING = "svc/http/token";
export const LOG_LEVEL_SETTING = "svc/log/level";
/** Holds a password. Read and written by `services/wifi/credentials.ts` alone. */
export const WIFI_NETWORK_SETTING = "svc/wifi/network";
/** Written by `services/firmware/last-result.ts` alone. */
export const LAST_UPDATE_SETTING = "svc/ota/last";
