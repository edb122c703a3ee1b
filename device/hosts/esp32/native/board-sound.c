/*
 * An I2S amplifier on three of the apps' pins (`sound` in the manifest), which it takes when the first app plays. Without these
 * pins, or where Ethernet has them, the board has no loudspeaker.
 *
 * A task takes samples from the mixer as fast as the amplifier plays them: writing waits while the chip has enough of them.
 * After the last sample the chip goes on by itself, with silence.
 */
#include "board-sound.h"

#include "mc.defines.h"

#ifdef MODDEF_SOUND_DATA
#include "board-i2c.h"
#include "driver/i2s_std.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "pin-map.h"
#include "pins-board.h"
#include "sound-mixer.h"
#include "sound.h"

enum {
	BLOCK_SAMPLES = SOUND_RATE / 50,	/* 20 ms */
	BLOCKS_AHEAD = 4,
	STACK_BYTES = 3072,
	PRIORITY = 6,					/* before apps and the console's own work: a sound that stops short is heard */
};

static i2s_chan_handle_t output;
static _Atomic bool hasPins;
static TaskHandle_t task;

static bool is_free(int pin)
{
	return pin_map_is_free(pin) && !board_i2c_has_pin(pin);
}

bool board_sound_has_pin(int pin)
{
	return hasPins && (pin == MODDEF_SOUND_CLOCK || pin == MODDEF_SOUND_WORD || pin == MODDEF_SOUND_DATA);
}

enum { NO_HARDWARE = -19 };

static int32_t take_pins(void)
{
	const i2s_chan_config_t channel = {
		.id = I2S_NUM_AUTO,
		.role = I2S_ROLE_MASTER,
		.dma_desc_num = BLOCKS_AHEAD,
		.dma_frame_num = BLOCK_SAMPLES,
		.auto_clear = true,				/* silence after the last sample */
	};
	const i2s_std_config_t wiring = {
		.clk_cfg = I2S_STD_CLK_DEFAULT_CONFIG(SOUND_RATE),
		.slot_cfg = I2S_STD_PHILIPS_SLOT_DEFAULT_CONFIG(I2S_DATA_BIT_WIDTH_16BIT, I2S_SLOT_MODE_MONO),
		.gpio_cfg = {
			.mclk = I2S_GPIO_UNUSED,
			.bclk = MODDEF_SOUND_CLOCK,
			.ws = MODDEF_SOUND_WORD,
			.dout = MODDEF_SOUND_DATA,
			.din = I2S_GPIO_UNUSED,
		},
	};
	hasPins = is_free(MODDEF_SOUND_CLOCK) && is_free(MODDEF_SOUND_WORD) && is_free(MODDEF_SOUND_DATA);
	if (!hasPins)
		return NO_HARDWARE;
	if (i2s_new_channel(&channel, &output, NULL) == ESP_OK && i2s_channel_init_std_mode(output, &wiring) == ESP_OK
		&& i2s_channel_enable(output) == ESP_OK)
		return 0;
	hasPins = false;
	return NO_HARDWARE;
}

static bool open_output(void)
{
	static const int PINS[] = { MODDEF_SOUND_CLOCK, MODDEF_SOUND_WORD, MODDEF_SOUND_DATA };
	for (int index = 0; index < 3; index++) {
		if (!is_free(PINS[index]))
			return false;
	}
	return pins_hand_over(PINS, 3, take_pins) == 0;
}

/* What is played on a board that has lost its pins to something else is taken all the same: for the app it is over in time. */
static void play(void *context)
{
	static int16_t block[BLOCK_SAMPLES];
	(void)context;
	const bool isOpen = open_output();
	for (;;) {
		(void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
		while (sound_mix(block, BLOCK_SAMPLES)) {
			size_t written;
			if (isOpen)
				(void)i2s_channel_write(output, block, sizeof(block), &written, portMAX_DELAY);
			else
				vTaskDelay(pdMS_TO_TICKS(1000 * BLOCK_SAMPLES / SOUND_RATE));
		}
	}
}

/* The mixer's lock is held: one thread at a time comes here. */
static void begin(void)
{
	if (!task && xTaskCreate(play, "sound", STACK_BYTES, NULL, PRIORITY, &task) != pdTRUE)
		task = NULL;				/* the next sound tries again */
	else
		(void)xTaskNotifyGive(task);
}

void board_sound_start(void)
{
	if (is_free(MODDEF_SOUND_CLOCK) && is_free(MODDEF_SOUND_WORD) && is_free(MODDEF_SOUND_DATA))
		sound_on_begin(begin);
}

#else

void board_sound_start(void)
{
}

bool board_sound_has_pin(int pin)
{
	(void)pin;
	return false;
}

#endif
