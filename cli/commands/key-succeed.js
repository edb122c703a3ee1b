/** `svc key succeed`: signs, with a publisher's old key, the key that replaces it, so that its apps stay its own. */
import { createPublicKey, sign } from "node:crypto";
import { keyLabel } from "../../sdk/publisher-keys.js";
import { loadTypeScript } from "../../tools/load-typescript.js";
import { keyBytes, readPublicKey } from "../apps/public-key.js";
import { readKey } from "../apps/signing-key.js";
import { writeOutput } from "../files.js";
import { SvcError } from "../svc-error.js";

/** @typedef {import("node:crypto").KeyObject} KeyObject */

/** @type {import("../command.js").Command} */
export const keySucceed = Object.freeze({
  name: "key succeed",
  summary: "Lets a publisher's new key follow its old one, which signs for that.",
  parameters: [],
  options: [
    { name: "old", value: "PEM", summary: "file of the old private key", isRequired: true, isFile: true },
    {
      name: "new",
      value: "PUB.pem",
      summary: "file of the new public key, or of the root certificate that the new key is under",
      isRequired: true,
      isFile: true,
    },
    {
      name: "out",
      value: "FILE.succession",
      summary: "where to write it: beside the package, named for it",
      isRequired: true,
      isFile: true,
    },
  ],
  notes: [
    "`svc install tetris.svcpkg` sends tetris.svcpkg.succession along, and a console that knows the app by the old key then knows it by the new one. The old key updates that app no more.",
    "Put the files of several changes together in one, the oldest first; a console follows four.",
  ],
  async run({ values: { old: oldFile = "", new: newFile = "", out = "" } }) {
    const oldKey = await readKey(oldFile);
    const newKey = await readPublicKey(newFile, "as the new key");
    const link = await successionOf(oldKey, newKey);
    await writeOutput(out, `${link.text}\n`);
    return {
      text: `${out}: key ${keyLabel(newKey)} follows ${keyLabel(oldKey)}`,
      json: { file: out, old_key: link.old, new_key: link.new, succession: link.text },
    };
  },
});

/** @param {KeyObject} oldKey private @param {KeyObject} newKey public */
async function successionOf(oldKey, newKey) {
  /** @type {typeof import("../../protocol/signature/statements.ts")} */
  const { successionText, writeSuccession } = await loadTypeScript(["protocol/signature/statements.ts"]);
  const pair = { oldKey: keyBytes(createPublicKey(oldKey)), newKey: keyBytes(newKey) };
  if (Buffer.compare(pair.oldKey, pair.newKey) === 0)
    throw new SvcError("wrong_usage", "Cannot let a key follow itself: --old and --new are the same key");
  const text = successionText(pair.oldKey, pair.newKey);
  const signature = new Uint8Array(sign(null, Buffer.from(text), oldKey));
  const [old, next] = [pair.oldKey, pair.newKey].map((key) => Buffer.from(key).toString("hex"));
  return { text: writeSuccession({ ...pair, signature }), old, new: next };
}
