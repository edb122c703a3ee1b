/**
 * `svc hub key …` and `svc hub keys …`: manage the signing keys of publishers, and the keys that consoles no longer
 * trust, at the hub in this environment.
 */
import { readSuccessionFile } from "../../protocol/signature/statements.js";
import type { Command } from "../command.js";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { textTable } from "../terminal/format.js";
import { withdrawnLines, withPublishers } from "./hub-publisher.js";

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

export const hubKeysRevoke: Command = Object.freeze<Command>({
  name: "hub keys revoke",
  summary: "Send a list of revoked keys to every console, replacing the previous list.",
  parameters: [{ name: "LIST", summary: "list signed by a firmware key that consoles trust", isFile: true }],
  options: [],
  async run({ values: { LIST: file = "" } }) {
    const list = await readInput(file, TEXT_FILE_LIMIT_BYTES);
    const given = await withPublishers((publishers) => publishers.pushRevocations(list));
    return { text: `sending list ${given.number} with ${given.keys} keys to every console`, json: given };
  },
});
