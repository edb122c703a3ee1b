/** What the operating system says of a file, in the words of our messages. */
import { getSystemErrorMap } from "node:util";

/**
 * @template Result
 * @param {string} action such as `read "key.pem"`
 * @param {() => Result | Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws {Error} `Cannot read "key.pem": no such file or directory` for an error of the system's; others as they are
 */
export async function explainFailure(action, work) {
  try {
    return await work();
  } catch (cause) {
    const { errno } = /** @type {{ errno?: number }} */ (cause);
    const reason = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
    throw reason === undefined ? cause : new Error(`Cannot ${action}: ${reason}`, { cause });
  }
}
