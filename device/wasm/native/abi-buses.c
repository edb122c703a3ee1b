/* The functions of the ABI that measure and set what is connected to pins: voltages, pulses, and devices on the I2C bus. */
#include "guest.h"
#include "i2c-bus.h"
#include "pins.h"

enum { INVALID = -22 };

const char *abi_adc_read(Guest *guest, AbiCall *call)
{
	(void)guest;
	call->result = pins_millivolts(call->parameters[0]);
	return NULL;
}

const char *abi_pwm_write(Guest *guest, AbiCall *call)
{
	(void)guest;
	call->result = pins_pulse(call->parameters[0], call->parameters[1], call->parameters[2]);
	return NULL;
}

static bool is_allowed(int32_t address, uint32_t length)
{
	return address >= I2C_BUS_FIRST_ADDRESS && address <= I2C_BUS_LAST_ADDRESS && length <= I2C_BUS_BYTES;
}

const char *abi_i2c_read(Guest *guest, AbiCall *call)
{
	const int32_t address = call->parameters[0], reg = call->parameters[1];
	const uint32_t length = call->ranges[0].byteLength;
	(void)guest;
	if (!is_allowed(address, length) || length == 0 || reg < -1 || reg > 0xFF)
		call->result = INVALID;
	else
		call->result = i2c_bus_read(address, reg, call->ranges[0].bytes, length);
	return NULL;
}

const char *abi_i2c_write(Guest *guest, AbiCall *call)
{
	const int32_t address = call->parameters[0];
	const uint32_t length = call->ranges[0].byteLength;
	(void)guest;
	if (!is_allowed(address, length))
		call->result = INVALID;
	else
		call->result = i2c_bus_write(address, call->ranges[0].bytes, length);
	return NULL;
}
