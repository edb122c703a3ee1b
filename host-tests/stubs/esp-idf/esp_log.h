/* Stub, written for tests: what device/hosts/esp32 uses of esp_log, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_LOG_H
#define STUB_ESP_LOG_H

void stub_log(const char *tag, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ESP_LOGE(tag, ...) stub_log(tag, __VA_ARGS__)
#define ESP_LOGW(tag, ...) stub_log(tag, __VA_ARGS__)

#endif
