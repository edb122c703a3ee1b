/**
 * Attaches an AOT file to the installed app of its name. Its native code must never run: its signature binds it to no
 * app and to no version, so an attacker could put any file of its publisher here (docs/adr/0021).
 */
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import type { InstallContext } from "./install-job.js";
import { DEFAULT_NAME } from "./limits.js";
import { isSamePublisher, publisherMismatch } from "./may-replace.js";
import { architectureOf, requireArchitecture } from "./variant-file.js";

/** @throws {Fault} `app_not_found`, `publisher_mismatch`, `variant_invalid`, `download_mismatch`, `storage_full` */
export async function installVariant(context: InstallContext): Promise<AppEntry> {
  const { apps, files, logger, origin, path, provenance } = context;
  if (origin.ordered)
    throw new Fault(
      "download_mismatch",
      `The file is an AOT file, and the app "${origin.ordered.name}" was ordered`,
    );
  const name = origin.name ?? DEFAULT_NAME;
  if (!apps.has(name))
    throw new Fault("app_not_found", `No app is named "${name}", to attach an AOT file to`);
  if (!isSamePublisher(apps.installed(name) ?? {}, provenance)) throw publisherMismatch(name);
  const architecture = origin.architecture ?? architectureOf(files, path);
  requireArchitecture(files, { architecture, path });
  flush(context);
  const entry = await apps.attach(name, { architecture, path });
  logger.info(`installed an AOT file of "${name}" for ${architecture}`);
  return entry;
}

/** All of it is on the medium before anything refers to it. */
function flush({ files, path }: InstallContext): void {
  const file = files.openFile({ path, mode: "r+" });
  try {
    file.flush();
  } finally {
    file.close();
  }
}
