/**
 * The keys whose signatures a console takes, out of a PEM file (section 6 of the decisions): every Ed25519
 * `PUBLIC KEY`, and the key of every `CERTIFICATE` that has a chain in the file to a self-signed one, unless
 * its usage keeps it from signing packages. What is of no use is told, and takes nothing else with it.
 */
import type { Base64 } from "../../device/ports/bytes.js";
import type { DigestConstructor } from "../../device/ports/digest.js";
import { Fault } from "../fault.js";
import { hexadecimal } from "../hexadecimal.js";
import { type Certificate, readCertificate } from "./certificate.js";
import { findAnchored } from "./certificate-chains.js";
import { CERTIFICATES_LIMIT_BYTES, KEYS_LIMIT, PROBLEMS_LIMIT } from "./limits.js";
import { type PemItem, PemReader } from "./pem-reader.js";
import { readPublicKey } from "./public-key.js";

export interface TrustedKey {
  readonly publicKey: Uint8Array;
  /** For people: the certificate's common name, or the beginning of the key in hexadecimal. */
  readonly label: string;
}

export interface TrustedKeys {
  /** Each once, at most 32. */
  readonly keys: readonly TrustedKey[];
  /** What is of no use and why, a line each, at most 16. */
  readonly problems: readonly string[];
}

export interface TrustedKeysPorts {
  readonly base64: Base64;
  readonly Digest: DigestConstructor;
}

export interface TrustOptions {
  /** Milliseconds since 1970; left out while the clock is not set, and dates are not checked then. */
  readonly now?: number | undefined;
  /** Settles when work may go on: waited for before each signature that is checked. Left out: at once. */
  readonly pause?: () => Promise<void>;
}

/** Takes the file in pieces. */
export class TrustedKeysReader {
  readonly #Digest: DigestConstructor;
  readonly #pem: PemReader;
  readonly #onItem = (item: PemItem) => this.#take(item);
  readonly #keys: TrustedKey[] = [];
  readonly #certificates: { readonly line: number; readonly certificate: Certificate }[] = [];
  #certificatesBytes = 0;
  readonly #problems: string[] = [];

  constructor({ base64, Digest }: TrustedKeysPorts) {
    this.#Digest = Digest;
    this.#pem = new PemReader(base64);
  }

  /** Takes the next bytes of the file. */
  write(bytes: Uint8Array): void {
    this.#pem.write(bytes, this.#onItem);
  }

  /** Says that the file has ended, and follows the chains. To be called once. */
  async end({ now, pause = immediately }: TrustOptions = {}): Promise<TrustedKeys> {
    const last = this.#pem.end();
    if (last) this.#take(last);
    const inForce = this.#certificates.filter((entry) => this.#isInForce(entry, now));
    const chains = { Digest: this.#Digest, pause };
    const candidates = inForce.map(({ certificate }) => certificate);
    const anchored = await findAnchored(candidates, chains);
    for (const { line, certificate } of inForce)
      if (!anchored.has(certificate))
        this.#report(line, `${nameOf(certificate)} does not lead to a self-signed certificate of this file`);
      else if (certificate.maySignPackages) this.#add(line, certificate.publicKey, certificate.label);
    return { keys: this.#keys, problems: this.#problems };
  }

  #take(item: PemItem): void {
    if (item.kind === "problem") {
      this.#report(item.line, item.text);
      return;
    }
    try {
      this.#takeBlock(item.label, item.bytes, item.line);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#report(item.line, `${item.label} cannot be used: ${error.message}`);
    }
  }

  #takeBlock(label: string, bytes: Uint8Array, line: number): void {
    if (label === "PUBLIC KEY") {
      const publicKey = readPublicKey(bytes);
      this.#add(line, publicKey, hexadecimal(publicKey.subarray(0, 8)));
    } else if (label === "CERTIFICATE") {
      if (this.#certificatesBytes + bytes.length > CERTIFICATES_LIMIT_BYTES)
        throw new Fault("keys_invalid", `certificates take more than ${CERTIFICATES_LIMIT_BYTES} bytes`);
      this.#certificates.push({ line, certificate: readCertificate(bytes) });
      this.#certificatesBytes += bytes.length;
    } else throw new Fault("keys_invalid", "only PUBLIC KEY and CERTIFICATE are");
  }

  /** The key is copied, so that nothing else stays of what it was read from. */
  #add(line: number, publicKey: Uint8Array, label: string): void {
    const digits = hexadecimal(publicKey);
    if (this.#keys.some((key) => hexadecimal(key.publicKey) === digits)) return;
    if (this.#keys.length < KEYS_LIMIT) this.#keys.push({ publicKey: publicKey.slice(), label });
    else this.#report(line, `there are ${KEYS_LIMIT} keys before this one, which are all that are taken`);
  }

  #isInForce({ line, certificate }: { line: number; certificate: Certificate }, now = Number.NaN): boolean {
    const { notBefore, notAfter } = certificate;
    if (now < notBefore)
      this.#report(line, `${nameOf(certificate)} is not valid before ${dateOf(notBefore)}`);
    else if (now > notAfter) this.#report(line, `${nameOf(certificate)} expired on ${dateOf(notAfter)}`);
    else return true; // a clock that is not set is neither
    return false;
  }

  #report(line: number, text: string): void {
    if (this.#problems.length < PROBLEMS_LIMIT) this.#problems.push(`line ${line}: ${text}`);
  }
}

/** All of the file at once. */
export function readTrustedKeys(
  file: Uint8Array | string,
  { now, pause = immediately, ...ports }: TrustedKeysPorts & TrustOptions,
): Promise<TrustedKeys> {
  const reader = new TrustedKeysReader(ports);
  reader.write(typeof file === "string" ? new TextEncoder().encode(file) : file);
  return reader.end({ now, pause });
}

async function immediately(): Promise<void> {}

function nameOf({ label }: Certificate): string {
  return `certificate "${label}"`;
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
