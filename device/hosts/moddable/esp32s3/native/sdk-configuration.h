/*
 * What the Moddable SDK does not tell the compiler about parts of ESP-IDF: their own CMake files do, for whoever builds with
 * ESP-IDF. The manifest has it included before every file.
 */
#ifndef SVC_SDK_CONFIGURATION_H
#define SVC_SDK_CONFIGURATION_H

#include "wasm3-configuration.h"

/* Without these two mbedTLS's structures are smaller or larger here than in the library that is linked. */
#define MBEDTLS_CONFIG_FILE "mbedtls/esp_config.h"
#define TF_PSA_CRYPTO_USER_CONFIG_FILE "mbedtls/esp_config.h"

#define CFG_TUSB_MCU OPT_MCU_ESP32S3

#endif
