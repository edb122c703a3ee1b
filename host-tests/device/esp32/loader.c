/* The way to an ESP32-S3's loader, with registers and eFuses that a script has. Prints what does not hold. */
#include <string.h>

#include "chip-loader.h"
#include "esp_efuse_table.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "holds.h"
#include "soc/rtc_cntl_reg.h"
#include "soc/usb_serial_jtag_reg.h"
#include "tusb.h"

const esp_efuse_desc_t *ESP_EFUSE_DIS_FORCE_DOWNLOAD[1], *ESP_EFUSE_DIS_DOWNLOAD_MODE[1];
static const esp_efuse_desc_t **burnt;
bool esp_efuse_read_field_bit(const esp_efuse_desc_t *field[]) { return field == burnt; }

static uint32_t usb = 0xFFFFFFFF, serial = USB_SERIAL_JTAG_PHY_SEL, option;
static char story[8];

static uint32_t *register_at(uint32_t address)
{
	switch (address) {
	case RTC_CNTL_USB_CONF_REG: return &usb;
	case USB_SERIAL_JTAG_CONF0_REG: return &serial;
	case RTC_CNTL_OPTION1_REG: return &option;
	default: HOLDS(false, "register %x", address); return &option;
	}
}

uint32_t stub_register_read(uint32_t address) { return *register_at(address); }

void stub_register_write(uint32_t address, uint32_t value)
{
	if (address == RTC_CNTL_USB_CONF_REG)
		strcat(story, "p");
	*register_at(address) = value;
}

bool tud_disconnect(void) { strcat(story, "d"); return true; }
void vTaskDelay(TickType_t ticks) { HOLDS(ticks >= pdMS_TO_TICKS(100)); strcat(story, "w"); }

int main(void)
{
	HOLDS(chip_loader_is_reachable());
	burnt = ESP_EFUSE_DIS_FORCE_DOWNLOAD;
	HOLDS(!chip_loader_is_reachable());
	burnt = ESP_EFUSE_DIS_DOWNLOAD_MODE;
	HOLDS(!chip_loader_is_reachable());

	chip_loader_select();
	HOLDS(strcmp(story, "dwp") == 0, "disconnected, waited, pins given back: %s", story);
	HOLDS(usb == ~(uint32_t)(RTC_CNTL_SW_HW_USB_PHY_SEL | RTC_CNTL_SW_USB_PHY_SEL | RTC_CNTL_USB_PAD_ENABLE));
	HOLDS(serial == USB_SERIAL_JTAG_USB_PAD_ENABLE);
	HOLDS(option == RTC_CNTL_FORCE_DOWNLOAD_BOOT);
	return failures > 0;
}
