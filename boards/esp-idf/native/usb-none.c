#include "usb-port.h"
bool usb_port_attach(const UsbPortClient *client) { (void)client; return false; }
void usb_port_detach(void) {}
void usb_port_want(bool input, bool output) { (void)input, (void)output; }
size_t usb_port_read(uint8_t *bytes, size_t byteLength) { (void)bytes, (void)byteLength; return 0; }
size_t usb_port_write(const uint8_t *bytes, size_t byteLength) { (void)bytes, (void)byteLength; return 0; }
