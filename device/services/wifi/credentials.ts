/**
 * Validates and stores the name and password of the WiFi network. Both are one value of the key-value storage, so that
 * a power loss cannot combine the name of one network with the password of another. They are read for each join and not
 * kept in memory. The password is write-only: no endpoint, file or log line contains it.
 */
import { Fault } from "../../../protocol/fault.js";
import type { WifiNetwork } from "../../ports/wifi.js";
import { type Settings, WIFI_NETWORK_SETTING } from "../settings/settings.js";

/** Length of a network's name (IEEE 802.11 §9.4.2.2, docs/spec/wifi.md#credentials). */
const SSID_LIMIT_BYTES = 32;

/** A passphrase, or the key derived from one (IEEE 802.11 §J.4.1). One pattern for both takes XS exponential time. */
const PASSPHRASE = /^[ -~]{8,63}$/;
const KEY = /^[0-9A-Fa-f]{64}$/;

/** Separates password and name in the stored value: a password cannot contain it. */
const SEPARATOR = "\n";

/** @throws {Fault} `bad_parameter`, which names the invalid parameter */
export function checkCredentials(ssid: string, password: string): WifiNetwork {
  const bytes = utf8Length(ssid);
  if (!(bytes > 0 && bytes <= SSID_LIMIT_BYTES))
    throw new Fault(
      "bad_parameter",
      `Parameter "ssid" takes 1 to ${SSID_LIMIT_BYTES} bytes of UTF-8 without U+0000`,
    );
  if (password !== "" && !PASSPHRASE.test(password) && !KEY.test(password))
    throw new Fault(
      "bad_parameter",
      'Parameter "password" takes nothing, 8 to 63 printable ASCII characters, or 64 hexadecimal digits',
    );
  return network(ssid, password);
}

export class Credentials {
  readonly #settings: Settings;
  readonly #builtIn: WifiNetwork | undefined;

  /** @param builtIn the network to join if none is configured */
  constructor(settings: Settings, builtIn: WifiNetwork | undefined) {
    this.#settings = settings;
    this.#builtIn = builtIn;
  }

  /** The network to join, `undefined` if there is none. */
  read(): WifiNetwork | undefined {
    const kept = this.#settings.read(WIFI_NETWORK_SETTING);
    if (kept === undefined) return this.#builtIn;
    const end = kept.indexOf(SEPARATOR);
    try {
      return end < 0 ? undefined : checkCredentials(kept.slice(end + 1), kept.slice(0, end));
    } catch {
      return undefined; // no firmware of this version has written it
    }
  }

  /** @throws {Fault} `storage_full`; the previous network then stays stored */
  write({ SSID, password = "" }: WifiNetwork): void {
    this.#settings.write(WIFI_NETWORK_SETTING, `${password}${SEPARATOR}${SSID}`);
  }

  /** Removes the network, and also disables the built-in one. */
  forget(): void {
    this.#settings.write(WIFI_NETWORK_SETTING, "");
  }
}

function network(SSID: string, password: string): WifiNetwork {
  return password === "" ? { SSID } : { SSID, password };
}

/** Length in bytes; NaN if `text` contains U+0000 or an unpaired surrogate, which UTF-8 cannot encode. */
function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (code === 0 || (code >= 0xd800 && code < 0xe000)) return Number.NaN;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}
