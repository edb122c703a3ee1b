/** Hash and curve of signatures as the hub has them: the same rule of which signatures hold as on every console. */

import { nobleEd25519 } from "../protocol/noble/noble-ed25519.js";
import type { SignaturePorts } from "../protocol/signature/ed25519.js";
import { NodeDigest } from "../tools/node-bytes.js";

export const SIGNATURE_PORTS: SignaturePorts = Object.freeze({ Digest: NodeDigest, ed25519: nobleEd25519 });
