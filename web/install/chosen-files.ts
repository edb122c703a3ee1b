/** Finds the app and its signature among files that were chosen or dropped together. */
import { hexadecimal } from "../../protocol/hexadecimal.js";
import { readSignatureFile } from "../../protocol/signature/signature-text.js";

/** The part of the browser's `File` that is used here. */
export interface ChosenFile {
  readonly name: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export type Chosen<FileOf extends ChosenFile = ChosenFile> =
  | {
      readonly app: FileOf;
      readonly signature: FileOf | undefined;
      /** Whether the signature's file name does not match the app's. */
      readonly isForeign: boolean;
    }
  /** Why the choice is invalid, and what to choose instead. */
  | { readonly problem: string };

const SIGNATURE_END = ".sig";

export function sortChosenFiles<FileOf extends ChosenFile>(files: readonly FileOf[]): Chosen<FileOf> {
  const apps = files.filter(({ name }) => !name.endsWith(SIGNATURE_END));
  const signatures = files.filter(({ name }) => name.endsWith(SIGNATURE_END));
  const [app] = apps;
  if (!app) return { problem: noApp(signatures) };
  if (apps.length > 1) return { problem: `Choose one app at a time: these are ${apps.length}.` };
  const own = signatures.find(({ name }) => name === app.name + SIGNATURE_END);
  const signature = own ?? onlyOf(signatures);
  return { app, signature, isForeign: signature !== own };
}

/** @throws {Fault} `signature_invalid`, `signature_missing` @returns 128 hexadecimal digits */
export async function signatureIn(file: ChosenFile): Promise<string> {
  return hexadecimal(readSignatureFile(new Uint8Array(await file.arrayBuffer())));
}

function noApp(signatures: readonly ChosenFile[]): string {
  const [signature] = signatures;
  if (!signature)
    return "No file was chosen. Choose a package (.svcpkg), a module (.wasm) or an AOT file (.aot).";
  const app = signature.name.slice(0, -SIGNATURE_END.length);
  return `"${signature.name}" is a signature. Choose "${app}" together with it.`;
}

/** A single signature is used even if its name does not match; of several, it is unclear which one is meant. */
function onlyOf<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}
