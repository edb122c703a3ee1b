/**
 * The steps of `svc board check`. They use what any client may: the endpoints. None deletes or
 * changes anything on the console, except that it restarts, and that the last two try the firmware that the user names,
 * whose trial they end.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Device } from "../../device-client/device.js";
import type { Transport } from "../../device-client/transport.js";
import type { SystemInfo } from "../../protocol/device/answers.js";
import type { Call } from "../command.js";
import { restart } from "../console/restart.js";
import { sendFile } from "../console/send-file.js";
import { codeOf, deviceError, loadClient, openAddress } from "../device/client.js";
import { writeOutput } from "../files.js";
import { bytesText, durationText } from "../terminal/format.js";
import type { Questions } from "../terminal/questions.js";
import { type MemoryState, type StepName, type StepReport, TEXT_LIMIT } from "./board-report.js";

export interface Firmware {
  readonly file: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

type Finding = Omit<StepReport, "name">;

interface CheckOptions {
  readonly call: Call;
  readonly questions: Questions;
  /** At its USB port. */
  readonly device: Device;
  readonly system: SystemInfo;
  /** Address of its HTTP server; `undefined`: the one that it tells. */
  readonly http: string | undefined;
  /** File for a picture of the display. */
  readonly picture: string;
  /** To try and roll back. */
  readonly firmware: Firmware | undefined;
  /** Free memory is to be read now. */
  readonly onState: (state: MemoryState, system: SystemInfo) => void;
}

const PASSED: Finding = Object.freeze({ result: "passed" });
const ABSENT: Finding = Object.freeze({ result: "absent" });
const skipped = (note: string): Finding => ({ result: "skipped", note });
const failed = (note: string): Finding => ({ result: "failed", note: note.slice(0, TEXT_LIMIT) });

/** Time until a console tells by HTTP that its USB port was closed, and pause between looks. */
const CLOSED_LIMIT_MS = 5000;
const CLOSED_PAUSE_MS = 200;
/** Of a request to the address that it tells: a network that does not lead there gives no answer. */
const HTTP_LIMIT_MS = 5000;

export class BoardCheck {
  readonly #options: CheckOptions;
  #device: Device;
  /** The console's HTTP server, once a step has reached it. */
  #overHttp: Device | undefined;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#device = options.device;
  }

  /** Errors of the console are findings; only the user's cancelling and a lost console end the check. */
  async perform(name: StepName): Promise<Finding> {
    try {
      return await this.#steps[name]();
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined || code === "cancelled" || this.#options.call.signal.aborted) throw error;
      this.#options.call.output.note((error as Error).message); // not in the report: it may have addresses
      if (LOST.includes(code)) await this.#reopen();
      return failed(code);
    }
  }

  readonly #steps: Readonly<Record<StepName, () => Promise<Finding>>> = {
    usb: async () => {
      const { usb_connected } = this.#options.system;
      return usb_connected ? PASSED : failed("the console does not see that its port is open");
    },
    psram: async () => {
      const { psram } = this.#options.system;
      return psram ? { ...PASSED, note: bytesText(psram.total_bytes) } : ABSENT;
    },
    panel: () =>
      this.#ask(
        "Does the display show the home screen, whole and sharp, neither mirrored nor upside down, without noise?",
      ),
    colours: async () => {
      const { call, picture } = this.#options;
      await writeOutput(picture, await this.#device.screen(call.signal));
      return this.#ask(`Compare the display with ${picture}. Does it show the same colours?`);
    },
    buttons: () =>
      this.#ask(
        "Press each button on the board: up, down, left, right, A, B, X, Y, start, select. Does the home screen react to each, once a press?",
      ),
    card: () => this.#card(),
    sound: () =>
      this.#ask(
        "Start an app with sound on the board (such as the example `beats`), if it has a loudspeaker. Do you hear it, without cracks?",
      ),
    wifi: async () => {
      const { networks } = await this.#device.scanWifi();
      this.#sample("scan", await this.#device.system());
      const [strongest] = networks;
      if (!strongest) return failed("no network was found");
      return { ...PASSED, note: `${networks.length} networks, the strongest with ${strongest.rssi} dBm` };
    },
    network: () => this.#network(),
    dtr: () => this.#dtr(),
    restart: async () => {
      const held = await this.#heldBack();
      if (held) return held;
      const beginMs = performance.now();
      const system = await this.#restart();
      this.#sample("restart", system);
      const { reset_reason } = system;
      const took = durationText(performance.now() - beginMs);
      return reset_reason === "software" ? { ...PASSED, note: `back after ${took}` } : endedBy(reset_reason);
    },
    update: () => this.#update(),
    rollback: async () => {
      const { state, running_version } = await this.#device.otaStatus();
      if (!this.#options.firmware || state !== "pending_confirm") return skipped("no firmware is on trial");
      const { reset_reason } = await this.#restart();
      const { last_result, running_version: now } = await this.#device.otaStatus();
      const isBack = last_result?.result === "rolled_back" && reset_reason === "rollback";
      return isBack ? { ...PASSED, note: `${running_version} to ${now}` } : endedBy(reset_reason);
    },
  };

  /** A no asks for what the user saw, which is worth more than the no. */
  async #ask(question: string): Promise<Finding> {
    const { questions } = this.#options;
    const reply = await questions.ask(question);
    if (reply === "yes") return PASSED;
    if (reply === "skip") return { result: "skipped" };
    const seen = await questions.line("What do you see or hear? In one line:");
    return seen === "" ? { result: "failed" } : failed(seen);
  }

  async #card(): Promise<Finding> {
    const { questions, system } = this.#options;
    if (!system.features.includes("sd")) return ABSENT;
    const reply = await questions.ask("Put a card with a FAT file system into the slot. Is there one?");
    if (reply !== "yes") return { result: "skipped" };
    const held = await this.#heldBack();
    if (held) return held;
    const { card_apps } = await this.#restart(); // which reads the card
    return card_apps
      ? { ...PASSED, note: `${card_apps.files} app files` }
      : failed("no card is found at a start");
  }

  async #network(): Promise<Finding> {
    const { http, call, system } = this.#options;
    const { wifi_ip } = await this.#device.status();
    if (wifi_ip === "")
      return skipped("no network; `svc wifi join` joins one, then go on with `svc board check --continue`");
    const { token } = await this.#device.accessToken();
    const { Device } = await loadClient();
    const transport = await openAddress(http ?? `http://${wifi_ip}:${system.http_port}`, { token });
    call.defer(() => transport.close());
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(HTTP_LIMIT_MS)]);
    const found = await reached(new Device(transport).system(signal), call);
    if (found === undefined) return failed("its address does not answer from this computer");
    if (found.mac !== system.mac) return failed("another console answers at its address");
    this.#overHttp = new Device(transport);
    this.#sample("http", found);
    return PASSED;
  }

  /** A console that does not see that its port was closed mixes the lines of two programs. */
  async #dtr(): Promise<Finding> {
    if (!this.#overHttp) await this.#network();
    const overHttp = this.#overHttp;
    if (!overHttp) return skipped("it is seen over the network, which was not reached");
    await this.#device.transport.close();
    const beginMs = performance.now();
    let isSeen = false;
    while (!isSeen && performance.now() - beginMs < CLOSED_LIMIT_MS) {
      isSeen = !(await overHttp.system(this.#options.call.signal)).usb_connected;
      if (!isSeen) await pause(CLOSED_PAUSE_MS, undefined, { signal: this.#options.call.signal });
    }
    await this.#reopen();
    return isSeen ? PASSED : failed("the console does not see that its port was closed");
  }

  async #update(): Promise<Finding> {
    const { call, firmware } = this.#options;
    if (!firmware) return skipped("no bundle was named by --firmware");
    const held = await this.#heldBack();
    if (held) return held;
    const staged = await sendFile(call, {
      file: firmware.file,
      totalBytes: firmware.bytes.length,
      tells: "svc ota status",
      send: (onProgress) => this.#device.otaUpload({ file: firmware.bytes, onProgress, signal: call.signal }),
    });
    const { reset_reason } = await this.#restart();
    const { state, running_version } = await this.#device.otaStatus();
    const isTried = state === "pending_confirm" && running_version === staged.staged_version;
    return isTried ? { ...PASSED, note: `${running_version} on trial` } : endedBy(reset_reason);
  }

  /** A restart would end a trial, or start what somebody has staged. */
  async #heldBack(): Promise<Finding | undefined> {
    const { state } = await this.#device.otaStatus();
    return state === "idle" ? undefined : skipped(`the firmware's state is ${state}`);
  }

  async #restart(): Promise<SystemInfo> {
    this.#device = await restart(this.#options.call, this.#device);
    return this.#device.system();
  }

  async #reopen(): Promise<void> {
    const { call, system } = this.#options;
    await this.#device.transport.close();
    const { Device } = await loadClient();
    const transport: Transport = await (await call.way()).open(call.signal);
    call.defer(() => transport.close());
    this.#device = await Device.identify(transport, call.signal);
    const { mac } = await this.#device.system();
    if (mac !== system.mac) throw await deviceError("device_lost", "Another console is at the port now");
  }

  #sample(state: MemoryState, system: SystemInfo): void {
    this.#options.onState(state, system);
  }
}

/** Codes after which the port is opened again. */
const LOST: readonly string[] = Object.freeze(["device_lost", "device_timeout"]);

function endedBy(reason: string): Finding {
  return failed(`the console has started with reset reason ${reason}`);
}

/** @returns `undefined` if nothing answers */
async function reached<Answer>(answer: Promise<Answer>, { signal }: Call): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}
