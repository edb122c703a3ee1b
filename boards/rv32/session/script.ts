/**
 * The script that is played to the console (boards/rv32/kernel/script.h): requests and expected responses. The meters
 * report each step: it runs `count` times, with `units` units of work each time.
 */

export type ExpectedAnswer = { readonly status: number; readonly body?: Readonly<Record<string, unknown>> };

export type ExpectedFrame = { readonly text: RegExp } | { readonly closeCode: number };
type Open = { readonly does: "open"; readonly channel: string; readonly port: number | "usb" };
type Send = { readonly does: "send"; readonly channel: string; readonly bytes: Uint8Array };
type Wait = { readonly does: "wait"; readonly milliseconds: number };
type Close = { readonly does: "close"; readonly channel: string };
type AwaitAnswers = {
  readonly does: "await";
  readonly channel: string;
  readonly what: "http" | "lines";
  readonly expected: readonly ExpectedAnswer[];
};
type AwaitFrames = {
  readonly does: "await";
  readonly channel: string;
  readonly what: "frames";
  readonly expected: readonly ExpectedFrame[];
};
type AwaitText = {
  readonly does: "await";
  readonly channel: string;
  readonly what: "text";
  readonly text: string;
};
export type Await = AwaitAnswers | AwaitFrames | AwaitText;
export type Command = Open | Send | Wait | Close | Await;
export interface Step {
  readonly name: string;
  /** Number of repetitions. */
  readonly count: number;
  /** The unit of its figures: `request`, `chunk`, `byte`. */
  readonly unit: string;
  /** Units in each repetition. */
  readonly units: number;
  /** Length of the step's module. */
  readonly bytes?: number;
  readonly commands: readonly Command[];
}

/** @throws {RangeError} for a name that the script cannot hold */
export function writeScript(steps: readonly Step[]): Buffer {
  return Buffer.concat(steps.flatMap(stepPieces));
}

function stepPieces({ name, count, commands }: Step): Buffer[] {
  return [line("step", requireWord(name), count), ...commands.flatMap(commandPieces), line("end")];
}

function commandPieces(command: Command): Buffer[] {
  if (command.does === "wait") return [line("wait", command.milliseconds)];
  const channel = requireWord(command.channel);
  switch (command.does) {
    case "open":
      return [line("open", channel, command.port)];
    case "send":
      return withBytes(["send", channel], command.bytes);
    case "close":
      return [line("close", channel)];
    case "await":
      if (command.what === "text") return withBytes(["await", channel, "text"], Buffer.from(command.text));
      return [line("await", channel, command.what, command.expected.length)];
  }
}

function withBytes(words: readonly string[], bytes: Uint8Array): Buffer<ArrayBuffer>[] {
  return [line(...words, bytes.length), Buffer.from(bytes), line()];
}

function line(...words: readonly (string | number)[]): Buffer<ArrayBuffer> {
  return Buffer.from(`${words.join(" ")}\n`);
}

function requireWord(name: string): string {
  if (!/^[a-z0-9-]+$/.test(name))
    throw new RangeError(`Cannot write "${name}" into a script: it is not a word`);
  return name;
}
