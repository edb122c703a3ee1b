/**
 * The configuration of ESP-IDF, which contains the firmware version, since an image reports it itself, and the
 * authorities that a hub's certificate is signed by.
 */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../tools/files.js";

const FILE = path.join(import.meta.dirname, "../../device/hosts/esp32/sdkconfig/sdkconfig.defaults");
const VERSION = /^(CONFIG_APP_PROJECT_VER)=.*$/m;

/**
 * Writes the board's configuration for firmware of that version.
 * @param directory for `SDKCONFIGPATH`
 * @param hubCa PEM file of the only authorities to trust; ESP-IDF's list if left out
 */
export async function writeBoardConfiguration(
  directory: string,
  version: string,
  hubCa?: string,
): Promise<void> {
  const text = await readFile(FILE, "utf8");
  if (!VERSION.test(text)) throw new Error(`No version is in "${FILE}"`);
  const authorities = hubCa === undefined ? "" : await trustOnly(path.resolve(hubCa));
  await replaceFile(
    path.join(directory, path.basename(FILE)),
    text.replace(VERSION, `$1="${version}"`) + authorities,
  );
}

/** @returns lines of configuration, of which the last one for an option holds */
async function trustOnly(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new Error(`Cannot read "${file}"`, { cause });
  });
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0 || !blocks.every(isAuthority))
    throw new Error(
      `"${file}" is not a list of certificate authorities in PEM: a board trusts no single server`,
    );
  return [
    "",
    "CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_FULL=n",
    "CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_NONE=y",
    "CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE=y",
    `CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE_PATH="${file}"`,
    "",
  ].join("\n");
}

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false; // reported by the caller, with the file
  }
}
