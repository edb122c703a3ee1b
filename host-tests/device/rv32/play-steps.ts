/** Plays the session of boards/rv32/session against a console, over its sockets and its USB port, as its kernel does on RV32. */
import { SerialPort } from "serialport";
import type { Await, Command, Step } from "../../../boards/rv32/session/script.js";
import type { Said } from "../../../boards/rv32/session/transcript.js";
import type { Console } from "../../hosts/simulator.js";
import { ArrivedBytes } from "../../sessions/arrived-bytes.js";
import { RawConnection } from "../../sessions/raw-connection.js";

interface Channel {
  readonly arrived: ArrivedBytes;
  send(bytes: Uint8Array): void;
  close(): void | Promise<void>;
}

type Addresses = Pick<Console, "http" | "ws" | "usb">;

/** @returns what the console has said, as the transcript of a board is read */
export async function playSteps(
  console: Addresses,
  steps: readonly Step[],
): Promise<ReadonlyMap<string, Said>> {
  const channels = new Map<string, Channel>();
  const transcript = new Map<string, Map<string, Buffer>>();
  for (const { name, count, commands } of steps) {
    const said = new Map<string, Buffer[]>();
    for (let round = 0; round < count; round++)
      for (const command of commands)
        await play(command, console, channels, said).catch((cause) => {
          throw new Error(`Cannot go on with "${name}"`, { cause });
        });
    transcript.set(name, new Map([...said].map(([channel, pieces]) => [channel, Buffer.concat(pieces)])));
  }
  return transcript;
}

async function play(
  command: Command,
  console: Addresses,
  channels: Map<string, Channel>,
  said: Map<string, Buffer[]>,
): Promise<void> {
  if (command.does === "wait") return; // what is awaited comes; the time of what does nothing is a board's to count
  const { channel: name } = command;
  if (command.does === "open") return void channels.set(name, await open(console, command.port));
  const channel = channels.get(name);
  if (!channel) throw new Error(`There is no channel "${name}"`);
  if (command.does === "send") return channel.send(command.bytes);
  if (command.does === "close") return channel.close();
  const pieces = said.get(name) ?? [];
  said.set(name, pieces);
  pieces.push(...(await awaited(command, channel.arrived)));
}

/** The console's own ports are not those that it has here. */
function open(console: Addresses, port: number | "usb"): Promise<Channel> {
  if (port === "usb") return openUsb(console.usb);
  return RawConnection.open(port === 8080 ? console.http : console.ws);
}

async function openUsb(path: string): Promise<Channel> {
  const port = new SerialPort({ path, baudRate: 115200, autoOpen: false });
  await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())));
  const arrived = new ArrivedBytes();
  port.on("data", (chunk: Buffer) => arrived.push(chunk));
  return {
    arrived,
    send: (bytes) => void port.write(Buffer.from(bytes)),
    close: () => new Promise<void>((resolve) => port.close(() => resolve())),
  };
}

async function awaited(command: Await, arrived: ArrivedBytes): Promise<readonly Buffer[]> {
  if (command.what === "text") {
    const { text } = command;
    return [await arrived.take((bytes) => after(bytes, text))];
  }
  const measure = MEASURES[command.what];
  const pieces: Buffer[] = [];
  for (const _ of command.expected) pieces.push(await arrived.take(measure));
  return pieces;
}

/** How many bytes the first of what has come takes, once that is known. */
const MEASURES = {
  http: (bytes: Buffer) => {
    const head = after(bytes, "\r\n\r\n");
    const length = /^content-length: ([0-9]+)\r$/m.exec(String(bytes.subarray(0, head)))?.[1];
    return head === undefined ? undefined : head + Number(length);
  },
  lines: (bytes: Buffer) => after(bytes, "\n"),
  frames: (bytes: Buffer) => {
    const [, second] = bytes;
    if (second === undefined || second < 126) return second === undefined ? undefined : 2 + second;
    return bytes.length < 4 ? undefined : 4 + bytes.readUInt16BE(2);
  },
};

function after(bytes: Buffer, text: string): number | undefined {
  const at = bytes.indexOf(text);
  return at < 0 ? undefined : at + Buffer.byteLength(text);
}
