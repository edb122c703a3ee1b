/** `POST /api/apps/install`: apps that arrive over HTTP or USB. */
import { Fault } from "../../../protocol/fault.js";
import { isAppName } from "../../../protocol/manifest/app-name.js";
import type { Call } from "../api/endpoint.js";
import type { UploadConsumer, UploadStart, UploadTarget } from "../upload/upload-target.js";
import type { Installer } from "./installer.js";

export class AppUpload implements UploadTarget {
  readonly #installer: Installer;
  readonly #downgradesAnywhere: boolean;

  /** @param downgradesAnywhere `CONFIG_SVC_APP_ALLOW_DOWNGRADE` */
  constructor(installer: Installer, downgradesAnywhere: boolean) {
    this.#installer = installer;
    this.#downgradesAnywhere = downgradesAnywhere;
  }

  get limitBytes(): number {
    return this.#installer.appLimitBytes;
  }

  /** @throws {Fault} `bad_parameter`, `upload_busy` */
  begin({ call }: UploadStart): UploadConsumer {
    const name = askedName(call);
    const job = this.#installer.begin({
      requiresName: true,
      isNewerOnly: false,
      allowsDowngrade: this.#allowsDowngrade(call),
      ...(name !== undefined && { name }),
    });
    return {
      write: (bytes) => job.write(bytes),
      complete: async (proofs) => ({ status: 200, body: await job.complete(proofs) }),
      abort: () => job.abort(),
    };
  }

  /**
   * Over the network anyone may have asked, to get back a version with a known weakness (docs/spec/apps.md#downgrade).
   */
  #allowsDowngrade({ request, parameters }: Call): boolean {
    const isTaken = request.transport === "usb" || this.#downgradesAnywhere;
    return isTaken && parameters.flag("downgrade") === true;
  }
}

function askedName({ parameters }: Call): string | undefined {
  const name = parameters.text("name");
  if (name === undefined || isAppName(name)) return name;
  throw new Fault("bad_parameter", `"${name}" cannot be the name of an app`);
}
