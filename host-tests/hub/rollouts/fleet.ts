/** Consoles and their account, as far as a hub sees them: registered, claimed, and told what to do over a WebSocket. */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import WebSocket from "ws";
import type { HubUnderTest } from "../hosts/hub-under-test.js";
import { type Answer, request } from "../hosts/request.js";

/** Pause between rounds through all processes. */
const RETRY_MS = 100;

export interface DeviceFacts {
  readonly name: string;
  readonly arch: string;
  readonly firmware_version: string;
}

export interface RegisteredDevice extends DeviceFacts {
  readonly token: string;
  readonly deviceId: string;
  readonly claimCode: string;
}

export async function registerDevice(
  hub: HubUnderTest,
  facts: Partial<DeviceFacts> = {},
): Promise<RegisteredDevice> {
  const token = randomUUID();
  const octets = Buffer.concat([Buffer.of(2), randomBytes(5)]);
  const mac = octets
    .toString("hex")
    .toUpperCase()
    .replace(/..(?=.)/g, "$&:");
  const binding = createHmac("sha256", octets).update(token).digest("hex");
  const known = { name: "Console", arch: "native", firmware_version: "0.1.0", ...facts };
  const json = { device_token: token, mac, binding, ...known };
  const { body } = succeed(await request(hub.origin, "POST", "/devices/register", { json }));
  return { ...known, token, deviceId: body.device_id, claimCode: body.claim_code };
}

/** @returns its token */
export async function newAccount(hub: HubUnderTest): Promise<string> {
  const { body } = succeed(await request(hub.origin, "POST", "/accounts", { json: {} }));
  return body.account_token;
}

/** Registered, and held by the account. */
export async function newDevice(
  hub: HubUnderTest,
  account: string,
  facts?: Partial<DeviceFacts>,
): Promise<RegisteredDevice> {
  const device = await registerDevice(hub, facts);
  const json = { claim_code: device.claimCode };
  succeed(await request(hub.origin, "POST", "/account/devices", { token: account, json }));
  return device;
}

/** @throws {Error} for any rejection, which the test does not expect */
export function succeed(answer: Answer): Answer {
  if (answer.status < 300) return answer;
  throw new Error(`The hub refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
}

// biome-ignore lint/suspicious/noExplicitAny: tests check the members that they expect
export type Message = any;

/** A console's result for a command; `undefined` for none yet. */
export type Behaviour = (
  message: Message,
) => { readonly success: boolean; readonly error?: string } | undefined;

export const SUCCEEDS: Behaviour = () => ({ success: true });
export const NEVER_ANSWERS: Behaviour = () => undefined;
export const failsWith =
  (error: string): Behaviour =>
  () => ({ success: false, error });

/** A console that is connected, and connects elsewhere when its process ends. */
export class Console {
  readonly device: RegisteredDevice;
  /** Commands that have come, repetitions included. */
  readonly commands: Message[] = [];
  behaviour: Behaviour;
  readonly #origins: () => readonly string[];
  #socket: WebSocket | undefined;
  #isClosed = false;
  #waiting: (() => void)[] = [];

  private constructor(device: RegisteredDevice, behaviour: Behaviour, origins: () => readonly string[]) {
    this.device = device;
    this.behaviour = behaviour;
    this.#origins = origins;
  }

  /** @param origins where it may connect to: the first that takes it */
  static async connect(
    device: RegisteredDevice,
    behaviour: Behaviour,
    origins: () => readonly string[],
  ): Promise<Console> {
    const console = new Console(device, behaviour, origins);
    await console.#connect();
    return console;
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Settles once a command has come, at once where one has. */
  async told(): Promise<Message> {
    while (this.commands.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.commands.at(-1);
  }

  /** Answers the last command that came. */
  answer(result: { readonly success: boolean; readonly error?: string }): void {
    this.#socket?.send(JSON.stringify(resultOf(this.commands.at(-1), result)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#socket || this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  /** Goes through the origins until one takes the console, as consoles do, or until it is closed. */
  async #connect(): Promise<void> {
    while (!this.#isClosed) {
      for (const origin of this.#origins()) if (await this.#connectTo(origin)) return;
      await setTimeout(RETRY_MS); // every process is ending or starting
    }
  }

  /** @returns whether the process takes it */
  async #connectTo(origin: string): Promise<boolean> {
    const socket = new WebSocket(`${origin.replace("http", "ws")}/ws/device/${this.device.token}`);
    this.#socket = socket; // a command may come with the end of the handshake, and is answered at once
    socket.on("message", (data) => this.#take(JSON.parse(data.toString())));
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("open", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (!isOpen) return false;
    socket.on("error", () => {
      // "close" follows, which is what matters.
    });
    socket.once("close", () => void this.#connect());
    if (this.#isClosed) socket.close();
    return true;
  }

  #take(message: Message): void {
    if (message.command_id === undefined || message.type === "token.rotate") return;
    this.commands.push(message);
    const result = this.behaviour(message);
    if (result) this.answer(result);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function resultOf(
  message: Message,
  { success, error = null }: { readonly success: boolean; readonly error?: string | null },
) {
  const { command_id, type, app_id, version } = message;
  if (type === "firmware.update")
    return {
      type: "firmware.update.result",
      command_id,
      version,
      success,
      error,
      state: success ? "confirmed" : "rejected",
    };
  return { type: `${type}.result`, command_id, app_id, success, error };
}
