/**
 * The configuration of ESP-IDF, which contains the firmware version, since an image reports it itself, and the
 * authorities that a hub's certificate is signed by.
 */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../tools/files.js";
import { type Board, configurationFiles, type Ethernet } from "./boards.js";

const VERSION = "CONFIG_APP_PROJECT_VER";

/**
 * Writes the board's configuration for firmware of that version.
 * @param directory for `SDKCONFIGPATH`
 * @param hubCa PEM file of the only authorities to trust; ESP-IDF's list if left out
 */
export async function writeBoardConfiguration(
  directory: string,
  version: string,
  board: Board,
  { ethernet, hubCa }: { readonly ethernet?: Ethernet | undefined; readonly hubCa?: string | undefined } = {},
): Promise<void> {
  const settings = await readBoardConfiguration(board, ethernet);
  if (!settings.has(VERSION)) throw new Error(`No version is in the configuration of ${board}`);
  settings.set(VERSION, `"${version}"`);
  if (hubCa !== undefined) for (const [name, value] of await trustOnly(hubCa)) settings.set(name, value);
  const lines = [...settings].map(([name, value]) => `${name}=${value}\n`);
  await replaceFile(path.join(directory, "sdkconfig.defaults"), lines.join(""));
}

/** @returns values by name. The SDK takes one line for each: so what the board sets replaces what all of them have. */
export async function readBoardConfiguration(
  board: Board,
  ethernet?: Ethernet,
): Promise<Map<string, string>> {
  const settings = new Map<string, string>();
  for (const file of configurationFiles(board, ethernet))
    for (const [, name, value] of (await readFile(file, "utf8")).matchAll(/^(CONFIG_\w+)=(.*)$/gm))
      settings.set(name as string, value as string);
  return settings;
}

/**
 * @param file PEM file of the only authorities to trust
 * @returns settings of ESP-IDF
 * @throws {Error} if it cannot be read, or holds anything but certificate authorities
 */
export async function trustOnly(file: string): Promise<readonly (readonly [name: string, value: string])[]> {
  const whole = path.resolve(file);
  const text = await readFile(whole, "utf8").catch((cause) => {
    throw new Error(`Cannot read "${whole}"`, { cause });
  });
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0 || !blocks.every(isAuthority))
    throw new Error(
      `"${whole}" is not a list of certificate authorities in PEM: a board trusts no single server`,
    );
  return [
    ["CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_FULL", "n"],
    ["CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_NONE", "y"],
    ["CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE", "y"],
    ["CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE_PATH", `"${whole}"`],
  ];
}

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false; // reported by the caller, with the file
  }
}
