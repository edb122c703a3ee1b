/**
 * The minimum security version of firmware (docs/spec/keys.md#security-floor): that of the firmware that was confirmed
 * last. Firmware on trial does not raise it, so that the previous firmware can come back.
 *
 * Records the version of staged firmware, since the program that runs then cannot see the header of its own image.
 */
import { SECURITY_FLOOR_SETTING, STAGED_SECURITY_SETTING } from "../settings/paths.js";
import type { Settings } from "../settings/settings.js";
import type { FirmwareFacts } from "./firmware-facts.js";

export class SecurityFloor {
  readonly #settings: Settings;
  readonly #firmware: Pick<FirmwareFacts, "version" | "securityVersion">;

  constructor(settings: Settings, firmware: Pick<FirmwareFacts, "version" | "securityVersion">) {
    this.#settings = settings;
    this.#firmware = firmware;
  }

  /** While no firmware is on trial. */
  get securityVersion(): number {
    return Math.max(
      numberIn(this.#settings.read(SECURITY_FLOOR_SETTING)),
      this.#firmware.securityVersion ?? 0,
    );
  }

  /** To be called before an image becomes what boots next. @throws {Fault} `storage_full` */
  note({ version, securityVersion }: { readonly version: string; readonly securityVersion: number }): void {
    const note = `${version} ${securityVersion}`;
    const before = this.#settings.read(STAGED_SECURITY_SETTING);
    if (before === note || (before === undefined && securityVersion === 0)) return;
    this.#settings.write(STAGED_SECURITY_SETTING, note);
  }

  /** The running firmware is confirmed. @throws {Fault} `storage_full` */
  raise(): void {
    const [version, noted] = this.#settings.read(STAGED_SECURITY_SETTING)?.split(" ", 2) ?? [];
    const own = version === this.#firmware.version ? numberIn(noted) : 0;
    const floor = Math.max(own, this.securityVersion);
    if (floor > numberIn(this.#settings.read(SECURITY_FLOOR_SETTING)))
      this.#settings.write(SECURITY_FLOOR_SETTING, `${floor}`);
  }
}

function numberIn(text: string | undefined): number {
  return text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
}
