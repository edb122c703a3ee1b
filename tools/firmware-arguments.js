/** The arguments that whatever builds firmware has in common: which keys it revokes, and what it must not be replaced by. */
import { readFileSync } from "node:fs";
import { explainFailure } from "./explain-failure.js";
import { loadTypeScript } from "./load-typescript.js";

/**
 * @param {string | undefined} text `--security-version`
 * @returns {number | undefined}
 * @throws {Error} for anything but a number of 32 bits
 */
export function readSecurityVersion(text) {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= 0xffffffff) return Number(text);
  throw new Error(`Cannot build security version "${text}": it is a number from 0 on`);
}

/**
 * @param {string | undefined} file `--revocations`, a list as `svc keys revoke` writes it
 * @returns {Promise<string | undefined>} the list in base64
 * @throws {Error} where it is none
 */
export async function readRevocations(file) {
  if (file === undefined) return undefined;
  /** @type {typeof import("../protocol/keys/revocation-list.ts")} */
  const { readRevocationList } = await loadTypeScript(["protocol/keys/revocation-list.ts"]);
  const bytes = await explainFailure(`read "${file}"`, () => readFileSync(file));
  readRevocationList(bytes);
  return bytes.toString("base64");
}
