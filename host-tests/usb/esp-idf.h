/*
 * What esp_tinyusb takes from ESP-IDF 5.3 and newer, for a program of one thread: every header of ESP-IDF that it names is
 * this one (run.ts). Its logs are not written.
 */
#ifndef SVC_TEST_ESP_IDF_H
#define SVC_TEST_ESP_IDF_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int esp_err_t;
#define ESP_OK 0
#define ESP_FAIL -1
#define ESP_ERR_NO_MEM 0x101
#define ESP_ERR_INVALID_ARG 0x102
#define ESP_ERR_INVALID_STATE 0x103
#define ESP_ERR_NOT_SUPPORTED 0x106
#define ESP_ERR_TIMEOUT 0x107
#define ESP_ERR_NOT_FINISHED 0x10C

#define ESP_LOGE(tag, ...) (void)(tag)
#define ESP_LOGW(tag, ...) (void)(tag)
#define ESP_LOGI(tag, ...) (void)(tag)
#define ESP_LOGD(tag, ...) (void)(tag)
#define ESP_LOGV(tag, ...) (void)(tag)

#define ESP_RETURN_ON_FALSE(condition, error, tag, ...) do { (void)(tag); if (!(condition)) return (error); } while (0)
#define ESP_RETURN_ON_ERROR(call, tag, ...) do { (void)(tag); esp_err_t error_ = (call); if (error_ != ESP_OK) return error_; } while (0)
#define ESP_GOTO_ON_FALSE(condition, error, label, tag, ...) do { (void)(tag); if (!(condition)) { ret = (error); goto label; } } while (0)
#define ESP_GOTO_ON_ERROR(call, label, tag, ...) do { (void)(tag); ret = (call); if (ret != ESP_OK) goto label; } while (0)
#define ESP_STATIC_ASSERT _Static_assert

/* FreeRTOS. One thread needs no lock. */
typedef int portMUX_TYPE;
typedef void *SemaphoreHandle_t;
typedef void *TimerHandle_t;
#define portMUX_INITIALIZER_UNLOCKED 0
#define portENTER_CRITICAL(lock) (void)(lock)
#define portEXIT_CRITICAL(lock) (void)(lock)
#define xTaskGetTickCount() 0
#define vTaskDelay(ticks) (void)(ticks)

/* The chip: one controller, behind its own transceiver. */
#define SOC_USB_OTG_PERIPH_NUM 1
typedef void *usb_phy_handle_t;
typedef struct { int vbus_io; } usb_phy_otg_io_conf_t;
typedef struct { int controller, target, otg_mode, otg_speed; const usb_phy_otg_io_conf_t *otg_io_conf; } usb_phy_config_t;
enum { USB_PHY_CTRL_OTG, USB_PHY_TARGET_INT, USB_OTG_MODE_DEVICE, USB_PHY_SPEED_FULL };
#define USB_PHY_SELF_POWERED_DEVICE(pin) { pin }
static inline esp_err_t usb_new_phy(const usb_phy_config_t *config, usb_phy_handle_t *phy) { (void)config; *phy = NULL; return ESP_OK; }
static inline esp_err_t usb_del_phy(usb_phy_handle_t phy) { (void)phy; return ESP_OK; }

#endif
