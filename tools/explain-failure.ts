/** What the operating system says of a file, in the words of our messages. */
import { getSystemErrorMap } from "node:util";

/**
 * @param action such as `read "key.pem"`
 * @throws {Error} `Cannot read "key.pem": no such file or directory` for an error of the system's; others as they are
 */
export async function explainFailure<Result>(
  action: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const { errno } = cause as { errno?: number };
    const reason = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
    throw reason === undefined ? cause : new Error(`Cannot ${action}: ${reason}`, { cause });
  }
}
