/* The backlight, dimmed by pulses that the chip makes by itself (LEDC), too fast to be seen. */
#include "backlight.h"

#include "driver/ledc.h"
#include "mc.defines.h"

enum { PULSES_HZ = 5000, FULL = (1 << 10) - 1 };

static const ledc_mode_t MODE = LEDC_LOW_SPEED_MODE;	/* which every chip has */
static const ledc_channel_t CHANNEL = LEDC_CHANNEL_0;

void backlight_start(void)
{
	const ledc_timer_config_t timer = {
		.speed_mode = MODE,
		.duty_resolution = LEDC_TIMER_10_BIT,
		.timer_num = LEDC_TIMER_0,
		.freq_hz = PULSES_HZ,
		.clk_cfg = LEDC_AUTO_CLK,
	};
	const ledc_channel_config_t channel = {
		.gpio_num = MODDEF_DISPLAY_BACKLIGHT,
		.speed_mode = MODE,
		.channel = CHANNEL,
		.timer_sel = LEDC_TIMER_0,
	};
	if (MODDEF_DISPLAY_BACKLIGHT < 0)
		return;
	(void)ledc_timer_config(&timer);
	(void)ledc_channel_config(&channel);
}

void backlight_set(int percent)
{
	if (MODDEF_DISPLAY_BACKLIGHT < 0)
		return;
	(void)ledc_set_duty(MODE, CHANNEL, (uint32_t)(percent * FULL / 100));
	(void)ledc_update_duty(MODE, CHANNEL);
}
