/** `svc hub key …`: manages the signing keys of a publisher at the hub of this environment. */
import { loadTypeScript } from "../../tools/load-typescript.js";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { withPublishers } from "../hub/operator.js";
import { textTable } from "../text-table.js";
import { withdrawnLines } from "./hub-publisher.js";

const NAME = { name: "NAME", summary: "of the publisher" };

/** @param {string} file */
async function successionOf(file) {
  /** @type {typeof import("../../protocol/signature/statements.ts")} */
  const { readSuccessionFile } = await loadTypeScript(["protocol/signature/statements.ts"]);
  return readSuccessionFile(await readInput(file, TEXT_FILE_LIMIT_BYTES));
}

/** @type {import("../command.js").Command} */
export const hubKeyAdd = Object.freeze({
  name: "hub key add",
  summary: "Lets a publisher sign with one more key.",
  parameters: [NAME],
  options: [
    {
      name: "key",
      value: "PUB.pem",
      summary: "file of the Ed25519 public key",
      isRequired: true,
      isFile: true,
    },
    {
      name: "succession",
      value: "FILE",
      summary: "by which an older key of the publisher names this one its successor (`svc key succeed`)",
      isFile: true,
    },
  ],
  async run({ values: { NAME: name = "", key = "", succession } }) {
    const pem = String(await readInput(key, TEXT_FILE_LIMIT_BYTES));
    const links = succession === undefined ? undefined : await successionOf(succession);
    const added = await withPublishers((publishers) => publishers.addKey(name, pem, links));
    return { text: `key ${added.key_id}`, json: added };
  },
});

/** @type {import("../command.js").Command} */
export const hubKeyList = Object.freeze({
  name: "hub key list",
  summary: "Lists a publisher's keys, those that were revoked too.",
  parameters: [NAME],
  options: [],
  async run({ values: { NAME: name = "" } }) {
    const keys = await withPublishers((publishers) => publishers.listKeys(name));
    const rows = keys.map(({ key_id, public_key, created_at, revoked_at }) => {
      return [key_id, public_key, created_at, revoked_at === null ? "active" : `revoked ${revoked_at}`];
    });
    return { text: textTable(rows), json: { keys } };
  },
});

/** @type {import("../command.js").Command} */
export const hubKeyRevoke = Object.freeze({
  name: "hub key revoke",
  summary: "Takes no more signatures of a key, and withdraws what it has signed.",
  parameters: [NAME, { name: "KEY_ID", summary: "as `svc hub key list` says" }],
  options: [],
  async run({ values: { NAME: name = "", KEY_ID: keyId = "" } }) {
    const revoked = await withPublishers((publishers) => publishers.revokeKey(name, keyId));
    return { text: [`revoked ${keyId}`, ...withdrawnLines(revoked.withdrawn)].join("\n"), json: revoked };
  },
});
