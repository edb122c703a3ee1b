/**
 * `svc/host`: values of the command line. Getters, because a module is evaluated once in the life of the process,
 * while a port that is chosen at run time is kept for later restarts.
 */
const host = {
  get httpPort() {
    return native("xs_config_host").call(this).httpPort;
  },
  get wsPort() {
    return native("xs_config_host").call(this).wsPort;
  },
  get setupHttpPort() {
    return native("xs_config_host").call(this).setupHttpPort;
  },
  get setupDnsPort() {
    return native("xs_config_host").call(this).setupDnsPort;
  },
  get address() {
    return native("xs_config_host").call(this).address;
  },
  get logLevel() {
    return native("xs_config_host").call(this).logLevel;
  },
  get hub() {
    return native("xs_config_host").call(this).hub;
  },
  get sd() {
    return native("xs_config_host").call(this).sd;
  },
  get usbDrive() {
    return native("xs_config_host").call(this).usbDrive;
  },
  get mdns() {
    return native("xs_config_host").call(this).mdns;
  },
  get safeMode() {
    return native("xs_config_host").call(this).safeMode;
  },
  get options() {
    return native("xs_config_options").call(this);
  },
};

export default Object.freeze(host);
