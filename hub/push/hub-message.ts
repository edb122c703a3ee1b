/** Commands as the messages that devices get (docs/spec/hub-push.md#from-the-hub). */
import {
  type AppInstall,
  type AppUninstall,
  type FirmwareUpdate,
  REPLACED_CLOSE_CODE,
} from "../../protocol/hub/push-messages.js";
import type { Row } from "../database/schema.js";

// Why the hub ends a push channel: close codes of RFC 6455 §7.4.1, of its registry, and our own from 4000.

export const CloseCode = Object.freeze({
  /** This process ends; others are there. */
  goingAway: 1001,
  /** The device repeatedly sends invalid messages, or too many. */
  policyViolation: 1008,
  /** The hub could not store the device's messages: send them again over another connection. */
  tryAgainLater: 1013,
  /** The device has connected anew. */
  replaced: REPLACED_CLOSE_CODE,
});

/** What a message has beside the command itself. */
interface MessageFacts {
  /** What addresses of the API begin with, where this device reaches it: `https://hub.example/api/v1`. */
  readonly apiUrl: string;
  /** The device's architecture. */
  readonly arch: string;
  /** Of the bundle as the hub serves it; for firmware alone. */
  readonly signature: string;
  /** Where the console has reached the hub at another origin than {@link apiUrl}'s, and the hub has a key. */
  readonly signAddress?: ((address: string) => string) | undefined;
}

type Command = Pick<Row<"commands">, "id" | "kind" | "subject" | "version" | "allows_downgrade">;

export function messageOf(
  { id: command_id, kind, subject: app_id, version, allows_downgrade }: Command,
  { apiUrl, arch, signature, signAddress }: MessageFacts,
): AppInstall | AppUninstall | FirmwareUpdate {
  switch (kind) {
    case "install": {
      const download_url = `${apiUrl}/catalog/${app_id}/download?version=${version}`;
      return {
        ...{ type: "app.install", command_id, app_id, version, ...addressed(download_url, signAddress) },
        ...(allows_downgrade === 1 && { downgrade: true }),
      };
    }
    case "uninstall":
      return { type: "app.uninstall", command_id, app_id };
    case "firmware": {
      const download_url = `${apiUrl}/firmware/${version}/download?arch=${arch}`;
      const address = addressed(download_url, signAddress);
      return { type: "firmware.update", command_id, version, ...address, signature };
    }
    default:
      return kind satisfies never;
  }
}

function addressed(download_url: string, sign: MessageFacts["signAddress"]) {
  return sign ? { download_url, download_url_signature: sign(download_url) } : { download_url };
}
