/**
 * Describes the messages of the push channel for the reference. The types enforce that every message and member is
 * described.
 */
import type { TSchema } from "typebox";
import type { DeviceMessage, HubMessage } from "../../protocol/hub/push-messages.js";

// Formats a schema for the reference: `{"page"?:integer, "state":"sent|queued"}`.

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export function shapeOf(schema: TSchema): string {
  return shape(schema as Schema);
}

function shape(schema: Schema): string {
  if (schema.properties) return object(schema.properties, schema.required ?? []);
  if (schema.items) return `[${shape(schema.items)},…]`;
  const choices = choicesOf(schema);
  if (choices)
    return choices.every((choice) => typeof choice === "string")
      ? `"${choices.join("|")}"`
      : choices.join("|");
  if (schema.anyOf) return schema.anyOf.map(shape).join(" or ");
  if (schema.type === "object") return "{…}";
  return schema.type ?? "…";
}

function object(properties: Readonly<Record<string, Schema>>, required: readonly string[]): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? "" : "?";
    return `"${name}"${mark}:${shape(schema)}`;
  });
  return members.length ? `{${members.join(", ")}}` : "{…}";
}

/** The texts that the schema allows. */
function choicesOf({ const: only, enum: listed, anyOf = [] }: Schema): readonly unknown[] | undefined {
  if (listed) return listed;
  if (only !== undefined) return [only];
  const constants = anyOf.filter((choice) => choice.const !== undefined);
  return constants.length > 0 && constants.length === anyOf.length
    ? constants.map((choice) => choice.const)
    : undefined;
}

type Described<Message extends { readonly type: string }> = {
  readonly [Type in Message["type"]]: {
    readonly summary: string;
    /** Describes each member, and whether it is optional. */
    readonly members: Readonly<
      Record<Exclude<keyof Extract<Message, { readonly type: Type }>, "type">, string>
    >;
  };
};

const COMMAND_ID = "text; the result must repeat it";
const URL_SIGNATURE =
  "text, optional: signature of a key of role `hub` over the address, 128 hexadecimal digits; required if the address has another origin than the hub";
const SIZE = "integer, optional: length of the file, which the console tells its user";
const PUBLISHER = "text, optional: name of the publisher, which the console tells its user";
const RESULT_COMMAND_ID = "text, optional: the newest command for that app, or for firmware, by default";

export const HUB_MESSAGES: Described<HubMessage> = Object.freeze({
  "app.install": {
    summary: "Download the package, verify it, install it, and report the result.",
    members: {
      command_id: COMMAND_ID,
      app_id: "text",
      version: "MAJOR.MINOR.PATCH",
      download_url: "address of the package; the request needs the device's token",
      downgrade: "boolean, optional: whether the version may be older than the installed one",
      download_url_signature: URL_SIGNATURE,
      size_bytes: SIZE,
      publisher: PUBLISHER,
    },
  },
  "app.uninstall": {
    summary: "Uninstall the app, and report the result.",
    members: { command_id: COMMAND_ID, app_id: "text" },
  },
  "firmware.update": {
    summary:
      "Firmware is available for this console. The console decides when to install it, and reports its progress.",
    members: {
      command_id: COMMAND_ID,
      version: "MAJOR.MINOR.PATCH",
      download_url: "address of the bundle; the request needs the device's token",
      download_url_signature: URL_SIGNATURE,
      signature: "the bundle's Ed25519 signature, 128 hexadecimal digits",
      size_bytes: SIZE,
      publisher: PUBLISHER,
    },
  },
  "device.claimed": {
    summary: "Whether an account holds the console. Sent on connect and after each change.",
    members: { claimed: "boolean" },
  },
  "keys.revoke": {
    summary: "Store this list of revoked keys, and report the result.",
    members: {
      command_id: COMMAND_ID,
      list: "the list's bytes in base64; consoles read messages of up to 4096 bytes, enough for 90 keys",
    },
  },
  "token.rotate": {
    summary: "Create a new device token, and answer with `token.rotated`.",
    members: { command_id: "text; the answer must repeat it" },
  },
  "token.accepted": {
    summary:
      "The hub accepts the new token: delete the old one, and connect with the new one. Both are valid until then.",
    members: { command_id: "text, of `token.rotate`" },
  },
});

export const DEVICE_MESSAGES: Described<DeviceMessage> = Object.freeze({
  "device.status": {
    summary: "Sent on connect and every 60 seconds.",
    members: {
      firmware_version: "MAJOR.MINOR.PATCH",
      free_heap_bytes: "integer",
      running_apps: "array of text",
      wifi_rssi: "integer, dBm; 0 while no network is joined",
    },
  },
  "device.started": {
    summary: "The device's last start. Sent on connect; older devices do not send it.",
    members: {
      boot: "integer below 2³², the same until the next start",
      reset_reason: "`power_on`, `software`, `watchdog`, `crash`, `update` or `rollback`",
      uptime_s: "integer, seconds since then",
    },
  },
  "app.crashed": {
    summary:
      "An app has ended by a trap or another failure. Sent at once, or on connect for the last one that happened without a hub.",
    members: {
      app_id: "text",
      version: "MAJOR.MINOR.PATCH",
      message: "the line of the device's log, at most 512 bytes",
    },
  },
  "device.apps": {
    summary:
      "The installed apps. Sent on connect and after each change; the message may be fragmented (RFC 6455 §5.4).",
    members: { apps: 'array of `{"name","version","size","running"}`; `size` in bytes' },
  },
  "token.rotated": {
    summary: "The answer to `token.rotate`. The device repeats the same answer until the hub accepts it.",
    members: {
      command_id: "text, of `token.rotate`",
      device_token: "the new token, a UUID v4",
      binding: "binds the token to the device's MAC, as in a registration",
    },
  },
  "keys.revoke.result": {
    summary: "The result of `keys.revoke`, sent again each time the same command arrives.",
    members: {
      command_id: RESULT_COMMAND_ID,
      success: "boolean",
      error: "an error code; null when successful",
    },
  },
  "app.install.result": {
    summary: "The result of `app.install`, sent again each time the same command arrives.",
    members: {
      command_id: RESULT_COMMAND_ID,
      app_id: "text",
      success: "boolean",
      error: "an error code; null when successful",
    },
  },
  "app.uninstall.result": {
    summary: "The result of `app.uninstall`, sent again each time the same command arrives.",
    members: {
      command_id: RESULT_COMMAND_ID,
      app_id: "text",
      success: "boolean",
      error: "an error code; null when successful",
    },
  },
  "firmware.update.result": {
    summary: "The progress of a firmware update, sent at each step. The last three states are final.",
    members: {
      command_id: RESULT_COMMAND_ID,
      version: "MAJOR.MINOR.PATCH",
      state: "`available`, `staged`, `pending_confirm`, `confirmed`, `rolled_back` or `rejected`",
      success: "boolean; null while the update is in progress",
      error: "an error code; null if there is none",
    },
  },
});
