/** Modules by the names that the manifests give them, for modules that run before `main`. */
declare module "device/main" {
  const main: typeof import("../../main.js").default;
  export default main;
}
declare module "device/services/config/read-config" {
  export const readConfig: typeof import("../../services/config/read-config.js").readConfig;
}
declare module "device/services/firmware/firmware-facts" {
  export const FIRMWARE: import("../../services/firmware/firmware-facts.js").FirmwareFacts;
}
