/** A console over any transport: the table of endpoints as methods. They throw what the console refuses. */
import type {
  AccessTokenAnswer,
  AppEntry,
  DeviceStatus,
  HubStatus,
  OtaStatus,
  RevocationsAnswer,
  ShellAnswer,
  SystemInfo,
  WifiNetwork,
  WifiStatus,
} from "../protocol/device/answers.js";
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
  /** 128 hexadecimal digits; left out: none, for consoles that allow it. */
  readonly signature?: string;
  /** What says who published it, besides the signature. */
  readonly publisher?: PublisherTexts;
  /** An older version may take the place of the installed one: consoles do so over the cable. */
  readonly isDowngrade?: boolean;
  /** For modules without a manifest, and for AOT files: the app's name. */
  readonly name?: string;
  readonly onProgress?: FileUpload["onProgress"];
  readonly signal?: AbortSignal | undefined;
}

export interface FirmwareOptions {
  readonly file: Uint8Array;
  /** Whether the console restarts into it at once. */
  readonly isToReboot?: boolean;
  readonly onProgress?: FileUpload["onProgress"];
  readonly signal?: AbortSignal | undefined;
}

export class Device {
  readonly transport: Transport;

  /** @param transport stays owned by the caller, which closes it */
  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** @throws {DeviceError} as {@link greet} does */
  static async identify(transport: Transport, signal?: AbortSignal): Promise<Device> {
    await greet(transport, signal);
    return new Device(transport);
  }

  status(signal?: AbortSignal): Promise<DeviceStatus> {
    return this.#ask({ method: "GET", path: "/api/status", signal });
  }

  system(signal?: AbortSignal): Promise<SystemInfo> {
    return this.#ask({ method: "GET", path: "/api/system", signal });
  }

  apps(): Promise<readonly AppEntry[]> {
    return this.#ask({ method: "GET", path: "/api/apps/list" });
  }

  start(name: string): Promise<AppEntry> {
    return this.#ask({ method: "POST", path: "/api/apps/start", parameters: { name } });
  }

  stop(name: string): Promise<AppEntry> {
    return this.#ask({ method: "POST", path: "/api/apps/stop", parameters: { name } });
  }

  uninstall(name: string): Promise<{ readonly removed: string }> {
    return this.#ask({ method: "POST", path: "/api/apps/uninstall", parameters: { name } });
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
    return this.#ask({ method: "GET", path: "/api/ota/status" });
  }

  otaUpload({ isToReboot = false, ...upload }: FirmwareOptions): Promise<OtaStatus> {
    const parameters: Record<string, string> = isToReboot ? { reboot: "true" } : {};
    return this.#send({ path: "/api/ota/upload", parameters, ...upload });
  }

  otaConfirm(): Promise<OtaStatus> {
    return this.#ask({ method: "POST", path: "/api/ota/confirm" });
  }

  revocations(): Promise<RevocationsAnswer> {
    return this.#ask({ method: "GET", path: "/api/keys/revocations" });
  }

  /** @param list of revoked keys, as docs/spec/keys.md has it */
  sendRevocations(list: Uint8Array<ArrayBuffer>): Promise<RevocationsAnswer> {
    return this.#send({ path: "/api/keys/revocations", parameters: {}, file: list });
  }

  /** Restarts the console. One that is gone before its answer is read has done so. */
  async reboot(): Promise<{ readonly rebooting: true }> {
    try {
      return await this.#ask({ method: "POST", path: "/api/reboot" });
    } catch (error) {
      if (deviceErrorOf(error, "cancelled", "").code !== "device_lost") throw error;
      return { rebooting: true };
    }
  }

  /** Runs one command of the console's shell. @returns what it has printed, and the code of why it failed */
  async shell(command: string): Promise<ShellAnswer> {
    const timeoutMs = WORK_TIMEOUT_MS; // `app install` and `app scan` are commands too
    const request = { path: "/api/cmd", parameters: { c: command }, timeoutMs } as const;
    const answer = await this.transport.request({ ...request, method: "POST" });
    if (answer.status !== 404 && answer.status !== 405) return bodyOf(answer);
    return this.#ask({ ...request, method: "GET" }); // a console of 0.1.0 knows no other
  }

  /** @returns a PNG */
  screen(signal?: AbortSignal): Promise<Uint8Array> {
    return this.transport.screen(signal);
  }

  /** @param pressed bits, as in `buttons()` of the ABI */
  press(pressed: number): Promise<{ readonly pressed: number }> {
    return this.#ask({ method: "POST", path: "/api/buttons", parameters: { pressed: String(pressed) } });
  }

  hub(): Promise<HubStatus> {
    return this.#ask({ method: "GET", path: "/api/hub" });
  }

  /**
   * To change or forget a hub takes the cable or the console's bearer token.
   * @param url empty: no hub
   */
  setHub(url: string): Promise<HubStatus> {
    return this.#ask({ method: "POST", path: "/api/hub", parameters: { url } });
  }

  wifi(): Promise<WifiStatus> {
    return this.#ask({ method: "GET", path: "/api/wifi" });
  }

  async scanWifi(): Promise<readonly WifiNetwork[]> {
    const request = { method: "GET", path: "/api/wifi/scan", timeoutMs: SCAN_TIMEOUT_MS } as const;
    return (await this.#ask<{ networks: readonly WifiNetwork[] }>(request)).networks;
  }

  /** @param password left out: the network is open */
  joinWifi(ssid: string, password?: string): Promise<WifiStatus> {
    return this.#ask({
      method: "POST",
      path: "/api/wifi",
      parameters: { ssid, ...(password && { password }) },
    });
  }

  forgetWifi(): Promise<WifiStatus> {
    return this.#ask({ method: "POST", path: "/api/wifi", parameters: { forget: "true" } });
  }

  accessToken(): Promise<AccessTokenAnswer> {
    return this.#ask({ method: "GET", path: "/api/auth/token" });
  }

  replaceAccessToken(): Promise<AccessTokenAnswer> {
    return this.#ask({ method: "POST", path: "/api/auth/token" });
  }

  async #ask<Body>(request: DeviceRequest): Promise<Body> {
    return bodyOf<Body>(await this.transport.request(request));
  }

  async #send<Body>(upload: FileUpload): Promise<Body> {
    return bodyOf<Body>(await this.transport.upload(upload));
  }
}

/**
 * Makes sure that there is a console at the other end, by the discovery request of
 * docs/spec/management-api.md#detection.
 * @throws {DeviceError} `not_a_console`, what the console refuses it with, and what {@link Transport.request} throws
 */
export async function greet(transport: Transport, signal?: AbortSignal): Promise<DeviceStatus> {
  const answer = await discover(transport, signal);
  if (isRefusal(answer)) bodyOf(answer);
  const { fw_version } = Object(answer.body);
  if (answer.status === 200 && typeof fw_version === "string") return answer.body as DeviceStatus;
  throw new DeviceError("not_a_console", `What answers at ${transport.address} is not a console`);
}

/**
 * A console that is just restarting loses what comes over USB meanwhile: it is asked once more. One that is busy answers
 * both, and the first of these answers is left alone.
 */
async function discover(transport: Transport, signal: AbortSignal | undefined): Promise<DeviceAnswer> {
  const ask = (timeoutMs: number) =>
    transport.request({ method: "GET", path: "/api/status", signal, timeoutMs });
  if (transport.kind !== "usb") return ask(IDENTIFY_TIMEOUT_MS);
  try {
    return await ask(IDENTIFY_FIRST_MS);
  } catch (error) {
    if (!UNHEARD.includes(deviceErrorOf(error, "device_lost", "").code)) throw error;
    return ask(IDENTIFY_TIMEOUT_MS - IDENTIFY_FIRST_MS);
  }
}

/** Nothing came, or only what a console says while it starts. */
const UNHEARD: readonly string[] = Object.freeze(["device_timeout", "not_a_console"]);

/** Every console has the endpoint: what has none is something else. */
function isRefusal({ status, body }: DeviceAnswer): boolean {
  return status !== 200 && status !== 404 && Object.hasOwn(FAULT_STATUS, Object(body).error);
}

/** @throws {DeviceError} with the console's own code for anything but 200 */
export function bodyOf<Body>({ status, body }: DeviceAnswer): Body {
  if (status === 200) return body as Body;
  const { error, message } = Object(body);
  if (typeof error === "string" && typeof message === "string")
    throw new DeviceError(error, message, { status });
  throw new DeviceError("answer_invalid", `The console answered with status ${status} and no reason`, {
    status,
  });
}
