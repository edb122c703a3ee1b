/* Stub, written for tests: what device/hosts/esp32 uses of the serial port in hardware, by its documentation; nothing of it runs. */
#ifndef STUB_USB_SERIAL_JTAG_REG_H
#define STUB_USB_SERIAL_JTAG_REG_H

#include "soc/soc.h"

#define USB_SERIAL_JTAG_CONF0_REG 0x60038018
#define USB_SERIAL_JTAG_PHY_SEL (1u << 0)
#define USB_SERIAL_JTAG_USB_PAD_ENABLE (1u << 14)

#endif
