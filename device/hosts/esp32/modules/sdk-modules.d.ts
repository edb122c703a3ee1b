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
/** The Moddable SDK's UDP socket, by the name that the manifest gives it. */
declare module "svc/lwip-udp" {
  type Port = import("../../../ports/udp.js").UdpSocket;
  export default class LwipUdp implements Port {
    constructor(options: import("../../../ports/udp.js").UdpOptions);
    read(): ReturnType<Port["read"]>;
    write(bytes: Uint8Array, address: string, port: number): unknown;
    add(address: string): void;
    close(): void;
  }
}
declare module "device/services/config/read-config" {
  export { readConfig } from "../../../services/config/read-config.js";
}
