/**
 * The script that the console is played (boards/rv32/kernel/script.h): what is sent to it, and what it has to say to that. A
 * step is what the meters tell of: it is done `count` times, and each time has so many `units` of what it is about.
 */

/**
 * What an answer has to be: a status, and of the members of its body at least these. Of a frame, its text.
 *
 * @typedef {{ readonly status: number, readonly body?: Readonly<Record<string, unknown>> }} ExpectedAnswer
 * @typedef {{ readonly text: RegExp } | { readonly closeCode: number }} ExpectedFrame
 */
/** @typedef {{ readonly does: "open", readonly channel: string, readonly port: number | "usb" }} Open */
/** @typedef {{ readonly does: "send", readonly channel: string, readonly bytes: Uint8Array }} Send */
/** @typedef {{ readonly does: "wait", readonly milliseconds: number }} Wait */
/** @typedef {{ readonly does: "close", readonly channel: string }} Close */
/**
 * @typedef {{ readonly does: "await", readonly channel: string, readonly what: "http" | "lines",
 *   readonly expected: readonly ExpectedAnswer[] }} AwaitAnswers
 */
/**
 * @typedef {{ readonly does: "await", readonly channel: string, readonly what: "frames",
 *   readonly expected: readonly ExpectedFrame[] }} AwaitFrames
 */
/**
 * @typedef {{ readonly does: "await", readonly channel: string, readonly what: "text",
 *   readonly text: string }} AwaitText
 */
/** @typedef {AwaitAnswers | AwaitFrames | AwaitText} Await */
/** @typedef {Open | Send | Wait | Close | Await} Command */
/**
 * @typedef {object} Step
 * @property {string} name
 * @property {number} count how often it is done
 * @property {string} unit what its figures are told for: `request`, `chunk`, `byte`
 * @property {number} units how many of them there are each time
 * @property {number} [bytes] of the module that it is about
 * @property {readonly Command[]} commands
 */

/** @param {readonly Step[]} steps @returns {Buffer} @throws {RangeError} for a name that the script cannot hold */
export function writeScript(steps) {
  return Buffer.concat(steps.flatMap(stepPieces));
}

/** @param {Step} step @returns {Buffer[]} */
function stepPieces({ name, count, commands }) {
  return [line("step", requireWord(name), count), ...commands.flatMap(commandPieces), line("end")];
}

/** @param {Command} command @returns {Buffer[]} */
function commandPieces(command) {
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

/** @param {readonly string[]} words @param {Uint8Array} bytes */
function withBytes(words, bytes) {
  return [line(...words, bytes.length), Buffer.from(bytes), line()];
}

/** @param {readonly (string | number)[]} words */
function line(...words) {
  return Buffer.from(`${words.join(" ")}\n`);
}

/** @param {string} name */
function requireWord(name) {
  if (!/^[a-z0-9-]+$/.test(name)) throw new RangeError(`Cannot write "${name}" into a script: it is no word`);
  return name;
}
