/** An AOT file, which is attached to the installed app of its name. */
import { Fault } from "../../../protocol/fault.js";
import { readVariantArchitecture, VARIANT_HEAD_BYTES } from "../../../protocol/variant-architecture.js";
import type { AppEntry } from "./app-entry.js";
import type { InstallContext } from "./install-job.js";
import { DEFAULT_NAME } from "./limits.js";

/** @throws {Fault} `app_not_found`, `variant_invalid`, `storage_full` */
export async function installVariant(context: InstallContext): Promise<AppEntry> {
  const { apps, files, logger, origin, path } = context;
  const name = origin.name ?? DEFAULT_NAME;
  if (!apps.has(name))
    throw new Fault("app_not_found", `No app is named "${name}", to attach an AOT file to`);
  const head = new Uint8Array(VARIANT_HEAD_BYTES);
  const file = files.openFile({ path, mode: "r+" });
  try {
    const architecture = readVariantArchitecture(head.subarray(0, file.read(head, 0)));
    file.flush();
    const entry = await apps.attach(name, { architecture, path });
    logger.info(`installed an AOT file of "${name}" for ${architecture}`);
    return entry;
  } finally {
    file.close();
  }
}
