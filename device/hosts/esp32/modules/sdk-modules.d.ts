/** Written by the Moddable SDK from the manifest. */
declare module "mc/config" {
  const config: {
    readonly httpPort?: number;
    readonly wsPort?: number;
    readonly mdns?: boolean;
    readonly logLevel?: string;
    readonly options?: Readonly<Record<string, unknown>>;
    /** The network that the firmware was built for, if any. */
    readonly wifi?: { readonly SSID: string; readonly password?: string };
  };
  export default config;
}
declare module "device/services/config/read-config" {
  export { readConfig } from "../../../services/config/read-config.js";
}
