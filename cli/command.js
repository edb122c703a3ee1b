/** The type of an `svc` command: a row of the table in commands.js, which defines the command line and its help. */

/**
 * @typedef {object} Command
 * @property {string} name its words, such as `firmware pack`
 * @property {string} summary what it does
 * @property {readonly Parameter[]} parameters in their order
 * @property {readonly Option[]} options beside `--json`, which every command has
 * @property {boolean} [isForConsole] it takes `--device` and `--token`, and opens a console
 * @property {boolean} [takesUnknownOptions] as words of its parameters: it passes them on to another program
 * @property {readonly string[]} [notes] what else is to be known, a paragraph each
 * @property {(call: Call) => Promise<Outcome | undefined>} run
 *   whatever it throws is told on standard error, and ends `svc` with status 1; nothing where it has printed by itself
 */

/**
 * @typedef {object} Parameter
 * @property {string} name in capitals
 * @property {string} summary
 * @property {boolean} [isOptional] may be left out; only the last one
 * @property {boolean} [isRepeatable] takes all that follows, in `lists`; only the last one
 * @property {boolean} [isFile] names a file, which shells complete
 * @property {readonly string[]} [choices] what it may be
 */

/**
 * @typedef {object} Option
 * @property {string} name without its dashes
 * @property {string} [value] what it takes, in capitals; left out: it is a flag
 * @property {string} summary
 * @property {boolean} [isRequired]
 * @property {boolean} [isFile]
 * @property {readonly string[]} [choices]
 */

/**
 * @typedef {object} Call
 * @property {Readonly<Record<string, string | undefined>>} values of parameters by their
 *   names, and of options by theirs as `deviceId`
 * @property {ReadonlySet<string>} flags options without a value that were given, as `isOpen` would be: `dryRun`
 * @property {Readonly<Record<string, readonly string[]>>} lists of parameters that are repeatable
 * @property {(text: string) => void} warn tells what the user should know, and goes on
 * @property {import("./terminal/output.js").Output} output for outcomes that come one by one, notes, and progress
 * @property {AbortSignal} signal aborts when the user has had enough (Ctrl-C); svc closes what is deferred, and ends
 * @property {(close: () => void | Promise<void>) => void} defer has something closed at the end, however that comes
 * @property {() => Promise<Device>} device the console that the options name or that is found, opened once
 * @property {() => Promise<DeviceRoute>} way the same, for commands that open it themselves, repeatedly
 */

/** @typedef {import("../device-client/device.ts").Device} Device */
/** @typedef {import("./device/device-route.js").DeviceRoute} DeviceRoute */

/**
 * @typedef {object} Outcome
 * @property {string} [text] lines for people; left out: there is nothing to say
 * @property {unknown} json the same for programs, with `--json`
 */

/** Options of every command that is for a console. @type {readonly Option[]} */
export const CONSOLE_OPTIONS = Object.freeze([
  {
    name: "device",
    value: "ADDRESS",
    summary: "http://…, usb:/dev/…, or the console's name; by default SVC_DEVICE, or the one that is found",
  },
  {
    name: "token",
    value: "TOKEN",
    summary: "for a console in the network that asks for one; by default SVC_DEVICE_TOKEN",
  },
]);

/** @type {Option} */
export const JSON_OPTION = Object.freeze({ name: "json", summary: "print the outcome as one line of JSON" });

/** These may stand before the command, too. */
export const OPTIONS_ANYWHERE = Object.freeze([...CONSOLE_OPTIONS, JSON_OPTION]);

/** Before every command, and without one. @type {Option} */
export const VERSION_OPTION = Object.freeze({ name: "version", summary: "print the version" });

/** All that a command takes. @param {Command} command @returns {readonly Option[]} */
export function optionsOf({ options, isForConsole }) {
  return [...options, ...(isForConsole ? CONSOLE_OPTIONS : []), JSON_OPTION];
}

/** As it is written in help: `IMAGE`, `[QUERY]`, `[COMMAND...]`. @param {Parameter} parameter */
export function parameterText({ name, isOptional, isRepeatable }) {
  const text = isRepeatable ? `${name}...` : name;
  return isOptional ? `[${text}]` : `<${text}>`;
}

/** `--key <PEM>`, `--follow`. @param {Option} option */
export function optionText({ name, value }) {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}
