/** `POST /api/apps/install`: apps that arrive over HTTP or USB. */
import { Fault } from "../../../protocol/fault.js";
import { isAppName } from "../../../protocol/manifest/app-name.js";
import type { Call } from "../api/endpoint.js";
import type { UploadConsumer, UploadStart, UploadTarget } from "../upload/upload-target.js";
import type { Installer } from "./installer.js";

export class AppUpload implements UploadTarget {
  readonly #installer: Installer;

  constructor(installer: Installer) {
    this.#installer = installer;
  }

  get limitBytes(): number {
    return this.#installer.appLimitBytes;
  }

  /** @throws {Fault} `bad_parameter`, `upload_busy` */
  begin({ call }: UploadStart): UploadConsumer {
    const name = askedName(call);
    // Section 6 of the decisions: over HTTP the name that is asked for wins over the manifest's.
    const prefersName = call.request.transport === "http";
    const job = this.#installer.begin({
      prefersName,
      isNewerOnly: false,
      ...(name !== undefined && { name }),
    });
    return {
      write: (bytes) => job.write(bytes),
      complete: async ({ signature }) => ({ status: 200, body: await job.complete(signature) }),
      abort: () => job.abort(),
    };
  }
}

function askedName({ parameters }: Call): string | undefined {
  const name = parameters.text("name");
  if (name === undefined || isAppName(name)) return name;
  throw new Fault("bad_parameter", `"${name}" cannot be the name of an app`);
}
