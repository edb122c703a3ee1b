/** Small firmware for the tests of the boot loader: it says who it is, and does as it is told. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { writeImage } from "../../../../tools/image.js";
import { signFor } from "../../../hosts/signed-slot.js";
import type { Console } from "../../../hosts/simulator.js";
import { connect } from "../../native/peers.js";
import { program } from "../../native/programs.js";

/**
 * Says `NAME SLOT RESET-REASON RECORD` once it listens for a word: `stage` takes the image in the file
 * `next.img`, signed as the file `next.img.signed` has it, `drop` takes it back, the rest do what they are called.
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
 * Puts what `stage` is to take where it looks for it.
 * @param signed signature and public key, one after the other; empty: it is staged without
 */
export function provide(state: string, image: Uint8Array, signed: Uint8Array = signFor(image)): void {
  mkdirSync(path.join(state, "lfs"), { recursive: true });
  writeFileSync(path.join(state, "lfs/next.img"), image);
  writeFileSync(path.join(state, "lfs/next.img.signed"), signed);
}

/** Says a word, which has been obeyed once this has settled. */
export async function tell(console: Console, word: string): Promise<void> {
  const client = await connect(console.http);
  client.socket.write(word);
  await client.received.until((text) => text === "ok");
  client.socket.destroy();
}

/** Says words of which the last ends the run; @returns the first line of the next run */
export async function tellAndSee(console: Console, words: readonly string[], next: RegExp): Promise<string> {
  await console.waitForLine(next); // that of this run, which may come after the console is ready
  const from = console.stderr.length;
  for (const word of words) {
    if (word === "throw") await sayOnly(console, word);
    else await tell(console, word);
  }
  return console.waitForLine(next, from);
}

/** A word that the firmware does not live to answer. */
export async function sayOnly(console: Console, word: string): Promise<void> {
  const client = await connect(console.http);
  client.socket.on("error", () => {});
  client.socket.write(word);
}
