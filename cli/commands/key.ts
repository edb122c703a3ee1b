/**
 * `svc keygen` and `svc key succeed`: create a publisher's key pair, and sign its successor with the old key, so
 * that the publisher's apps stay its own.
 */
import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { KEY_ROLES, readRolesLine, rolesLine, rolesOf } from "../../protocol/keys/pem-reader.js";
import { successionText, writeSuccession } from "../../protocol/signature/statements.js";
import { keyLabel, makeKeyPair } from "../../sdk/publisher-keys.js";
import type { Command } from "../command.js";
import { writeOutput, writing } from "../files.js";
import { keyBytes, readKey, readPublicKey } from "../key-files.js";
import { SvcError } from "../svc-error.js";

export const keygen: Command = Object.freeze<Command>({
  name: "keygen",
  summary: "Create a key pair to sign apps and firmware.",
  parameters: [],
  options: [
    {
      name: "out",
      value: "DIR",
      summary: "write publisher.pem and publisher.pub.pem to this directory",
      isRequired: true,
      isFile: true,
    },
    {
      name: "roles",
      value: "ROLE,…",
      summary: "what consoles trust the key for: app, firmware, hub, native; default: all",
    },
  ],
  async run({ values: { out = "", roles } }) {
    const heading = roles === undefined ? "" : await headingOf(roles);
    const { privateFile, publicFile, label } = await writing(`keys to "${out}"`, () =>
      makeKeyPair(out, heading),
    );
    return {
      text: `${privateFile}: private key; keep it secret, and back it up\n${publicFile}: public key ${label}; give it to those who should trust you`,
      json: { private_key: privateFile, public_key: publicFile, label },
    };
  },
});

/** @param roles separated by commas */
async function headingOf(roles: string): Promise<string> {
  const read = readRolesLine(`# roles: ${roles}`);
  if (read === 0)
    throw new SvcError(
      "wrong_usage",
      `--roles must list ${KEY_ROLES.join(", ")} with commas, not "${roles}"`,
    );
  return rolesLine(rolesOf(read));
}

export const keySucceed: Command = Object.freeze<Command>({
  name: "key succeed",
  summary: "Sign a publisher's new key with the old one, so that consoles accept it for the same apps.",
  parameters: [],
  options: [
    { name: "old", value: "PEM", summary: "old private key", isRequired: true, isFile: true },
    {
      name: "new",
      value: "PUB.pem",
      summary: "new public key, or root certificate that signed the new key",
      isRequired: true,
      isFile: true,
    },
    {
      name: "out",
      value: "FILE.succession",
      summary: "file to write; put it beside the package, with the package's name",
      isRequired: true,
      isFile: true,
    },
  ],
  notes: [
    "`svc install tetris.svcpkg` also sends tetris.svcpkg.succession. A console that has the app from the old key then accepts updates from the new key, and no longer from the old one.",
    "For several key changes, concatenate the files, oldest first; a console follows up to four.",
  ],
  async run({ values: { old: oldFile = "", new: newFile = "", out = "" } }) {
    const oldKey = await readKey(oldFile);
    const newKey = await readPublicKey(newFile, "as the new key");
    const link = await successionOf(oldKey, newKey);
    await writeOutput(out, `${link.text}\n`);
    return {
      text: `${out}: key ${keyLabel(newKey)} replaces ${keyLabel(oldKey)}`,
      json: { file: out, old_key: link.old, new_key: link.new, succession: link.text },
    };
  },
});

/**
 * @param oldKey private
 * @param newKey public
 */
async function successionOf(oldKey: KeyObject, newKey: KeyObject) {
  const pair = { oldKey: keyBytes(createPublicKey(oldKey)), newKey: keyBytes(newKey) };
  if (Buffer.compare(pair.oldKey, pair.newKey) === 0)
    throw new SvcError("wrong_usage", "Cannot replace a key by itself: --old and --new are the same key");
  const text = successionText(pair.oldKey, pair.newKey);
  const signature = new Uint8Array(sign(null, Buffer.from(text), oldKey));
  const [old, next] = [pair.oldKey, pair.newKey].map((key) => Buffer.from(key).toString("hex"));
  return { text: writeSuccession({ ...pair, signature }), old, new: next };
}
