/** Receives firmware over HTTP or USB, and answers once it is staged. */
import { BUNDLE_HEADER_BYTES } from "../../../protocol/firmware/bundle-header.js";
import type { Call } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";
import type { Restart } from "../restart/restart.js";
import type { UploadConsumer, UploadStart, UploadTarget } from "../upload/upload-target.js";
import { FirmwareReceiver, type FirmwareReceiverOptions } from "./firmware-receiver.js";

export interface FirmwareUploadOptions extends FirmwareReceiverOptions {
  readonly restart: Restart;
}

export class FirmwareUpload implements UploadTarget {
  readonly #options: FirmwareUploadOptions;
  readonly #alwaysReboots: boolean;

  constructor(options: FirmwareUploadOptions, { alwaysReboots }: { readonly alwaysReboots: boolean }) {
    this.#options = options;
    this.#alwaysReboots = alwaysReboots;
  }

  get limitBytes(): number {
    return BUNDLE_HEADER_BYTES + this.#options.service.imageLimitBytes;
  }

  /** @throws {Fault} `busy`, `confirm_pending`, `upload_busy`, `storage_full` */
  begin(start: UploadStart): UploadConsumer {
    const { restart, service } = this.#options;
    const reboots = this.#alwaysReboots || asksForReboot(start.call);
    const reception = new FirmwareReceiver(this.#options, start);
    return {
      write: (bytes) => reception.write(bytes),
      complete: async ({ call }): Promise<JsonAnswer> => {
        await reception.complete();
        const answer = { status: 200, body: service.status() };
        return reboots || asksForReboot(call) ? restart.after(answer) : answer;
      },
      abort: () => reception.abort(),
    };
  }
}

function asksForReboot({ parameters }: Call): boolean {
  return parameters.flag("reboot") === true;
}
