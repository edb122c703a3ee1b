/* Pulses on pins for apps, made by the chip (LEDC), each with a timer of its own: the display's light has the first. */
#include "driver/ledc.h"
#include "pins-wiring.h"
#include "pins.h"

enum { NO_SPACE = -28, IO_ERROR = -5 };

enum { PULSES = 3 };

/* Finer steps for slow pulses, such as those of servos; the timer's divider allows no slower ones with fewer bits. */
enum { SLOW_HZ = 1000, SLOW_BITS = 13, FAST_BITS = 10 };

static const ledc_mode_t MODE = LEDC_LOW_SPEED_MODE;

static const struct {
	ledc_timer_t timer;
	ledc_channel_t channel;
} GENERATORS[PULSES] = {
	{ LEDC_TIMER_1, LEDC_CHANNEL_1 }, { LEDC_TIMER_2, LEDC_CHANNEL_2 }, { LEDC_TIMER_3, LEDC_CHANNEL_3 },
};

/* The pin of each generator, plus 1; 0: it is free. */
static int users[PULSES];

/* @returns the generator of the pin, else a free one; -1 if there is none */
static int find_generator(int pin, bool orFree)
{
	for (int index = 0; index < PULSES; index++) {
		if (users[index] == pin + 1)
			return index;
	}
	for (int index = 0; orFree && index < PULSES; index++) {
		if (users[index] == 0)
			return index;
	}
	return -1;
}

int32_t pins_wiring_pulse(int pin, int hz, int duty)
{
	const int index = find_generator(pin, true);
	if (index < 0)
		return NO_SPACE;
	const int bits = hz < SLOW_HZ ? SLOW_BITS : FAST_BITS;
	const ledc_timer_config_t timer = {
		.speed_mode = MODE,
		.duty_resolution = (ledc_timer_bit_t)bits,
		.timer_num = GENERATORS[index].timer,
		.freq_hz = (uint32_t)hz,
		.clk_cfg = LEDC_AUTO_CLK,
	};
	const ledc_channel_config_t channel = {
		.gpio_num = pin,
		.speed_mode = MODE,
		.channel = GENERATORS[index].channel,
		.timer_sel = GENERATORS[index].timer,
		.duty = (((uint32_t)duty << bits) + PINS_DUTY / 2) / PINS_DUTY,
	};
	if (ledc_timer_config(&timer) != ESP_OK || ledc_channel_config(&channel) != ESP_OK)
		return IO_ERROR;
	users[index] = pin + 1;
	return 0;
}

void pins_wiring_end_pulses(int pin)
{
	const int index = find_generator(pin, false);
	if (index < 0)
		return;
	(void)ledc_stop(MODE, GENERATORS[index].channel, 0);
	users[index] = 0;
}
