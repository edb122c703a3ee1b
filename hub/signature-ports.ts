/** The hub's hash and curve for signatures: they accept exactly the signatures that every console accepts. */
import { nobleEd25519 } from "../protocol/noble/noble-ed25519.js";
import type { SignaturePorts } from "../protocol/signature/ed25519.js";
import { NodeDigest } from "../tools/node-bytes.js";

export const SIGNATURE_PORTS: SignaturePorts = Object.freeze({ Digest: NodeDigest, ed25519: nobleEd25519 });
