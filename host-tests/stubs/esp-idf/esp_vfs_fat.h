/* Stub, written for tests: what device/hosts/esp32 uses of fatfs, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_VFS_FAT_H
#define STUB_ESP_VFS_FAT_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/sdspi_host.h"
#include "esp_err.h"
#include "sdmmc_cmd.h"

typedef struct { bool format_if_mount_failed; int max_files; size_t allocation_unit_size; } esp_vfs_fat_mount_config_t;

esp_err_t esp_vfs_fat_sdspi_mount(const char *path, const sdmmc_host_t *host, const sdspi_device_config_t *slot,
	const esp_vfs_fat_mount_config_t *config, sdmmc_card_t **card);
esp_err_t esp_vfs_fat_sdcard_unmount(const char *path, sdmmc_card_t *card);

#endif
