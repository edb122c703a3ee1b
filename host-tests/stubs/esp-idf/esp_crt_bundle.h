/* Stub: declarations that the board's C needs (ESP-IDF's component mbedtls). */
#pragma once

#include "esp_err.h"
#include "mbedtls/ssl.h"

esp_err_t esp_crt_bundle_attach(void *conf);
