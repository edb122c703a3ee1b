/*
 * A bit in the domain of the real-time clock, which a restart preserves, sends an ESP32-S3 to its loader (Technical
 * Reference Manual, RTC_CNTL_OPTION1_REG; ESP-IDF's USB console does the same). The loader's port is the serial port in
 * hardware, on pins that TinyUSB has taken from it, also in that domain: they are given back. First the host has to see
 * that the console's port is gone, or it keeps that. The bit lasts until a tool that has written the flash clears it
 * (esptool does), the board's RESET is pressed, or power is lost.
 */
#include "chip-loader.h"

#include "esp_efuse.h"
#include "esp_efuse_table.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "soc/rtc_cntl_reg.h"
#include "soc/usb_serial_jtag_reg.h"
#include "tusb.h"

/* USB 2.0 §7.1.7.3: a host debounces a connection for 100 ms. */
enum { DISCONNECTED_MS = 150 };

bool chip_loader_is_reachable(void)
{
	return !esp_efuse_read_field_bit(ESP_EFUSE_DIS_DOWNLOAD_MODE)
		&& !esp_efuse_read_field_bit(ESP_EFUSE_DIS_FORCE_DOWNLOAD);
}

void chip_loader_select(void)
{
	(void)tud_disconnect();
	vTaskDelay(pdMS_TO_TICKS(DISCONNECTED_MS));
	CLEAR_PERI_REG_MASK(RTC_CNTL_USB_CONF_REG,
		RTC_CNTL_SW_HW_USB_PHY_SEL | RTC_CNTL_SW_USB_PHY_SEL | RTC_CNTL_USB_PAD_ENABLE);
	CLEAR_PERI_REG_MASK(USB_SERIAL_JTAG_CONF0_REG, USB_SERIAL_JTAG_PHY_SEL);
	SET_PERI_REG_MASK(USB_SERIAL_JTAG_CONF0_REG, USB_SERIAL_JTAG_USB_PAD_ENABLE);
	REG_WRITE(RTC_CNTL_OPTION1_REG, RTC_CNTL_FORCE_DOWNLOAD_BOOT);
}
