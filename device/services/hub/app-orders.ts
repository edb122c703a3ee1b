/**
 * Carries out `app.install` and `app.uninstall` (docs/spec/device-hub.md#install-command). An order states the desired
 * result, not an action: an app that is absent counts as uninstalled. A downloaded file is handled like an upload: it
 * is stored as it arrives, and checked once it is complete.
 */

import type { DownloadFacts } from "../../../hub-client/download.js";
import { Fault } from "../../../protocol/fault.js";
import type { AppInstall, AppUninstall, DeviceApp } from "../../../protocol/hub/push-messages.js";
import { isAppName } from "../../../protocol/manifest/app-name.js";
import type { Apps } from "../apps/apps.js";
import type { Installer } from "../apps/installer.js";
import type { Uploads } from "../upload/uploads.js";
import type { FileCallbacks, FileSource } from "./file-source.js";
import { IncomingFile } from "./incoming-file.js";

/** Characters of `device.apps` in one piece: about five apps, and less than a TCP segment. */
export const APPS_PIECE_CHARACTERS = 512;

// `device.apps` (docs/spec/device-hub.md#apps-report): reports the installed apps piece by piece, as each app's record
// is read from flash.

export type ReportedApps = Pick<Apps, "nameAfter" | "deviceApp">;

/** @returns a function that returns the next piece of the message's text, `undefined` after the last */
export function deviceAppsPieces(apps: ReportedApps): () => string | undefined {
  let name = apps.nameAfter("");
  let separator = "";
  let text: string | undefined = '{"type":"device.apps","apps":[';
  return () => {
    let piece = text;
    if (piece === undefined) return undefined;
    for (; name !== undefined && piece.length < APPS_PIECE_CHARACTERS; name = apps.nameAfter(name)) {
      const app = readable(apps, name);
      if (!app) continue;
      piece += separator + JSON.stringify(app);
      separator = ",";
    }
    text = name === undefined ? undefined : "";
    return text === undefined ? `${piece}]}` : piece;
  };
}

/** @returns `undefined` for an app that is not installed, or whose record is damaged: such an app cannot run */
export function readable(apps: ReportedApps, name: string): DeviceApp | undefined {
  try {
    return apps.deviceApp(name);
  } catch {
    return undefined;
  }
}

export interface AppOrdersOptions {
  readonly apps: Pick<Apps, "has" | "uninstall">;
  readonly installer: Pick<Installer, "appLimitBytes" | "begin">;
  readonly uploads: Pick<Uploads, "hold" | "keep" | "release">;
}

export class AppOrders {
  readonly #options: AppOrdersOptions;

  constructor(options: AppOrdersOptions) {
    this.#options = options;
  }

  /**
   * Download and install the app that the command names.
   * @throws {Fault} `bad_parameter` for an invalid name; `upload_busy`; faults of `files`; every fault of an install;
   *   `download_mismatch` if the file is another app or version
   */
  async install(command: AppInstall, files: FileSource): Promise<void> {
    const { app_id: name, version, downgrade = false } = command;
    if (!isAppName(name)) throw new Fault("bad_parameter", `"${name}" is not a valid app name`);
    const { installer, uploads } = this.#options;
    const file = new IncomingFile(files);
    uploads.hold(file);
    try {
      const ordered = { name, version };
      file.begin(
        installer.begin({ requiresName: false, isNewerOnly: false, allowsDowngrade: downgrade, ordered }),
      );
      await file.finish(await this.#receive(file, command, files));
    } finally {
      file.abort();
      uploads.release();
    }
  }

  /** Uninstall the app if it is installed. */
  async uninstall({ app_id: name }: AppUninstall): Promise<void> {
    if (this.#options.apps.has(name)) await this.#options.apps.uninstall(name);
  }

  /** @returns the facts that came with the file @throws {Fault} `upload_busy` if an upload has taken its place */
  async #receive(file: IncomingFile, command: AppInstall, files: FileSource): Promise<DownloadFacts> {
    const callbacks: FileCallbacks = {
      onHead: ({ sizeBytes }) => this.#requireRoom(sizeBytes),
      onBytes: (bytes) => file.write(bytes),
    };
    const fetching = files.fetch(command.download_url, callbacks, command.download_url_signature);
    return fetching.finally(() => this.#options.uploads.keep());
  }

  /** Checks the announced size, so that a file over the limit is not downloaded. */
  #requireRoom(sizeBytes: number): void {
    const { appLimitBytes } = this.#options.installer;
    if (sizeBytes > appLimitBytes)
      throw new Fault("file_too_large", `Cannot accept a file over ${appLimitBytes} bytes`);
  }
}
