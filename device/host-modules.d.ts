/**
 * The modules that every host brings and only `main.ts` imports, typed by the ports they satisfy. Names
 * and shapes are those of ECMA-419 and of the Moddable SDK where they have them; the `svc/` ones are ours.
 */
declare module "embedded:io/socket/tcp" {
  const Socket: import("../protocol/ports/network.js").Tcp["Socket"] &
    import("../protocol/ports/network.js").TcpClient["Socket"];
  export default Socket;
}
declare module "embedded:io/socket/listener" {
  const Listener: import("../protocol/ports/network.js").Tcp["Listener"];
  export default Listener;
}
declare module "embedded:io/socket/udp" {
  const Udp: import("./ports/udp.js").Udp;
  export default Udp;
}
declare module "embedded:io/serial" {
  const Serial: import("./ports/serial.js").Serial;
  export default Serial;
}
declare module "embedded:storage/files" {
  const root: import("./ports/files.js").Directory;
  export default root;
}
declare module "embedded:storage/key-value" {
  const storage: import("./ports/key-value.js").KeyValueStorage;
  export default storage;
}
declare module "timer" {
  const timer: import("../protocol/ports/runtime.js").Timer;
  export default timer;
}
declare module "base64" {
  const base64: import("../protocol/ports/runtime.js").Base64;
  export default base64;
}
declare module "crypt" {
  export const Digest: import("../protocol/ports/crypto.js").DigestConstructor;
}
declare module "crc32" {
  const Crc32: import("../protocol/ports/crypto.js").Crc32Constructor;
  export default Crc32;
}
declare module "svc/adler32" {
  const Adler32: import("../protocol/ports/crypto.js").Adler32Constructor;
  export default Adler32;
}
declare module "svc/ed25519" {
  const ed25519: import("../protocol/ports/crypto.js").Ed25519;
  export default ed25519;
}
declare module "svc/bluetooth" {
  const Advertisement: import("./ports/bluetooth.js").AdvertisementConstructor | undefined;
  export default Advertisement;
}
declare module "svc/drives" {
  const drives: import("./ports/drives.js").Drives;
  export default drives;
}
declare module "svc/firmware-slots" {
  const slots: import("./ports/firmware-slots.js").FirmwareSlots;
  export default slots;
}
declare module "svc/guest" {
  const Guest: import("./ports/guest.js").GuestConstructor;
  export default Guest;
}
declare module "svc/memory" {
  const memory: import("../protocol/ports/runtime.js").Memory;
  export default memory;
}
declare module "svc/random" {
  const random: import("../protocol/ports/runtime.js").Random;
  export default random;
}
declare module "svc/sandbox" {
  const sandbox: import("../protocol/ports/sandbox.js").Sandbox;
  export default sandbox;
}
declare module "svc/sound" {
  const sound: import("./ports/sound.js").Sound;
  export default sound;
}
declare module "svc/resolver" {
  const resolver: import("../protocol/ports/network.js").Resolver;
  export default resolver;
}
declare module "svc/retained-memory" {
  const memory: import("./ports/retained-memory.js").RetainedMemory;
  export default memory;
}
declare module "svc/system" {
  const system: import("./ports/system.js").System & import("../protocol/ports/runtime.js").Clock;
  export default system;
}
declare module "svc/tls" {
  /** `undefined` on hosts without TLS. */
  const Tls: import("../protocol/ports/network.js").TlsConstructor | undefined;
  export default Tls;
}
declare module "svc/network" {
  const network: import("./ports/network.js").NetworkInterface & import("./ports/network.js").Interfaces;
  export default network;
}
declare module "svc/wifi" {
  const Wifi: import("./ports/wifi.js").WifiConstructor;
  export default Wifi;
}
declare module "svc/access-point" {
  /** `undefined` on hosts whose radio is no access point. */
  const AccessPoint: import("./ports/access-point.js").AccessPointConstructor | undefined;
  export default AccessPoint;
}
declare module "svc/display" {
  const display: import("./ports/display.js").Display;
  export default display;
}
declare module "svc/buttons" {
  const buttons: import("./ports/display.js").Buttons;
  export default buttons;
}
declare module "svc/host" {
  /** What the manifest or the command line says; checked by `services/config`. */
  const config: {
    readonly httpPort?: number;
    readonly wsPort?: number;
    /** Ports of the set-up access point. */
    readonly setupHttpPort?: number;
    readonly setupDnsPort?: number;
    /** Listen on this address only. */
    readonly address?: string;
    readonly mdns?: boolean;
    readonly logLevel?: string;
    /** Address of a hub, `""` for none. */
    readonly hub?: string;
    /** Crashes in a row have come before this run: neither apps nor drives nor hub. */
    readonly safeMode: boolean;
    readonly options?: Readonly<Record<string, unknown>>;
  };
  export default config;
}

/** Writes text to the host's debug console, as it is. */
declare function trace(text: string): void;
