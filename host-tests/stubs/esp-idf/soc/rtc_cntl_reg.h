/* Stub, written for tests: what device/hosts/esp32 uses of an ESP32-S3's RTC_CNTL, by its documentation; nothing of it runs. */
#ifndef STUB_RTC_CNTL_REG_H
#define STUB_RTC_CNTL_REG_H

#include "soc/soc.h"

#define RTC_CNTL_USB_CONF_REG 0x60008120
#define RTC_CNTL_SW_HW_USB_PHY_SEL (1u << 20)
#define RTC_CNTL_SW_USB_PHY_SEL (1u << 19)
#define RTC_CNTL_USB_PAD_ENABLE (1u << 12)
#define RTC_CNTL_OPTION1_REG 0x6000812C
#define RTC_CNTL_FORCE_DOWNLOAD_BOOT (1u << 0)

#endif
