/** What a command of `svc` is: a row of the table in commands.js, from which the command line and its help are made. */

/**
 * @typedef {object} Command
 * @property {string} name its words, such as `firmware pack`
 * @property {string} summary what it does
 * @property {readonly Parameter[]} parameters in their order
 * @property {readonly Option[]} options beside `--json`, which every command has
 * @property {(call: Call) => Promise<Outcome>} run
 *   whatever it throws is told on standard error, and ends `svc` with status 1
 */

/**
 * @typedef {object} Parameter
 * @property {string} name in capitals
 * @property {string} summary
 * @property {boolean} [isOptional] may be left out; only the last one
 */

/**
 * @typedef {object} Option
 * @property {string} name without its dashes
 * @property {string} value what it takes, in capitals
 * @property {string} summary
 * @property {boolean} [isRequired]
 */

/**
 * @typedef {object} Call
 * @property {Readonly<Record<string, string | undefined>>} values of parameters by their
 *   names, and of options by theirs as `deviceId`
 * @property {(text: string) => void} warn tells what the user should know, and goes on
 */

/**
 * @typedef {object} Outcome
 * @property {string} text a line for people
 * @property {object} json the same for programs, with `--json`
 */

export {};
