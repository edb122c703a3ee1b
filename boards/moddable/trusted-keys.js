/**
 * The keys built into firmware. A board has no other source for its first keys, so it gets the development key
 * unless an option names another; a simulated console gets its first keys from the launcher.
 */
import path from "node:path";
import { checkTrustedKeys, DEVELOPMENT_KEYS, makeDevelopmentKeys } from "../../tools/trusted-keys.js";

/**
 * @typedef {object} FirmwareKeys
 * @property {string | undefined} pem left out: the console's stay as they are
 * @property {readonly string[]} news what to tell the user
 */

/**
 * @param {import("./sdk.js").Target} target
 * @param {string | undefined} file PEM
 * @param {string} [development] directory of the development key pair, which is made where it is missing
 * @returns {Promise<FirmwareKeys>}
 * @throws {Error} when `file` cannot be read or holds no key that a console trusts
 */
export async function keysFor(target, file, development = DEVELOPMENT_KEYS) {
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

/** As one would write it here. @param {string} file */
function shown(file) {
  const relative = path.relative("", file);
  return relative.startsWith("..") ? file : relative;
}
