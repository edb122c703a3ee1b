/* A board that does not wire the display's light: nothing of the chip is configured or set. Prints what does not hold. */
#include <stdio.h>

#include "backlight.h"
#include "driver/ledc.h"
#include "mc.defines.h"

_Static_assert(MODDEF_DISPLAY_BACKLIGHT < 0, "this build has no pin for the light");

static int calls;

esp_err_t ledc_timer_config(const ledc_timer_config_t *config) { (void)config; calls++; return ESP_OK; }
esp_err_t ledc_channel_config(const ledc_channel_config_t *config) { (void)config; calls++; return ESP_OK; }
esp_err_t ledc_update_duty(ledc_mode_t mode, ledc_channel_t channel) { (void)mode, (void)channel; calls++; return ESP_OK; }

esp_err_t ledc_set_duty(ledc_mode_t mode, ledc_channel_t channel, uint32_t duty)
{
	(void)mode, (void)channel, (void)duty;
	calls++;
	return ESP_OK;
}

int main(void)
{
	backlight_start();
	backlight_set(50);
	if (calls > 0)
		printf("%d calls of the chip's pulses\n", calls);
	return calls > 0;
}
