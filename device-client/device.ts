/** The console's API over any transport: one method per endpoint. Methods throw the console's errors. */
import type {
  AccessTokenAnswer,
  AppEntry,
  DeviceStatus,
  FactoryResetAnswer,
  HubQuestions,
  HubStatus,
  OtaStatus,
  OwnerKeysAnswer,
  Preferences,
  Pressed,
  Rebooting,
  Removed,
  RevocationsAnswer,
  ShellAnswer,
  SystemInfo,
  WifiNetworks,
  WifiStatus,
} from "../protocol/device/answers.js";
import { readSoundFile, type SoundFile } from "../protocol/device/sound-file.js";
import { FAULT_STATUS } from "../protocol/fault.js";
import { PUBLISHER_FIELDS, type PublisherTexts } from "../protocol/signature/statements.js";
import { DeviceError, deviceErrorOf } from "./device-error.js";
import { IDENTIFY_FIRST_MS, IDENTIFY_TIMEOUT_MS } from "./limits.js";
import {
  type DeviceAnswer,
  type DeviceRequest,
  type FileUpload,
  type Transport,
  WORK_TIMEOUT_MS,
} from "./transport.js";

const SCAN_TIMEOUT_MS = 30_000;

export interface InstallOptions {
  readonly file: Uint8Array;
  /** 128 hexadecimal digits; left out for consoles that accept unsigned apps. */
  readonly signature?: string;
  /** Proofs of the publisher's identity, besides the signature. */
  readonly publisher?: PublisherTexts;
  /** Whether to replace the installed app by an older version; consoles allow it over USB. */
  readonly isDowngrade?: boolean;
  /** For modules without a manifest, and for AOT files: the app's name. */
  readonly name?: string;
  readonly onProgress?: FileUpload["onProgress"];
  readonly signal?: AbortSignal | undefined;
}

export interface FirmwareOptions {
  readonly file: Uint8Array;
  /** Whether the console restarts into the firmware immediately. */
  readonly isToReboot?: boolean;
  readonly onProgress?: FileUpload["onProgress"];
  readonly signal?: AbortSignal | undefined;
}

/** New values by the names of settings; texts as a user has typed them are allowed. */
export type SettingChanges = { readonly [Name in keyof Preferences]?: Preferences[Name] | string };

export class Device {
  readonly transport: Transport;

  /** @param transport owned by the caller, which closes it */
  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** @throws {DeviceError} as {@link identifyConsole} does */
  static async identify(transport: Transport, signal?: AbortSignal): Promise<Device> {
    await identifyConsole(transport, signal);
    return new Device(transport);
  }

  status(signal?: AbortSignal): Promise<DeviceStatus> {
    return this.#request({ method: "GET", path: "/api/status", signal });
  }

  system(signal?: AbortSignal): Promise<SystemInfo> {
    return this.#request({ method: "GET", path: "/api/system", signal });
  }

  apps(): Promise<readonly AppEntry[]> {
    return this.#request({ method: "GET", path: "/api/apps/list" });
  }

  /** The icon of an app whose entry has `icon`. @returns a BMP */
  icon(name: string, signal?: AbortSignal): Promise<Uint8Array> {
    return this.transport.media({ path: "/api/apps/icon", parameters: { name }, format: "bmp", signal });
  }

  start(name: string): Promise<AppEntry> {
    return this.#request({ method: "POST", path: "/api/apps/start", parameters: { name } });
  }

  stop(name: string): Promise<AppEntry> {
    return this.#request({ method: "POST", path: "/api/apps/stop", parameters: { name } });
  }

  /** Gives a running app the display and the buttons. */
  front(name: string): Promise<AppEntry> {
    return this.#request({ method: "POST", path: "/api/apps/front", parameters: { name } });
  }

  /**
   * Requires the cable or the console's bearer token.
   * @param isAllowed whether the app goes on behind others; else it is suspended there if the user has opened or left it
   * on the console itself
   */
  background(name: string, isAllowed: boolean): Promise<AppEntry> {
    const parameters = { name, allowed: String(isAllowed) };
    return this.#request({ method: "POST", path: "/api/apps/background", parameters });
  }

  uninstall(name: string): Promise<Removed> {
    return this.#request({ method: "POST", path: "/api/apps/uninstall", parameters: { name } });
  }

  install(options: InstallOptions): Promise<AppEntry> {
    const { name, signature, publisher = {}, isDowngrade = false, ...upload } = options;
    const parameters: Record<string, string> = {
      ...(name !== undefined && { name }),
      ...(isDowngrade && { downgrade: "true" }),
      ...(signature !== undefined && { signature }),
    };
    for (const { member, parameter } of PUBLISHER_FIELDS) {
      const text = publisher[member];
      if (text !== undefined) parameters[parameter] = text;
    }
    return this.#send({ path: "/api/apps/install", parameters, ...upload });
  }

  otaStatus(): Promise<OtaStatus> {
    return this.#request({ method: "GET", path: "/api/ota/status" });
  }

  otaUpload({ isToReboot = false, ...upload }: FirmwareOptions): Promise<OtaStatus> {
    const parameters: Record<string, string> = isToReboot ? { reboot: "true" } : {};
    return this.#send({ path: "/api/ota/upload", parameters, ...upload });
  }

  otaConfirm(): Promise<OtaStatus> {
    return this.#request({ method: "POST", path: "/api/ota/confirm" });
  }

  revocations(): Promise<RevocationsAnswer> {
    return this.#request({ method: "GET", path: "/api/keys/revocations" });
  }

  /** @param list a revocation list (docs/spec/keys.md#revocation-list) */
  sendRevocations(list: Uint8Array<ArrayBuffer>): Promise<RevocationsAnswer> {
    return this.#send({ path: "/api/keys/revocations", parameters: {}, file: list });
  }

  /** The keys for apps that the console's owner has added. */
  ownerKeys(): Promise<OwnerKeysAnswer> {
    return this.#request({ method: "GET", path: "/api/keys/owner" });
  }

  /**
   * Requires the cable or the console's bearer token; with the token the console asks on its display, and the answer has
   * `question`.
   * @param key 64 hexadecimal digits; to remove it, the first 16 are enough
   */
  changeOwnerKeys(key: string, isRemoval: boolean): Promise<OwnerKeysAnswer> {
    const parameters = { key, ...(isRemoval && { remove: "true" }) };
    return this.#request({ method: "POST", path: "/api/keys/owner", parameters });
  }

  /** Restarts the console. A connection that is lost before the answer arrives counts as success. */
  reboot(): Promise<Rebooting> {
    return this.#restart("/api/reboot", { rebooting: true });
  }

  /** Restarts the console into its chip's loader, which is no console; over USB only. */
  rebootToLoader(): Promise<Rebooting> {
    return this.#restart("/api/reboot/loader", { rebooting: true });
  }

  /**
   * Restarts the console, and deletes apps, their data, networks, hub and tokens. Requires the cable or the console's
   * bearer token. A connection that is lost before the answer arrives counts as success.
   */
  factoryReset(): Promise<FactoryResetAnswer> {
    return this.#restart("/api/factory-reset", { resetting: true });
  }

  /** Runs one shell command on the console. @returns its output and, if it failed, an error code */
  shell(command: string): Promise<ShellAnswer> {
    const timeoutMs = WORK_TIMEOUT_MS; // `app install` and `app scan` are commands too
    return this.#request({ method: "POST", path: "/api/cmd", parameters: { c: command }, timeoutMs });
  }

  /** @returns a PNG */
  screen(signal?: AbortSignal): Promise<Uint8Array> {
    return this.transport.media({ path: "/api/screen", format: "png", signal });
  }

  /**
   * What the loudspeaker has played.
   * @param since number of the first sample wanted; left out, everything that the console keeps
   */
  async sound(since?: number, signal?: AbortSignal): Promise<SoundFile> {
    const parameters = since === undefined ? {} : { since: String(since) };
    const bytes = await this.transport.media({ path: "/api/sound", parameters, format: "wav", signal });
    try {
      return readSoundFile(bytes);
    } catch (cause) {
      throw new DeviceError("answer_invalid", "The console's sound cannot be read", { cause });
    }
  }

  /** @param pressed bits, as in `buttons()` of the ABI */
  press(pressed: number): Promise<Pressed> {
    return this.#request({ method: "POST", path: "/api/buttons", parameters: { pressed: String(pressed) } });
  }

  /** What the user has chosen on the console. */
  settings(): Promise<Preferences> {
    return this.#request({ method: "GET", path: "/api/settings" });
  }

  /**
   * Changes what is given; the console checks it. Requires the cable or the console's bearer token.
   * @returns all settings
   */
  changeSettings(changes: SettingChanges): Promise<Preferences> {
    const parameters: Record<string, string> = {};
    for (const [name, value] of Object.entries(changes)) parameters[name] = String(value);
    return this.#request({ method: "POST", path: "/api/settings", parameters });
  }

  hub(): Promise<HubStatus> {
    return this.#request({ method: "GET", path: "/api/hub" });
  }

  /**
   * Changing or removing a hub requires the cable or the console's bearer token.
   * @param url of the hub; empty to remove it
   */
  setHub(url: string): Promise<HubStatus> {
    return this.#request({ method: "POST", path: "/api/hub", parameters: { url } });
  }

  /** What the hub has ordered and the user has not answered. */
  hubQuestions(): Promise<HubQuestions> {
    return this.#request({ method: "GET", path: "/api/hub/questions" });
  }

  /**
   * Answers for the console's user. Requires the cable or the console's bearer token.
   * @param id of the question
   * @returns what is left to answer
   */
  answerHub(id: string, isAccepted: boolean): Promise<HubQuestions> {
    const parameters = { id, accept: String(isAccepted) };
    return this.#request({ method: "POST", path: "/api/hub/questions", parameters });
  }

  wifi(): Promise<WifiStatus> {
    return this.#request({ method: "GET", path: "/api/wifi" });
  }

  scanWifi(): Promise<WifiNetworks> {
    return this.#request({ method: "GET", path: "/api/wifi/scan", timeoutMs: SCAN_TIMEOUT_MS });
  }

  /** @param password left out for an open network */
  joinWifi(ssid: string, password?: string): Promise<WifiStatus> {
    return this.#request({
      method: "POST",
      path: "/api/wifi",
      parameters: { ssid, ...(password && { password }) },
    });
  }

  forgetWifi(): Promise<WifiStatus> {
    return this.#request({ method: "POST", path: "/api/wifi", parameters: { forget: "true" } });
  }

  accessToken(): Promise<AccessTokenAnswer> {
    return this.#request({ method: "GET", path: "/api/auth/token" });
  }

  replaceAccessToken(): Promise<AccessTokenAnswer> {
    return this.#request({ method: "POST", path: "/api/auth/token" });
  }

  async #restart<Body>(path: string, done: Body): Promise<Body> {
    try {
      return await this.#request({ method: "POST", path });
    } catch (error) {
      if (deviceErrorOf(error, "cancelled", "").code !== "device_lost") throw error;
      return done;
    }
  }

  async #request<Body>(request: DeviceRequest): Promise<Body> {
    return bodyOf<Body>(await this.transport.request(request));
  }

  async #send<Body>(upload: FileUpload): Promise<Body> {
    return bodyOf<Body>(await this.transport.upload(upload));
  }
}

/**
 * Checks that a console is at the other end, with the request of docs/spec/management-api.md#detection.
 * @throws {DeviceError} `not_a_console`, the console's own error, or an error of {@link Transport.request}
 */
export async function identifyConsole(transport: Transport, signal?: AbortSignal): Promise<DeviceStatus> {
  const answer = await discover(transport, signal);
  if (isRefusal(answer)) bodyOf(answer);
  const { fw_version } = Object(answer.body);
  if (answer.status === 200 && typeof fw_version === "string") return answer.body as DeviceStatus;
  throw new DeviceError("not_a_console", `The device at ${transport.address} is not a console`);
}

/**
 * Sends the request a second time if the first is lost: a restarting console drops USB input. A busy console answers
 * both requests; the first answer is then ignored.
 */
async function discover(transport: Transport, signal: AbortSignal | undefined): Promise<DeviceAnswer> {
  const ask = (timeoutMs: number) =>
    transport.request({ method: "GET", path: "/api/status", signal, timeoutMs });
  if (transport.kind !== "usb") return ask(IDENTIFY_TIMEOUT_MS);
  try {
    return await ask(IDENTIFY_FIRST_MS);
  } catch (error) {
    if (!NO_ANSWER_CODES.includes(deviceErrorOf(error, "device_lost", "").code)) throw error;
    return ask(IDENTIFY_TIMEOUT_MS - IDENTIFY_FIRST_MS);
  }
}

/** Codes after which the request is repeated: no answer, or only the output of a starting console. */
const NO_ANSWER_CODES: readonly string[] = Object.freeze(["device_timeout", "not_a_console"]);

/** Every console has the endpoint, so a 404 comes from another device. */
function isRefusal({ status, body }: DeviceAnswer): boolean {
  return status !== 200 && status !== 404 && Object.hasOwn(FAULT_STATUS, Object(body).error);
}

/** @throws {DeviceError} with the console's own code unless the status is 200 */
export function bodyOf<Body>({ status, body }: DeviceAnswer): Body {
  if (status === 200) return body as Body;
  const { error, message } = Object(body);
  if (typeof error === "string" && typeof message === "string")
    throw new DeviceError(error, message, { status });
  throw new DeviceError("answer_invalid", `The console answered with status ${status} and no reason`, {
    status,
  });
}
