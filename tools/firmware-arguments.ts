/** The arguments that whatever builds firmware has in common: which keys it revokes, and what it must not be replaced by. */
import { readFileSync } from "node:fs";
import { readRevocationList } from "../protocol/keys/revocation-list.js";
import { explainFailure } from "./explain-failure.js";

/**
 * @param text `--security-version`
 * @throws {Error} for anything but a number of 32 bits
 */
export function readSecurityVersion(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= 0xffffffff) return Number(text);
  throw new Error(`Cannot build security version "${text}": it is a number from 0 on`);
}

/**
 * @param file `--revocations`, a list as `svc keys revoke` writes it
 * @returns the list in base64
 * @throws {Error} where it is none
 */
export async function readRevocations(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const bytes = await explainFailure(`read "${file}"`, () => readFileSync(file));
  readRevocationList(bytes);
  return bytes.toString("base64");
}
