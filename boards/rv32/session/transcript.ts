/**
 * Reads the console's output (boards/rv32/kernel/script.h) step by step and compares it with the expected responses.
 * An unexpected response ends the run and is shown: figures of work that was not done are meaningless.
 */
import { inspect } from "node:util";
import { AnswerError, readAnswer, unexpected } from "./answers.js";
import type { Await, Step } from "./script.js";

/** The responses as text, by the name of the step. */
export type Answers = ReadonlyMap<string, readonly string[]>;
/** The output on each channel during a step. */
export type Said = ReadonlyMap<string, Buffer>;

/**
 * @returns by the name of the step
 * @throws {Error} for an invalid transcript
 */
export function readTranscript(transcript: Buffer): ReadonlyMap<string, Said> {
  const steps: Map<string, Map<string, Buffer>> = new Map();
  let said: Map<string, Buffer> = new Map();
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
    } else throw new Error(`Cannot read the transcript: "${line}" is not a line of it`);
  }
  return steps;
}

/**
 * @param steps that were played
 * @returns the responses in the order in which they were awaited
 * @throws {Error} for the first unexpected response
 */
export function checkTranscript(steps: readonly Step[], said: ReadonlyMap<string, Said>): Answers {
  return new Map(steps.map((step) => [step.name, checkStep(step, new Map(said.get(step.name)))]));
}

/** @param rest remaining output of each channel */
function checkStep({ name, count, commands }: Step, rest: Map<string, Buffer>): string[] {
  const awaits = commands.filter((command) => command.does === "await");
  const rounds = Array.from({ length: count }, () => awaits).flat();
  try {
    const answers = rounds.flatMap((command) => check(command, rest));
    for (const bytes of rest.values()) if (bytes.length > 0) throw unexpected(bytes, "nothing more");
    return answers;
  } catch (cause) {
    if (!(cause instanceof AnswerError)) throw cause;
    throw new Error(`Step "${name}": ${cause.message}`, { cause });
  }
}

/** @returns the response, which is removed from the rest */
function check(command: Await, rest: Map<string, Buffer>): string[] {
  const { channel, what } = command;
  let bytes = rest.get(channel) ?? Buffer.alloc(0);
  const answers: string[] = [];
  if (what === "text") bytes = bytes.subarray(endOf(command.text, bytes));
  else
    for (const expected of command.expected) {
      const { end, text, value } = readAnswer(what, bytes);
      if (!contains(value, expected)) throw unexpected(text, inspect(expected));
      bytes = bytes.subarray(end);
      answers.push(text);
    }
  rest.set(channel, bytes);
  return answers;
}

function endOf(text: string, bytes: Buffer): number {
  const at = bytes.indexOf(text);
  if (at < 0) throw unexpected(bytes, JSON.stringify(text));
  return at + Buffer.byteLength(text);
}

/** Whether `whole` contains everything in `part`; a pattern matches texts. */
function contains(whole: unknown, part: unknown): boolean {
  if (part instanceof RegExp) return typeof whole === "string" && part.test(whole);
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null) return false;
  const members = new Map(Object.entries(whole));
  return Object.entries(part).every(([name, value]) => contains(members.get(name), value));
}
