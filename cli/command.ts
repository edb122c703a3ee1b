/** The type of an `svc` command: a row of the table in commands.ts, which defines the command line and its help. */
import type { Device } from "../device-client/device.js";
import type { DeviceRoute } from "./device/device-route.js";
import type { Outcome, Output } from "./terminal/output.js";

export interface Command {
  /** One or more words, such as `firmware pack`. */
  readonly name: string;
  /** One sentence in the imperative. */
  readonly summary: string;
  /** Positional parameters, in order. */
  readonly parameters: readonly Parameter[];
  /** Options, without `--json`, which every command has. */
  readonly options: readonly Option[];
  /** Accepts `--device` and `--token`, and opens a console. */
  readonly isForConsole?: boolean;
  /** Treats unknown options as parameters, to pass them to another program. */
  readonly takesUnknownOptions?: boolean;
  /** Further help, one paragraph each. */
  readonly notes?: readonly string[];
  /**
   * Runs the command. Errors go to standard error and end `svc` with status 1. Returns `undefined` if it has printed its
   * results itself.
   */
  readonly run: (call: Call) => Promise<Outcome | undefined>;
}

export interface Parameter {
  /** Name in capitals. */
  readonly name: string;
  readonly summary: string;
  /** Optional; last parameter only. */
  readonly isOptional?: boolean;
  /** Accepts any number of values, in `lists`; last parameter only. */
  readonly isRepeatable?: boolean;
  /** A file name, which shells complete. */
  readonly isFile?: boolean;
  /** Accepted values. */
  readonly choices?: readonly string[];
}

export interface Option {
  /** Name without dashes. */
  readonly name: string;
  /** Placeholder of the value, in capitals; left out for a flag. */
  readonly value?: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  /** May be given several times; the values are in `lists`, by the name in camel case. */
  readonly isRepeatable?: boolean;
  readonly isFile?: boolean;
  readonly choices?: readonly string[];
}

export interface Call {
  /** Values of parameters by name, and of options by name in camel case: `deviceId`. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Given flags, in camel case: `dryRun`. */
  readonly flags: ReadonlySet<string>;
  /** Values of repeatable parameters and options. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Prints a warning; the command continues. */
  readonly warn: (text: string) => void;
  /** For several outcomes, notes, and progress. */
  readonly output: Output;
  /** Aborts when the user cancels (Ctrl-C); svc then runs the deferred closers, and ends. */
  readonly signal: AbortSignal;
  /** Registers a closer for the end of the command, whether it succeeds, fails or is cancelled. */
  readonly defer: (close: () => void | Promise<void>) => void;
  /** The console that the options name or that is found; opened once. */
  readonly device: () => Promise<Device>;
  /** The route to that console, for commands that open it themselves, repeatedly. */
  readonly way: () => Promise<DeviceRoute>;
}

/** Options of every command for a console. */
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

const JSON_OPTION: Option = Object.freeze({
  name: "json",
  summary: "print the result as one line of JSON",
});

/** Options that may also precede the command. */
export const OPTIONS_ANYWHERE = Object.freeze([...CONSOLE_OPTIONS, JSON_OPTION]);

/** Accepted before every command, and without one. */
export const VERSION_OPTION: Option = Object.freeze({ name: "version", summary: "print the version" });

/** @returns all options of a command */
export function optionsOf({ options, isForConsole }: Command): readonly Option[] {
  return [...options, ...(isForConsole ? CONSOLE_OPTIONS : []), JSON_OPTION];
}

/** Formats a parameter for help: `<IMAGE>`, `[QUERY]`, `[COMMAND...]`. */
export function parameterText({ name, isOptional, isRepeatable }: Parameter): string {
  const text = isRepeatable ? `${name}...` : name;
  return isOptional ? `[${text}]` : `<${text}>`;
}

/** Formats an option for help: `--key <PEM>`, `--follow`. */
export function optionText({ name, value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}
