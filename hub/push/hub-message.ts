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

/** A message without the members that name it. */
type Body = Omit<AppInstall, "type"> | Omit<AppUninstall, "type"> | Omit<FirmwareUpdate, "type">;

const TYPES = Object.freeze({
  install: "app.install",
  uninstall: "app.uninstall",
  firmware: "firmware.update",
} as const);

/** Writes messages as JSON. What those in a row share, as the thousands of a rollout do, is written once. */
export class MessageWriter {
  #last: { readonly command: Command; readonly facts: MessageFacts; readonly rest: string } | undefined;

  write(command: Command, facts: MessageFacts): string {
    if (!this.#last || !isAlike(this.#last.command, command) || !areSame(this.#last.facts, facts))
      this.#last = { command, facts, rest: JSON.stringify(bodyOf(command, facts)).slice(1) };
    return `{"type":"${TYPES[command.kind]}","command_id":${JSON.stringify(command.id)},${this.#last.rest}`;
  }
}

function isAlike(one: Command, other: Command): boolean {
  return (
    one.kind === other.kind &&
    one.subject === other.subject &&
    one.version === other.version &&
    one.allows_downgrade === other.allows_downgrade
  );
}

function areSame(one: MessageFacts, other: MessageFacts): boolean {
  return (
    one.apiUrl === other.apiUrl &&
    one.arch === other.arch &&
    one.file === other.file &&
    one.signAddress === other.signAddress
  );
}

function bodyOf(command: Command, facts: MessageFacts): Body {
  const { kind, subject, version, allows_downgrade } = command;
  const { apiUrl, arch, file, signAddress } = facts;
  const { publisher, signature = "", sizeBytes } = file;
  const size = sizeBytes === undefined ? {} : { size_bytes: sizeBytes };
  switch (kind) {
    case "install":
      return {
        app_id: subject,
        version,
        ...addressed(`${apiUrl}/catalog/${subject}/download?version=${version}`, signAddress),
        ...(allows_downgrade === 1 && { downgrade: true }),
        ...size,
        ...(publisher !== undefined && { publisher }),
      };
    case "uninstall":
      return { app_id: subject };
    case "firmware": {
      const address = addressed(`${apiUrl}/firmware/${version}/download?arch=${arch}`, signAddress);
      return { version, ...address, signature, ...size };
    }
    default:
      return kind satisfies never;
  }
}

function addressed(download_url: string, sign: MessageFacts["signAddress"]) {
  return sign ? { download_url, download_url_signature: sign(download_url) } : { download_url };
}
