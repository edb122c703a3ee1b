/**
 * The firmware bundle that the user has chosen, and its upload to the console. Both stay while other panels are shown,
 * and end with the console's session.
 */
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { UploadRun, type UploadSession } from "../../install/upload-run.js";
import type { Session } from "../../session/session.js";
import { type BundleFile, readBundleFile } from "./bundle-file.js";

export interface ChosenBundle {
  /** Name of the file. */
  readonly name: string;
  readonly bundle: BundleFile;
}

export class FirmwareUpload {
  readonly run: UploadRun;
  readonly #session: FirmwareSession;
  readonly #chosen = signal<ChosenBundle | undefined>(undefined);

  constructor(session: FirmwareSession) {
    this.#session = session;
    this.run = new UploadRun(session);
    effect(() => {
      if (session.state.value.phase === "idle") this.#choose(undefined);
    });
  }

  get chosen(): ReadonlySignal<ChosenBundle | undefined> {
    return this.#chosen;
  }

  /** Replaces the previous choice. @throws {Fault} for a file that is not a bundle; {Error} unless it is one file */
  async choose(files: readonly File[]): Promise<void> {
    this.#choose(undefined);
    this.#choose(await bundleOf(files));
  }

  /** Uploads the chosen bundle; `run` reports errors. */
  async send(): Promise<void> {
    const chosen = this.#chosen.peek();
    if (!chosen) return;
    const { bytes, version } = chosen.bundle;
    const staged = await this.run.start(`upload firmware ${version}`, bytes.length, (device, options) =>
      device.otaUpload({ file: bytes, ...options }),
    );
    if (!staged) return;
    this.#session.notify({ kind: "done", text: `Firmware ${version} is staged` });
    if (this.#chosen.peek() === chosen) this.#choose(undefined);
  }

  /** Cancels the upload and clears the choice. */
  cancel(): void {
    this.run.cancel();
    this.#choose(undefined);
  }

  #choose(chosen: ChosenBundle | undefined): void {
    this.run.clearError();
    this.#chosen.value = chosen;
  }
}

type FirmwareSession = UploadSession & Pick<Session, "state">;

const uploads = new WeakMap<Session, FirmwareUpload>();

export function firmwareUploadOf(session: Session): FirmwareUpload {
  let upload = uploads.get(session);
  if (!upload) {
    upload = new FirmwareUpload(session);
    uploads.set(session, upload);
  }
  return upload;
}

/** @throws {Fault} for a file that is not a bundle; {Error} unless it is one file */
async function bundleOf(files: readonly File[]): Promise<ChosenBundle> {
  const [file] = files;
  if (!file || files.length > 1) throw new Error("Choose one bundle of firmware (.svcfw)");
  return { name: file.name, bundle: readBundleFile(new Uint8Array(await file.arrayBuffer())) };
}
