/* Stub, written for tests: ESP-IDF's version, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_IDF_VERSION_H
#define STUB_ESP_IDF_VERSION_H

#define ESP_IDF_VERSION_VAL(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
#define ESP_IDF_VERSION ESP_IDF_VERSION_VAL(6, 0, 0)

#endif
