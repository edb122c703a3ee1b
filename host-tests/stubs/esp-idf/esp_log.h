/* Stub, written for tests: what device/hosts/esp32 uses of esp_log, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_LOG_H
#define STUB_ESP_LOG_H

#include <stdarg.h>

typedef int (*vprintf_like_t)(const char *format, va_list arguments);
vprintf_like_t esp_log_set_vprintf(vprintf_like_t print);

void stub_log(const char *tag, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ESP_LOGE(tag, ...) stub_log(tag, __VA_ARGS__)
#define ESP_LOGW(tag, ...) stub_log(tag, __VA_ARGS__)

#endif
