/** The type of an `svc` command: a row of the table in commands.ts, which defines the command line and its help. */
import type { Device } from "../device-client/device.js";
import type { DeviceRoute } from "./device/device-route.js";
import type { Outcome, Output } from "./terminal/output.js";

export interface Command {
  /** Its words, such as `firmware pack`. */
  readonly name: string;
  /** What it does. */
  readonly summary: string;
  /** In their order. */
  readonly parameters: readonly Parameter[];
  /** Beside `--json`, which every command has. */
  readonly options: readonly Option[];
  /** It takes `--device` and `--token`, and opens a console. */
  readonly isForConsole?: boolean;
  /** As words of its parameters: it passes them on to another program. */
  readonly takesUnknownOptions?: boolean;
  /** What else is to be known, a paragraph each. */
  readonly notes?: readonly string[];
  /**
   * Whatever it throws is told on standard error, and ends `svc` with status 1; nothing where it has printed by itself.
   */
  readonly run: (call: Call) => Promise<Outcome | undefined>;
}

export interface Parameter {
  /** In capitals. */
  readonly name: string;
  readonly summary: string;
  /** May be left out; only the last one. */
  readonly isOptional?: boolean;
  /** Takes all that follows, in `lists`; only the last one. */
  readonly isRepeatable?: boolean;
  /** Names a file, which shells complete. */
  readonly isFile?: boolean;
  /** What it may be. */
  readonly choices?: readonly string[];
}

export interface Option {
  /** Without its dashes. */
  readonly name: string;
  /** What it takes, in capitals; left out: it is a flag. */
  readonly value?: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  readonly isFile?: boolean;
  readonly choices?: readonly string[];
}

export interface Call {
  /** Of parameters by their names, and of options by theirs as `deviceId`. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Options without a value that were given, as `isOpen` would be: `dryRun`. */
  readonly flags: ReadonlySet<string>;
  /** Of parameters that are repeatable. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Tells what the user should know, and goes on. */
  readonly warn: (text: string) => void;
  /** For outcomes that come one by one, notes, and progress. */
  readonly output: Output;
  /** Aborts when the user has had enough (Ctrl-C); svc closes what is deferred, and ends. */
  readonly signal: AbortSignal;
  /** Has something closed at the end, however that comes. */
  readonly defer: (close: () => void | Promise<void>) => void;
  /** The console that the options name or that is found, opened once. */
  readonly device: () => Promise<Device>;
  /** The same, for commands that open it themselves, repeatedly. */
  readonly way: () => Promise<DeviceRoute>;
}

/** Options of every command that is for a console. */
export const CONSOLE_OPTIONS: readonly Option[] = Object.freeze([
  {
    name: "device",
    value: "ADDRESS",
    summary:
      "address (http://…, usb:/dev/…) or name of the console; default: SVC_DEVICE, or the only console found",
  },
  {
    name: "token",
    value: "TOKEN",
    summary: "bearer token of the console, if it requires one over the network; default: SVC_DEVICE_TOKEN",
  },
]);

export const JSON_OPTION: Option = Object.freeze({
  name: "json",
  summary: "print the result as one line of JSON",
});

/** These may stand before the command, too. */
export const OPTIONS_ANYWHERE = Object.freeze([...CONSOLE_OPTIONS, JSON_OPTION]);

/** Before every command, and without one. */
export const VERSION_OPTION: Option = Object.freeze({ name: "version", summary: "print the version" });

/** All that a command takes. */
export function optionsOf({ options, isForConsole }: Command): readonly Option[] {
  return [...options, ...(isForConsole ? CONSOLE_OPTIONS : []), JSON_OPTION];
}

/** As it is written in help: `IMAGE`, `[QUERY]`, `[COMMAND...]`. */
export function parameterText({ name, isOptional, isRepeatable }: Parameter): string {
  const text = isRepeatable ? `${name}...` : name;
  return isOptional ? `[${text}]` : `<${text}>`;
}

/** `--key <PEM>`, `--follow`. */
export function optionText({ name, value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}
