/**
 * Which certificates have a chain to a self-signed one of the same file. Trust goes down from those along
 * checked signatures, so that certificates that only certify each other are never reached.
 */
import type { DigestConstructor } from "../../device/ports/digest.js";
import { verifySignature } from "../signature/ed25519.js";
import type { Certificate } from "./certificate.js";
import { CHAIN_LIMIT } from "./limits.js";

export interface ChainOptions {
  readonly Digest: DigestConstructor;
  /** Settles when the next signature may be checked: each takes milliseconds. */
  readonly pause: () => Promise<void>;
}

/** `issuer` has signed `subject`; where both are the same it is self-signed. */
interface Link {
  readonly issuer: Certificate;
  readonly subject: Certificate;
}

/** @param certificates those that may be part of a chain: none that has expired */
export async function findAnchored(
  certificates: readonly Certificate[],
  options: ChainOptions,
): Promise<ReadonlySet<Certificate>> {
  return anchoredBy(await linksAmong(certificates, options));
}

async function linksAmong(certificates: readonly Certificate[], options: ChainOptions): Promise<Link[]> {
  const links: Link[] = [];
  for (const issuer of certificates)
    for (const subject of certificates) {
      if (!mayBeLinked(issuer, subject)) continue;
      await options.pause();
      if (hasSigned(issuer, subject, options.Digest)) links.push({ issuer, subject });
    }
  return links;
}

function mayBeLinked(issuer: Certificate, subject: Certificate): boolean {
  return (issuer === subject || issuer.mayCertify) && areEqual(issuer.subject, subject.issuer);
}

function hasSigned(issuer: Certificate, subject: Certificate, Digest: DigestConstructor): boolean {
  const { signature, signedBytes: message } = subject;
  return verifySignature({ signature, message, publicKey: issuer.publicKey, Digest });
}

/** Begins with the self-signed ones and goes on for as long as a certificate is reached with more room. */
function anchoredBy(links: readonly Link[]): ReadonlySet<Certificate> {
  const rooms = new Map<Certificate, number>();
  for (const { issuer, subject } of links)
    if (issuer === subject) rooms.set(issuer, roomBelow(issuer, CHAIN_LIMIT));
  for (let isChanging = true; isChanging; ) {
    isChanging = false;
    for (const { issuer, subject } of links) {
      const above = rooms.get(issuer) ?? 0;
      const room = roomBelow(subject, above);
      if (above < 1 || room <= (rooms.get(subject) ?? -1)) continue;
      rooms.set(subject, room);
      isChanging = true;
    }
  }
  return new Set(rooms.keys());
}

/** How many certificates may follow this one in a chain, where `above` may, this one included. */
function roomBelow({ mayCertify, pathLength }: Certificate, above: number): number {
  return mayCertify ? Math.min(above - 1, pathLength + 1) : 0;
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => b[at] === byte);
}
