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
  if (choices) return JSON.stringify(choices.join("|"));
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

/** The texts among which one is chosen. */
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

const COMMAND_ID = "text; the result is to have it, too";
const URL_SIGNATURE =
  "text, may be left out: signature of a key of role `hub` over the address, 128 hexadecimal digits; needed where the address is not at the hub's own origin";
const RESULT_COMMAND_ID = "text, may be left out: it is then the newest command for that app, or firmware";

export const HUB_MESSAGES: Described<HubMessage> = Object.freeze({
  "app.install": {
    summary: "Download the package, verify it, install it, and tell the result.",
    members: {
      command_id: COMMAND_ID,
      app_id: "text",
      version: "MAJOR.MINOR.PATCH",
      download_url: "address of the package, to be asked with the device's token",
      downgrade: "boolean, may be left out: whether the version may be older than the installed one",
      download_url_signature: URL_SIGNATURE,
    },
  },
  "app.uninstall": {
    summary: "Uninstall the app, and tell the result.",
    members: { command_id: COMMAND_ID, app_id: "text" },
  },
  "firmware.update": {
    summary:
      "There is firmware for this console, which installs it when it wants, and tells how far it has come.",
    members: {
      command_id: COMMAND_ID,
      version: "MAJOR.MINOR.PATCH",
      download_url: "address of the bundle, to be asked with the device's token",
      download_url_signature: URL_SIGNATURE,
      signature: "the bundle's Ed25519 signature, 128 hexadecimal digits",
    },
  },
  "device.claimed": {
    summary: "Sent on connect and at each change: whether an account holds the console.",
    members: { claimed: "boolean" },
  },
  "keys.revoke": {
    summary: "Keep this list of revoked keys, and tell the result.",
    members: {
      command_id: COMMAND_ID,
      list: "the list's bytes in base64; consoles read messages of 4096 bytes, which are 90 keys",
    },
  },
  "token.rotate": {
    summary: "Make a new device token, and answer with `token.rotated`.",
    members: { command_id: "text; the answer is to have it, too" },
  },
  "token.accepted": {
    summary:
      "The hub takes the new token: forget the old one, and connect with the new one. The hub takes both until then.",
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
  "device.apps": {
    summary:
      "What is installed. Sent on connect and after each change; the message may come in fragments (RFC 6455 §5.4).",
    members: { apps: 'array of `{"name","version","size","running"}`; `size` in bytes' },
  },
  "token.rotated": {
    summary: "The answer to `token.rotate`; the same again each time that it comes, until it is accepted.",
    members: {
      command_id: "text, of `token.rotate`",
      device_token: "the new token, a UUID v4",
      binding: "what binds it to the device's MAC, as in a registration",
    },
  },
  "keys.revoke.result": {
    summary: "After a list of revoked keys, and again each time that the same command comes.",
    members: {
      command_id: RESULT_COMMAND_ID,
      success: "boolean",
      error: "an error code; null when successful",
    },
  },
  "app.install.result": {
    summary: "After an install, and again each time that the same command comes.",
    members: {
      command_id: RESULT_COMMAND_ID,
      app_id: "text",
      success: "boolean",
      error: "an error code; null when successful",
    },
  },
  "app.uninstall.result": {
    summary: "The same of an uninstall.",
    members: {
      command_id: RESULT_COMMAND_ID,
      app_id: "text",
      success: "boolean",
      error: "an error code; null when successful",
    },
  },
  "firmware.update.result": {
    summary: "At each step of a firmware update; the last three states end it.",
    members: {
      command_id: RESULT_COMMAND_ID,
      version: "MAJOR.MINOR.PATCH",
      state: "`available`, `staged`, `pending_confirm`, `confirmed`, `rolled_back` or `rejected`",
      success: "boolean; null while it is under way",
      error: "an error code; null when there is none",
    },
  },
});
