/**
 * `/api/apps/…` (docs/spec/management-api.md#apps): the endpoints, and the upload that installs an app.
 */
import { Fault } from "../../../protocol/fault.js";
import { isAppName } from "../../../protocol/manifest/app-name.js";
import type { Call } from "../api/call.js";
import type { ByteStream, JsonAnswer, StreamedAnswer } from "../api/request.js";
import type { UploadSink, UploadStart, UploadTarget } from "../upload/upload-phase.js";
import type { Apps } from "./apps.js";
import type { Installer } from "./installer.js";

// `POST /api/apps/install`: apps that arrive over HTTP or USB.

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
  begin({ call }: UploadStart): UploadSink {
    const name = requestedName(call);
    return this.#installer.begin({
      requiresName: true,
      isNewerOnly: false,
      allowsDowngrade: this.#allowsDowngrade(call),
      ...(name !== undefined && { name }),
    });
  }

  /**
   * Over the network an attacker could otherwise restore a version with a known vulnerability
   * (docs/spec/apps.md#downgrade).
   */
  #allowsDowngrade({ request, parameters }: Call): boolean {
    const isTaken = request.transport === "usb" || this.#downgradesAnywhere;
    return isTaken && parameters.flag("downgrade") === true;
  }
}

function requestedName({ parameters }: Call): string | undefined {
  const name = parameters.text("name");
  if (name === undefined || isAppName(name)) return name;
  throw new Fault("bad_parameter", `"${name}" is not a valid app name`);
}

interface RequiredServices {
  readonly apps: Apps;
}

export function listApps({ apps }: RequiredServices): StreamedAnswer {
  return { status: 200, mediaType: "application/json", stream: new AppListStream(apps) };
}

/** @throws {Fault} `app_not_found`, `icon_not_found` */
export function showIcon({ apps }: RequiredServices, call: Call): StreamedAnswer {
  const stream = apps.icon(nameOf(call));
  return { status: 200, mediaType: "image/bmp", field: "bmp", byteLength: stream.byteLength, stream };
}

export function startApp({ apps }: RequiredServices, call: Call): JsonAnswer {
  return { status: 200, body: apps.start(nameOf(call), { isInFront: true, isByUser: isByUser(call) }) };
}

export function bringAppToFront({ apps }: RequiredServices, call: Call): JsonAnswer {
  return { status: 200, body: apps.bringToFront(nameOf(call), isByUser(call)) };
}

/** @throws {Fault} `unauthorized`, `app_not_found`, `storage_full` */
export function allowBackground({ apps }: RequiredServices, call: Call): JsonAnswer {
  return { status: 200, body: apps.allowBehind(nameOf(call), call.parameters.flag("allowed") === true) };
}

export async function stopApp({ apps }: RequiredServices, call: Call): Promise<JsonAnswer> {
  return { status: 200, body: await apps.stop(nameOf(call)) };
}

export async function uninstallApp({ apps }: RequiredServices, call: Call): Promise<JsonAnswer> {
  const name = nameOf(call);
  await apps.uninstall(name);
  return { status: 200, body: { removed: name } };
}

/** Whether the user asks on the console itself. */
function isByUser({ request }: Call): boolean {
  return request.transport === "home";
}

/** The parameter `name`, which these endpoints require. */
function nameOf({ parameters }: Call): string {
  return parameters.text("name") ?? "";
}

/** An entry at a time: a list in progress has none of the others in the heap. */
class AppListStream implements ByteStream {
  readonly #apps: Pick<Apps, "nameAfter" | "entry">;
  readonly #encoder = new TextEncoder();
  /** Of the entry before; names are not empty. */
  #name = "";
  #hasEnded = false;

  constructor(apps: Pick<Apps, "nameAfter" | "entry">) {
    this.#apps = apps;
  }

  next(): Uint8Array | undefined {
    if (this.#hasEnded) return undefined;
    const before = this.#name;
    const name = this.#apps.nameAfter(before);
    if (name === undefined) {
      this.#hasEnded = true;
      return this.#encoder.encode(before === "" ? "[]" : "]");
    }
    this.#name = name;
    return this.#encoder.encode((before === "" ? "[" : ",") + JSON.stringify(this.#apps.entry(name)));
  }

  close(): void {
    this.#hasEnded = true;
  }
}
