/** `svc keys …`: manages the keys that consoles no longer trust (docs/spec/keys.md#revocations). */
import { createPublicKey, sign } from "node:crypto";
import { loadTypeScript } from "../../tools/load-typescript.js";
import { keyBytes, readPublicKey } from "../apps/public-key.js";
import { readKey } from "../apps/signing-key.js";
import { readContent, TEXT_FILE_LIMIT_BYTES, writeOutput } from "../files.js";
import { SvcError } from "../svc-error.js";

/** @typedef {typeof import("../../protocol/keys/revocation-list.ts")} Lists */
/** @typedef {import("../../protocol/keys/revocation-list.ts").RevocationList} RevocationList */

/** @type {import("../command.js").Command} */
export const keysRevoke = Object.freeze({
  name: "keys revoke",
  summary: "Make a list of revoked keys, which consoles trust no more.",
  parameters: [
    {
      name: "PUB",
      summary: "file of a public key or certificate to revoke",
      isOptional: true,
      isRepeatable: true,
      isFile: true,
    },
  ],
  options: [
    {
      name: "key",
      value: "PEM",
      summary: "file of the private key to sign with; consoles trust it for firmware",
      isRequired: true,
      isFile: true,
    },
    {
      name: "from",
      value: "LIST",
      summary: "the list before this one: its keys stay revoked",
      isFile: true,
    },
    { name: "number", value: "N", summary: "of the list, from 1 on; by default 1 more than that of --from" },
    { name: "out", value: "LIST", summary: "the list to write", isRequired: true, isFile: true },
  ],
  notes: [
    "A list takes the place of the one before it as a whole, and its number is higher: name the old list with --from, or its keys are trusted again.",
    "`svc keys send LIST` brings it to a console. A console takes no list that would leave it without a key for firmware.",
  ],
  run: revoke,
});

/** @type {import("../command.js").Command} */
export const keysSend = Object.freeze({
  name: "keys send",
  summary: "Send a list of revoked keys to a console.",
  parameters: [{ name: "LIST", summary: "as `svc keys revoke` makes it", isFile: true }],
  options: [],
  isForConsole: true,
  async run({ values: { LIST: file = "" }, device }) {
    const { bytes } = await readList(file);
    const answer = await (await device()).sendRevocations(new Uint8Array(bytes));
    return { text: describe(answer), json: answer };
  },
});

/** @type {import("../command.js").Command} */
export const keysShow = Object.freeze({
  name: "keys show",
  summary: "Show which list of revoked keys a console has, or what is in a list.",
  parameters: [{ name: "LIST", summary: "a list; by default the console's", isOptional: true, isFile: true }],
  options: [],
  isForConsole: true,
  async run({ values: { LIST: file }, device }) {
    if (file === undefined) {
      const answer = await (await device()).revocations();
      return { text: describe(answer), json: answer };
    }
    const list = await readList(file);
    const { revokedKeys } = await lists();
    const keys = revokedKeys(list).map((key) => Buffer.from(key).toString("hex"));
    const signer = Buffer.from(list.signer).toString("hex");
    const answer = { number: list.number, revoked: list.count, signed_by: signer, keys };
    return { text: [describe(answer), `signed by ${signer}`, ...keys].join("\n"), json: answer };
  },
});

/** @param {import("../command.js").Call} call */
async function revoke({ values, lists: { PUB: files = [] } }) {
  const { key: keyFile = "", from, number: text, out = "" } = values;
  const key = await readKey(keyFile);
  const old = from === undefined ? undefined : await readList(from);
  const number = text === undefined ? (old?.number ?? 0) + 1 : readNumber(text);
  if (old && number <= old.number)
    throw new SvcError("wrong_usage", `--number ${number} is not above that of "${from}", ${old.number}`);
  const { revokedKeys, writeRevocationList } = await lists();
  const added = await Promise.all(
    files.map(async (file) => keyBytes(await readPublicKey(file, "to revoke it"))),
  );
  const list = await checked(() =>
    writeRevocationList({
      number,
      keys: [...(old ? revokedKeys(old) : []), ...added],
      signer: keyBytes(createPublicKey(key)),
      sign: (message) => new Uint8Array(sign(null, message, key)),
    }),
  );
  await writeOutput(out, list);
  const { count } = (await lists()).readRevocationList(list);
  return {
    text: `${out}: ${describe({ number, revoked: count })}`,
    json: { file: out, number, revoked: count },
  };
}

/** @param {() => Uint8Array} write */
async function checked(write) {
  try {
    return write();
  } catch (error) {
    if (error instanceof RangeError) throw new SvcError("wrong_usage", error.message);
    throw error;
  }
}

/** @param {string} text */
function readNumber(text) {
  if (/^[1-9][0-9]{0,9}$/.test(text)) return Number(text);
  throw new SvcError("wrong_usage", `--number takes a number from 1 on, not "${text}"`);
}

/** @returns {Promise<Lists>} */
function lists() {
  return loadTypeScript(["protocol/keys/revocation-list.ts"]);
}

/** @param {string} file @returns {Promise<RevocationList>} */
async function readList(file) {
  const { readRevocationList } = await lists();
  return readRevocationList(await readContent(file, TEXT_FILE_LIMIT_BYTES));
}

/** @param {{ readonly number: number, readonly revoked: number }} list */
function describe({ number, revoked }) {
  if (number === 0) return "no list: no key is revoked";
  return `list ${number}: ${revoked} ${revoked === 1 ? "key is" : "keys are"} revoked`;
}
