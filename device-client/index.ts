/** The client's public exports, in one place for programs that load it at run time. */
export * from "./clock.js";
export * from "./device.js";
export * from "./device-error.js";
export * from "./device-link.js";
export * from "./host-ports.js";
export * from "./http-transport.js";
export * from "./link-state.js";
export * from "./transport.js";
export * from "./usb-transport.js";
