/**
 * The lines of an app's sources by the offsets in its module that a trap has (docs/spec/apps.md#trap-lines): a file beside the
 * package. It is a source map (ECMA-426) whose columns are bytes of the module as a console prepares it, and which says
 * which app and which module it is of. Strangers send such files to hubs, so everything in them is bounded.
 */
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

/** Of a file. */
export const LINES_LIMIT_BYTES = 2 * 1024 * 1024;
const SOURCES_LIMIT = 10_000;
const NAMES_LIMIT = 10_000;
const TEXT_LIMIT = 1024;
const FORMAT_VERSION = 1;

/** @returns path of the lines of a package or module */
export function linesFileOf(file: string): string {
  return `${file}.lines`;
}

export interface LinesOwner {
  readonly app: string;
  readonly version: string;
  /** Of the package's `app.wasm`, in lower-case hexadecimal digits. */
  readonly moduleSha256: string;
}

export interface CodeLine {
  /** Byte of the prepared module from which on the code is of this line, up to the next one. */
  readonly offset: number;
  readonly file: string;
  /** From 1; 0: of no line. */
  readonly line: number;
  /** Of the function that begins here. */
  readonly name?: string;
}

/** @param lines in ascending order */
export function writeTrapLines(
  { app, version, moduleSha256 }: LinesOwner,
  lines: readonly CodeLine[],
): string {
  const sources = new Map<string, number>();
  const names = new Map<string, number>();
  const indexIn = (map: Map<string, number>, text: string) => {
    const index = map.get(text) ?? map.size;
    map.set(text, index);
    return index;
  };
  const segments = lines.map(({ offset, file, line, name }): SourceMapSegment => {
    if (line === 0) return [offset];
    const source = indexIn(sources, file);
    return name === undefined
      ? [offset, source, line - 1, 0]
      : [offset, source, line - 1, 0, indexIn(names, name)];
  });
  const file = {
    version: 3,
    sources: [...sources.keys()],
    names: [...names.keys()],
    mappings: encode([segments]),
    x_svc_lines: { version: FORMAT_VERSION, app, app_version: version, module_sha256: moduleSha256 },
  };
  return `${JSON.stringify(file)}\n`;
}

/** A function on the stack of a trap. */
export interface TrapFrame {
  readonly function: string;
  /** Left out where the file does not say. */
  readonly file?: string;
  readonly line?: number;
  /** The line is that of the function's start: the console does not know more. */
  readonly isStart?: true;
}

export class TrapLines {
  readonly owner: LinesOwner;
  readonly #sources: readonly string[];
  readonly #segments: readonly SourceMapSegment[];
  /** Of functions with a name of their own. */
  readonly #starts = new Map<string, SourceMapSegment | undefined>();

  /** @param segments in ascending order, with indexes that are in range */
  constructor(
    owner: LinesOwner,
    sources: readonly string[],
    names: readonly string[],
    segments: readonly SourceMapSegment[],
  ) {
    this.owner = owner;
    this.#sources = sources;
    this.#segments = segments;
    const consoleNames = names.map(consoleName);
    for (const segment of segments) {
      if (segment.length !== 5) continue;
      const name = consoleNames[segment[4]] as string;
      this.#starts.set(name, this.#starts.has(name) ? undefined : segment);
    }
  }

  /** @param frame as a console writes it: `name@1f2a`, or `name` alone */
  frame(frame: string): TrapFrame {
    const [, name = frame, digits] = FRAME.exec(frame) ?? [];
    if (digits === undefined) return this.#described(frame, this.#starts.get(frame), true);
    return this.#described(name, this.#segmentAt(Number.parseInt(digits, 16)), false);
  }

  #described(name: string, segment: SourceMapSegment | undefined, isStart: boolean): TrapFrame {
    if (!segment || segment.length === 1) return { function: name };
    const file = this.#sources[segment[1]] as string;
    return { function: name, file, line: segment[2] + 1, ...(isStart && { isStart }) };
  }

  #segmentAt(offset: number): SourceMapSegment | undefined {
    let first = 0; // that begins after the offset
    for (let end = this.#segments.length; first < end; ) {
      const middle = (first + end) >> 1;
      if ((this.#segments[middle] as SourceMapSegment)[0] > offset) end = middle;
      else first = middle + 1;
    }
    return this.#segments[first - 1];
  }
}

const FRAME = /^(.*)@([0-9a-f]{1,8})$/s;
/** A console cuts the names of functions (`GUEST_NAME_BYTES`), between characters. */
const NAME_BYTES = 63;

function consoleName(name: string): string {
  const bytes = Buffer.from(name);
  let end = Math.min(bytes.length, NAME_BYTES);
  while (end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

/**
 * @param segmentsLimit pieces of code with a line
 * @returns `undefined` for anything but lines of an app
 */
export function readTrapLines(text: string, segmentsLimit = LINES_LIMIT_BYTES): TrapLines | undefined {
  if (text.length > LINES_LIMIT_BYTES) return undefined;
  let file: Record<string, unknown>;
  try {
    file = Object(JSON.parse(text));
  } catch {
    return undefined;
  }
  const { version, sources, names, mappings } = file;
  const owner = readOwner(file["x_svc_lines"]);
  if (version !== 3 || !owner || typeof mappings !== "string") return undefined;
  if (!areTexts(sources, SOURCES_LIMIT) || !areTexts(names, NAMES_LIMIT)) return undefined;
  if (!/^[A-Za-z0-9+/,]*$/.test(mappings)) return undefined; // one line of the module
  if (mappings.split(",", segmentsLimit + 1).length > segmentsLimit) return undefined;
  const segments = decode(mappings)[0] ?? [];
  if (!segments.every((segment, at) => isInRange(segment, segments[at - 1], sources.length, names.length)))
    return undefined;
  return new TrapLines(owner, sources, names, segments);
}

function readOwner(value: unknown): LinesOwner | undefined {
  const { version, app, app_version, module_sha256 } = Object(value) as Record<string, unknown>;
  if (version !== FORMAT_VERSION || !isText(app) || !isText(app_version) || !isText(module_sha256))
    return undefined;
  if (!/^[0-9a-f]{64}$/.test(module_sha256)) return undefined;
  return { app, version: app_version, moduleSha256: module_sha256 };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= TEXT_LIMIT;
}

function areTexts(value: unknown, limit: number): value is string[] {
  return Array.isArray(value) && value.length <= limit && value.every(isText);
}

function isInRange(
  segment: SourceMapSegment,
  before: SourceMapSegment | undefined,
  sources: number,
  names: number,
): boolean {
  const [offset, source = 0, line = 0, , name] = segment;
  if (!(offset >= (before?.[0] ?? 0)) || (segment.length > 1 && !(source >= 0 && source < sources)))
    return false;
  return line >= 0 && line < 2 ** 31 && (name === undefined || (name >= 0 && name < names));
}

/** `"tetris" ended: trap: integer divide by zero in drop@1f2a < main@2c0` */
const TRAP = /^"([^"]*)" ended: trap: .*? in (?=\S)(.*)$/s;
const BETWEEN = " < ";

/**
 * @param message of the console's log
 * @returns the stack of the trap that it tells of; `undefined` for any other message, and for another app
 */
export function trapFrames(message: string, lines: TrapLines): readonly TrapFrame[] | undefined {
  const [, app, stack = ""] = TRAP.exec(message) ?? [];
  return app === lines.owner.app ? stack.split(BETWEEN).map((frame) => lines.frame(frame)) : undefined;
}

/** Whether the message tells of a trap with a stack. */
export function isTrap(message: string): boolean {
  return TRAP.test(message);
}

/** The message with files and lines in place of offsets; any other one as it is. */
export function withLines(message: string, lines: TrapLines): string {
  const frames = trapFrames(message, lines);
  if (!frames) return message;
  const stack = (TRAP.exec(message) as RegExpExecArray)[2] as string;
  return message.slice(0, message.length - stack.length) + frames.map(frameText).join(BETWEEN);
}

function frameText({ function: name, file, line, isStart }: TrapFrame): string {
  if (file === undefined) return name;
  return isStart ? `${name} (from ${file}:${line})` : `${name} (${file}:${line})`;
}
