/* Stub, written for tests: what device/hosts/esp32 uses of vfs, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_VFS_EVENTFD_H
#define STUB_ESP_VFS_EVENTFD_H

#include <stddef.h>

#include "esp_err.h"

typedef struct {
	size_t max_fds;
} esp_vfs_eventfd_config_t;
#define ESP_VFS_EVENTD_CONFIG_DEFAULT() { .max_fds = 5 }

esp_err_t esp_vfs_eventfd_register(const esp_vfs_eventfd_config_t *config);
int eventfd(unsigned int value, int flags);

#endif
