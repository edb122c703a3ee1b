/** Converts commands to messages for devices (docs/spec/hub-push.md#from-the-hub). */
import {
  type AppInstall,
  type AppUninstall,
  type FirmwareUpdate,
  REPLACED_CLOSE_CODE,
} from "../../protocol/hub/push-messages.js";
import type { Row } from "../database/schema.js";

/** Codes with which the hub closes a push channel: of RFC 6455 §7.4.1, of its registry, and our own from 4000. */
export const CloseCode = Object.freeze({
  /** This process is stopping; connect again to reach another one. */
  goingAway: 1001,
  /** The device repeatedly sends invalid messages, or too many. */
  policyViolation: 1008,
  /** The hub could not store the device's messages, or has lost the connection's number: connect again. */
  tryAgainLater: 1013,
  /** The device has a newer connection. */
  replaced: REPLACED_CLOSE_CODE,
});

/** What is known of the file that a command names; nothing if the hub has it no more. */
export interface FileFacts {
  /** Of the bundle as the hub serves it; only for firmware. */
  readonly signature?: string;
  readonly sizeBytes?: number;
  /** Name of the publisher; only for apps. */
  readonly publisher?: string;
}

/** The values of a message that the command does not contain. */
interface MessageFacts {
  /** The API's base address for this device: `https://hub.example/api/v1`. */
  readonly apiUrl: string;
  /** The device's architecture. */
  readonly arch: string;
  readonly file: FileFacts;
  /** Signs addresses: set if {@link apiUrl} has another origin than the device's request, and the hub has a key. */
  readonly signAddress?: ((address: string) => string) | undefined;
}

type Command = Pick<Row<"commands">, "id" | "kind" | "subject" | "version" | "allows_downgrade">;

export function messageOf(
  { id: command_id, kind, subject: app_id, version, allows_downgrade }: Command,
  { apiUrl, arch, file, signAddress }: MessageFacts,
): AppInstall | AppUninstall | FirmwareUpdate {
  switch (kind) {
    case "install": {
      const download_url = `${apiUrl}/catalog/${app_id}/download?version=${version}`;
      return {
        ...{ type: "app.install", command_id, app_id, version, ...addressed(download_url, signAddress) },
        ...(allows_downgrade === 1 && { downgrade: true }),
        ...(file.sizeBytes !== undefined && { size_bytes: file.sizeBytes }),
        ...(file.publisher !== undefined && { publisher: file.publisher }),
      };
    }
    case "uninstall":
      return { type: "app.uninstall", command_id, app_id };
    case "firmware": {
      const download_url = `${apiUrl}/firmware/${version}/download?arch=${arch}`;
      const address = addressed(download_url, signAddress);
      const { signature = "", sizeBytes } = file;
      return {
        ...{ type: "firmware.update", command_id, version, ...address, signature },
        ...(sizeBytes !== undefined && { size_bytes: sizeBytes }),
      };
    }
    default:
      return kind satisfies never;
  }
}

function addressed(download_url: string, sign: MessageFacts["signAddress"]) {
  return sign ? { download_url, download_url_signature: sign(download_url) } : { download_url };
}
