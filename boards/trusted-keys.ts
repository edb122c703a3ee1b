/**
 * The keys built into firmware. A board has no other source for its first keys, so it gets the development key
 * unless an option names another; a simulated console gets its first keys from the launcher.
 */
import path from "node:path";
import { checkTrustedKeys, DEVELOPMENT_KEYS, makeDevelopmentKeys } from "../tools/trusted-keys.js";
import type { Board } from "./boards.js";

interface FirmwareKeys {
  /** Undefined: the console keeps its keys. */
  readonly pem: string | undefined;
  /** Messages for the user. */
  readonly news: readonly string[];
}

/**
 * @param file PEM
 * @param development directory of the development key pair, which is created if it is missing
 * @throws {Error} if `file` cannot be read or holds no key that a console trusts
 */
export async function keysFor(
  target: "sim" | Board,
  file: string | undefined,
  development: string = DEVELOPMENT_KEYS,
): Promise<FirmwareKeys> {
  if (file !== undefined) {
    const { pem, problems } = await checkTrustedKeys(file);
    return { pem, news: problems.map((problem) => `${file}: ${problem}`) };
  }
  if (target === "sim") return { pem: undefined, news: [] };
  const publicKey = makeDevelopmentKeys(development);
  const { pem } = await checkTrustedKeys(publicKey);
  const privateKey = path.join(development, "publisher.pem");
  return {
    pem,
    news: [
      `the firmware brings the development key ${shown(publicKey)}; sign with ${shown(privateKey)}, or name others with --trusted-keys`,
    ],
  };
}

/** The path as the user would write it in the working directory. */
function shown(file: string): string {
  const relative = path.relative("", file);
  return relative.startsWith("..") ? file : relative;
}
