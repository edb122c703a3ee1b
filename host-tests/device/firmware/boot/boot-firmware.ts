/** Small firmware for the tests of the boot loader: prints its name and runs commands from a TCP connection. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { writeImage } from "../../../../tools/image.js";
import { signFor } from "../../../hosts/signed-slot.js";
import type { Console } from "../../../hosts/simulator.js";
import { connect } from "../../native/peers.js";
import { program } from "../../native/programs.js";

/**
 * Prints `NAME SLOT RESET-REASON RECORD` and then accepts commands: `stage` stages the image in the file `next.img`
 * with the signature in `next.img.signed`, `drop` drops it, the others do what their names say.
 *
 * @param atStart statements that run before anything else
 */
export function firmware(name: string, atStart = ""): string {
  return `
import files from "embedded:storage/files";
import slots from "svc/firmware-slots";

function signed() {
  const bytes = new Uint8Array(96);
  const file = files.openFile({ path: "next.img.signed" });
  const isSigned = file.read(bytes, 0) === bytes.length;
  file.close();
  return isSigned ? { signature: bytes.subarray(0, 64), publicKey: bytes.subarray(64) } : undefined;
}

function stage() {
  const file = files.openFile({ path: "next.img" });
  const updater = slots.open();
  const piece = new Uint8Array(1024);
  for (let offset = 0, count = 1; count > 0; offset += count) {
    count = file.read(piece, offset);
    updater.write(piece.subarray(0, count));
  }
  updater.complete(signed());
  updater.close();
  file.close();
}
${program(`
  ${atStart}
  const words = {
    stage,
    drop() { slots.open().close(); },
    confirm() { slots.confirm(); },
    revert() { slots.revert(); },
    restart() { system.restart(); },
    hang() { say("hanging"); for (;;); },
    throwLater() { timer.set(() => { throw new Error("on purpose"); }, 100); },
    throw() { throw new Error("on purpose"); },
    record() { say("record " + JSON.stringify(slots.record())); },
  };
  const listener = listen((from) => {
    new TCP({
      from,
      onReadable() {
        const word = String.fromCharCode(...new Uint8Array(this.read()));
        words[word]();
        this.write(Uint8Array.of(111, 107));
      },
    });
  });
  ports.httpPort = listener.port;
  say(["${name}", slots.running, system.resetReason, JSON.stringify(slots.record())].join(" "));
`)}`;
}

export const imageOf = (text: string, securityVersion = 0): Buffer =>
  writeImage({ program: text, securityVersion });

/**
 * Writes the files that `stage` reads.
 * @param signed signature and public key, concatenated; empty stages the image unsigned
 */
export function provide(state: string, image: Uint8Array, signed: Uint8Array = signFor(image)): void {
  mkdirSync(path.join(state, "lfs"), { recursive: true });
  writeFileSync(path.join(state, "lfs/next.img"), image);
  writeFileSync(path.join(state, "lfs/next.img.signed"), signed);
}

/** Sends a command, and settles once it has been executed. */
export async function send(console: Console, word: string): Promise<void> {
  const client = await connect(console.http);
  client.socket.write(word);
  await client.received.until((text) => text === "ok");
  client.socket.destroy();
}

/** Sends commands, of which the last ends the run. @returns the first line of the next run */
export async function sendAndAwait(
  console: Console,
  words: readonly string[],
  next: RegExp,
): Promise<string> {
  await console.waitForLine(next); // the line of this run, which may come after the console is ready
  const from = console.stderr.length;
  for (const word of words) {
    if (word === "throw") await sendUnanswered(console, word);
    else await send(console, word);
  }
  return console.waitForLine(next, from);
}

/** Sends a command that the firmware cannot answer, since it ends the run. */
export async function sendUnanswered(console: Console, word: string): Promise<void> {
  const client = await connect(console.http);
  client.socket.on("error", () => {});
  client.socket.write(word);
}
