/** All facts, by header (fact.ts). */
import { C_LIBRARY } from "./c-library.js";
import { ESP_IDF } from "./esp-idf.js";
import type { Header } from "./fact.js";
import { FREERTOS } from "./freertos.js";
import { LWIP } from "./lwip.js";
import { MBEDTLS } from "./mbedtls.js";
import { REGISTRY } from "./registry.js";

/** Without what a desktop's C library has itself. */
export const HEADERS_BESIDE_POSIX: readonly Header[] = [
  ...ESP_IDF,
  ...FREERTOS,
  ...MBEDTLS,
  ...REGISTRY,
  ...LWIP.filter(({ name }) => /^lwip\/(arch|dns|err|ip4?_addr|tcpip)\.h$/.test(name)),
];

export const HEADERS: readonly Header[] = [
  ...ESP_IDF,
  ...FREERTOS,
  ...LWIP,
  ...MBEDTLS,
  ...REGISTRY,
  ...C_LIBRARY,
];
