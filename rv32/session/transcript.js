/**
 * What the console has said (rv32/kernel/script.h), read step by step and held against what it had to say. An answer
 * that is another one ends the run, with its text: figures of work that was not done are none.
 */
import { AnswerError, takeFrame, takeHttpAnswer, takeLine, takeText } from "./answers.js";

/** @typedef {import("./script.js").Step} Step */
/** @typedef {import("./script.js").Await} Await */
/** All that was said on each channel during a step. @typedef {ReadonlyMap<string, Buffer>} Said */

/**
 * @param {Buffer} transcript
 * @returns {ReadonlyMap<string, Said>} by the name of the step
 * @throws {Error} for what is no transcript
 */
export function readTranscript(transcript) {
  /** @type {Map<string, Map<string, Buffer>>} */
  const steps = new Map();
  /** @type {Map<string, Buffer>} */
  let said = new Map();
  for (let at = 0; at < transcript.length; ) {
    const end = transcript.indexOf("\n", at);
    const line = String(transcript.subarray(at, end < 0 ? transcript.length : end));
    const [word, name = "", length] = line.split(" ");
    at += line.length + 1;
    if (word === "step") {
      said = steps.get(name) ?? new Map();
      steps.set(name, said);
    } else if (word === "said" && length !== undefined && /^[0-9]+$/.test(length)) {
      const bytes = transcript.subarray(at, at + Number(length));
      at += Number(length) + 1;
      if (at > transcript.length) throw new Error(`Cannot read the transcript: it ends within "${line}"`);
      said.set(name, Buffer.concat([said.get(name) ?? Buffer.alloc(0), bytes]));
    } else throw new Error(`Cannot read the transcript: "${line}" is no line of it`);
  }
  return steps;
}

/**
 * @param {readonly Step[]} steps that were played
 * @param {ReadonlyMap<string, Said>} said
 * @throws {Error} for the first answer that is another one than was expected
 */
export function checkTranscript(steps, said) {
  for (const step of steps) checkStep(step, new Map(said.get(step.name)));
}

/** @param {Step} step @param {Map<string, Buffer>} rest what is left of each channel */
function checkStep({ name, count, commands }, rest) {
  const awaits = commands.filter((command) => command.does === "await");
  for (let round = 0; round < count; round++)
    for (const command of awaits)
      try {
        const taken = check(command, rest.get(command.channel) ?? Buffer.alloc(0));
        rest.set(command.channel, taken);
      } catch (cause) {
        if (!(cause instanceof AnswerError)) throw cause;
        throw new Error(`Step "${name}": ${cause.message}`, { cause });
      }
  for (const [channel, bytes] of rest)
    if (bytes.length > 0)
      throw new Error(`Step "${name}": nobody has waited for ${JSON.stringify(String(bytes))} (${channel})`);
}

/**
 * @param {Await} command
 * @param {Buffer} bytes
 * @returns {Buffer} what comes after it
 */
function check(command, bytes) {
  if (command.what === "text") return takeText(bytes, command.text);
  if (command.what === "frames") return command.expected.reduce(takeFrame, bytes);
  return command.expected.reduce(command.what === "http" ? takeHttpAnswer : takeLine, bytes);
}
