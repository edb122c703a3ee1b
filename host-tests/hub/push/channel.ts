/** A device's end of the push channel, as a test drives it: message for message. */
import { WebSocket } from "ws";
import type { TestDevice } from "../api/people.js";
import { request } from "../hosts/request.js";

// biome-ignore lint/suspicious/noExplicitAny: tests check the members that they expect
export type Message = any;

export interface ChannelOptions {
  /** Below the origin. */
  readonly prefix?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the token is in `Authorization`, not in the path. */
  readonly isInField?: boolean;
}

export class Channel {
  readonly #socket: WebSocket;
  /** Everything that has come, in order. */
  readonly messages: Message[] = [];
  /** Settles with the close code. */
  readonly closed: Promise<number>;
  #read = 0;
  #waiting: (() => void)[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      this.messages.push(JSON.parse(String(data)));
      for (const look of this.#waiting.splice(0)) look();
    });
    socket.on("error", () => {}); // "close" follows
    this.closed = new Promise((resolve) =>
      socket.once("close", (code) => {
        resolve(code);
        for (const look of this.#waiting.splice(0)) look();
      }),
    );
  }

  /** @returns once the hub has sent whether the device is claimed, after which the device is online */
  static async open(origin: string, token: string, options: ChannelOptions = {}): Promise<Channel> {
    const { prefix = "", headers = {}, isInField = false } = options;
    const path = isInField ? "" : `/${token}`;
    const url = `${origin.replace("http", "ws")}${prefix}/ws/device${path}`;
    const bearer = isInField && { authorization: `Bearer ${token}` };
    const channel = new Channel(new WebSocket(url, { headers: { ...headers, ...bearer } }));
    await channel.next("device.claimed");
    return channel;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** The next unread message of this type; rejects when the channel ends first. */
  async next(type: string): Promise<Message> {
    for (;;) {
      const at = this.messages.findIndex((message, index) => index >= this.#read && message.type === type);
      if (at >= 0) {
        this.#read = at + 1;
        return this.messages[at];
      }
      if (this.#socket.readyState === WebSocket.CLOSED) throw new Error(`Ended before "${type}" came`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  send(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }

  sendRaw(data: string | Uint8Array): void {
    this.#socket.send(data);
  }

  /** Answers a command. */
  answer(command: Message, { success = true, error = null as string | null } = {}): void {
    const { type, command_id, app_id } = command;
    this.send({ type: `${type}.result`, command_id, app_id, success, error });
  }

  /** As a device that stays; settles when the hub has answered. */
  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }

  /** As a device that loses its power. */
  cut(): void {
    this.#socket.terminate();
  }

  /** Neither reads nor answers any more. */
  freeze(): void {
    this.#socket.pause();
  }
}

/** What the hub knows of the device, once it is as it should be: asked again until then. */
export async function eventually<Value>(
  look: () => Promise<Value>,
  isRight: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await look();
    if (isRight(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function recordOf(origin: string, { token }: Pick<TestDevice, "token">): Promise<Message> {
  return (await request(origin, "GET", "/devices/me", { token })).body;
}

export async function appsOf(
  origin: string,
  { token }: Pick<TestDevice, "token">,
): Promise<readonly Message[]> {
  return (await request(origin, "GET", "/devices/me/apps", { token })).body.apps;
}

export async function commandOf(origin: string, { token }: TestDevice, commandId: string): Promise<Message> {
  return (await request(origin, "GET", `/devices/me/commands/${commandId}`, { token })).body;
}

/** The command once it is over. */
export function ended(look: () => string, device: TestDevice, commandId: string): Promise<Message> {
  return eventually(
    () => commandOf(look(), device, commandId),
    ({ state }) => state !== "sent" && state !== "queued",
  );
}
