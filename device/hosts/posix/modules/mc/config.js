/**
 * `mc/config`: what the command line says. Getters, because a module is evaluated once in the life of the
 * process while a free port, once found, is kept for the restarts to come.
 */
const host = native("xs_config_host");
const options = native("xs_config_options");

export default Object.freeze({
  get httpPort() {
    return host().httpPort;
  },
  get wsPort() {
    return host().wsPort;
  },
  get address() {
    return host().address;
  },
  get logLevel() {
    return host().logLevel;
  },
  get hub() {
    return host().hub;
  },
  get sd() {
    return host().sd;
  },
  get usbDrive() {
    return host().usbDrive;
  },
  get mdns() {
    return host().mdns;
  },
  get options() {
    return options();
  },
});
