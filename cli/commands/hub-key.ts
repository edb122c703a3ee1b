/** `svc hub key …`: manages the signing keys of a publisher at the hub of this environment. */
import { readSuccessionFile } from "../../protocol/signature/statements.js";
import type { Command } from "../command.js";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { withPublishers } from "../hub/operator.js";
import { textTable } from "../text-table.js";
import { withdrawnLines } from "./hub-publisher.js";

const NAME = { name: "NAME", summary: "name of the publisher" };

async function successionOf(file: string): Promise<string> {
  return readSuccessionFile(await readInput(file, TEXT_FILE_LIMIT_BYTES));
}

export const hubKeyAdd: Command = Object.freeze<Command>({
  name: "hub key add",
  summary: "Add a signing key to a publisher.",
  parameters: [NAME],
  options: [
    {
      name: "key",
      value: "PUB.pem",
      summary: "Ed25519 public key to add",
      isRequired: true,
      isFile: true,
    },
    {
      name: "succession",
      value: "FILE",
      summary:
        "succession in which an older key of the publisher names this key its successor (see `svc key succeed`)",
      isFile: true,
    },
  ],
  async run({ values: { NAME: name = "", key = "", succession } }) {
    const pem = String(await readInput(key, TEXT_FILE_LIMIT_BYTES));
    const links = succession === undefined ? undefined : await successionOf(succession);
    const added = await withPublishers((publishers) => publishers.keys.add(name, pem, links));
    return { text: `key ${added.key_id}`, json: added };
  },
});

export const hubKeyList: Command = Object.freeze<Command>({
  name: "hub key list",
  summary: "List the keys of a publisher, including revoked keys.",
  parameters: [NAME],
  options: [],
  async run({ values: { NAME: name = "" } }) {
    const keys = await withPublishers((publishers) => publishers.keys.list(name));
    const rows = keys.map(({ key_id, public_key, created_at, revoked_at }) => {
      return [key_id, public_key, created_at, revoked_at === null ? "active" : `revoked ${revoked_at}`];
    });
    return { text: textTable(rows), json: { keys } };
  },
});

export const hubKeyRevoke: Command = Object.freeze<Command>({
  name: "hub key revoke",
  summary: "Revoke a key of a publisher, and withdraw everything signed with it.",
  parameters: [NAME, { name: "KEY_ID", summary: "id of the key, as `svc hub key list` shows it" }],
  options: [],
  async run({ values: { NAME: name = "", KEY_ID: keyId = "" } }) {
    const revoked = await withPublishers((publishers) => publishers.keys.revoke(name, keyId));
    return { text: [`revoked ${keyId}`, ...withdrawnLines(revoked.withdrawn)].join("\n"), json: revoked };
  },
});
