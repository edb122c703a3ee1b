/**
 * `svc keys …`: manages the keys that consoles no longer trust (docs/spec/keys.md#revocations), and those with which the
 * owner of a console signs apps (docs/spec/keys.md#owner-keys).
 */
import { createPublicKey, sign } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Device } from "../../device-client/device.js";
import type { OwnerKeysAnswer } from "../../protocol/device/answers.js";
import {
  type RevocationList,
  readRevocationList,
  revokedKeys,
  writeRevocationList,
} from "../../protocol/keys/revocation-list.js";
import type { Call, Command } from "../command.js";
import { deviceError } from "../device/client.js";
import { readContent, TEXT_FILE_LIMIT_BYTES, writeOutput } from "../files.js";
import { keyBytes, readKey, readPublicKey } from "../key-files.js";
import { SvcError } from "../svc-error.js";

export const keysRevoke: Command = Object.freeze<Command>({
  name: "keys revoke",
  summary: "Write a list of revoked keys, which consoles no longer trust.",
  parameters: [
    {
      name: "PUB",
      summary: "public key or certificate to revoke",
      isOptional: true,
      isRepeatable: true,
      isFile: true,
    },
  ],
  options: [
    {
      name: "key",
      value: "PEM",
      summary: "sign with this private key, which consoles must trust for firmware",
      isRequired: true,
      isFile: true,
    },
    {
      name: "from",
      value: "LIST",
      summary: "previous list; its keys stay revoked",
      isFile: true,
    },
    {
      name: "number",
      value: "N",
      summary: "number of the list, at least 1; default: 1 more than that of --from",
    },
    { name: "out", value: "LIST", summary: "list to write", isRequired: true, isFile: true },
  ],
  notes: [
    "A list replaces the previous one completely and needs a higher number. Name the previous list with --from, or its keys are trusted again.",
    "Send the list to a console with `svc keys send LIST`. A console rejects a list that would leave it without a firmware key.",
  ],
  run: revoke,
});

export const keysSend: Command = Object.freeze<Command>({
  name: "keys send",
  summary: "Send a list of revoked keys to a console.",
  parameters: [{ name: "LIST", summary: "list from `svc keys revoke`", isFile: true }],
  options: [],
  isForConsole: true,
  async run({ values: { LIST: file = "" }, device }) {
    const { bytes } = await readList(file);
    const answer = await (await device()).sendRevocations(new Uint8Array(bytes));
    return { text: describe(answer), json: answer };
  },
});

export const keysShow: Command = Object.freeze<Command>({
  name: "keys show",
  summary: "Show the list of revoked keys on a console, or in a file.",
  parameters: [
    {
      name: "LIST",
      summary: "file with a list; default: the list on the console",
      isOptional: true,
      isFile: true,
    },
  ],
  options: [],
  isForConsole: true,
  async run({ values: { LIST: file }, device }) {
    if (file === undefined) {
      const answer = await (await device()).revocations();
      return { text: describe(answer), json: answer };
    }
    const list = await readList(file);
    const keys = revokedKeys(list).map((key) => Buffer.from(key).toString("hex"));
    const signer = Buffer.from(list.signer).toString("hex");
    const answer = { number: list.number, revoked: list.count, signed_by: signer, keys };
    return { text: [describe(answer), `signed by ${signer}`, ...keys].join("\n"), json: answer };
  },
});

const OWNER_NOTES = Object.freeze([
  "Over USB the console changes its keys at once. Over the network it takes the bearer token (--token), and the console asks on its display for two minutes; compare the digits there.",
]);

export const keysList: Command = Object.freeze<Command>({
  name: "keys list",
  summary: "List the keys for apps that the owner of a console has added.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device }) {
    const answer = await (await device()).ownerKeys();
    return { text: textOf(answer), json: answer };
  },
});

export const keysAdd: Command = Object.freeze<Command>({
  name: "keys add",
  summary: "Let a console run apps that are signed with your key.",
  parameters: [
    { name: "PUB", summary: "public key, such as publisher.pub.pem of `svc keygen`", isFile: true },
  ],
  options: [],
  isForConsole: true,
  notes: [
    ...OWNER_NOTES,
    "A console takes at most four such keys. They sign apps and nothing else; a factory reset removes them.",
  ],
  async run(call) {
    const { PUB: file = "" } = call.values;
    const key = Buffer.from(keyBytes(await readPublicKey(file, "as the key of an owner"))).toString("hex");
    return changed(call, key, false);
  },
});

export const keysRemove: Command = Object.freeze<Command>({
  name: "keys remove",
  summary: "Remove a key for apps that the owner of a console has added.",
  parameters: [{ name: "KEY", summary: "its first 16 digits or more, as `svc keys list` shows them" }],
  options: [],
  isForConsole: true,
  notes: [
    ...OWNER_NOTES,
    "Apps that run only by this key are stopped, and start no more until it is added again. They stay installed, with their data.",
  ],
  run: (call) => changed(call, (call.values["KEY"] ?? "").toLowerCase(), true),
});

/** Changes a key, and waits for the user's answer where the console asks. */
async function changed({ device: find, output, signal }: Call, key: string, isRemoval: boolean) {
  const device = await find();
  let answer = await device.changeOwnerKeys(key, isRemoval);
  if (answer.question !== undefined) {
    output.note(`the console asks on its display whether to ${isRemoval ? "remove" : "add"} ${grouped(key)}`);
    answer = await answered(device, answer.question, signal);
  }
  const isPresent = answer.keys.some((present) => present.key.startsWith(key));
  if (isPresent !== isRemoval) return { text: textOf(answer), json: answer };
  throw await deviceError("declined", "The question on the display was refused, or its time is over");
}

const ASK_AGAIN_MS = 1000;

async function answered(device: Device, question: string, signal: AbortSignal): Promise<OwnerKeysAnswer> {
  for (;;) {
    await pause(ASK_AGAIN_MS, undefined, { signal });
    const answer = await device.ownerKeys();
    if (answer.question !== question) return answer;
  }
}

/** As the display shows them. */
function grouped(digits: string): string {
  return digits.replace(/.{4}(?=.)/g, "$& ");
}

function textOf({ keys }: OwnerKeysAnswer): string {
  if (keys.length === 0) return "no keys of the owner";
  return keys.map(({ key }) => key).join("\n");
}

async function revoke({ values, lists: { PUB: files = [] } }: Call) {
  const { key: keyFile = "", from, number: text, out = "" } = values;
  const key = await readKey(keyFile);
  const old = from === undefined ? undefined : await readList(from);
  const number = text === undefined ? (old?.number ?? 0) + 1 : readNumber(text);
  if (old && number <= old.number)
    throw new SvcError(
      "wrong_usage",
      `--number ${number} must be greater than ${old.number}, the number of "${from}"`,
    );
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
  const { count } = readRevocationList(list);
  return {
    text: `${out}: ${describe({ number, revoked: count })}`,
    json: { file: out, number, revoked: count },
  };
}

async function checked(write: () => Uint8Array): Promise<Uint8Array> {
  try {
    return write();
  } catch (error) {
    if (error instanceof RangeError) throw new SvcError("wrong_usage", error.message);
    throw error;
  }
}

function readNumber(text: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(text)) return Number(text);
  throw new SvcError("wrong_usage", `--number must be a number from 1 on, not "${text}"`);
}

async function readList(file: string): Promise<RevocationList> {
  return readRevocationList(await readContent(file, TEXT_FILE_LIMIT_BYTES));
}

function describe({ number, revoked }: { readonly number: number; readonly revoked: number }): string {
  if (number === 0) return "no list; no key is revoked";
  return `list ${number}: ${revoked} ${revoked === 1 ? "key is" : "keys are"} revoked`;
}
