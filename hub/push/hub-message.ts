/** Commands as the messages that devices get (docs/spec/hub-push.md#from-the-hub). */
import type { AppInstall, AppUninstall, FirmwareUpdate } from "../../protocol/hub/push-messages.js";
import type { Row } from "../database/schema.js";

/** What a message has beside the command itself. */
export interface MessageFacts {
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
