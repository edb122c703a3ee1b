import { loadSandbox } from "../../../tools/sandbox.js";
import { BASE64_CONTRACT } from "../../contracts/base64.js";
import { BYTES_CONTRACT } from "../../contracts/bytes.js";
import { CRC32_CONTRACT } from "../../contracts/crc32.js";
import { DIGEST_CONTRACT } from "../../contracts/digest.js";
import { HEXADECIMAL_CONTRACT } from "../../contracts/hexadecimal.js";
import { RANDOM_CONTRACT } from "../../contracts/random.js";
import { SANDBOX_CONTRACT } from "../../contracts/sandbox.js";
import { TEXT_CONTRACT, type TextHost } from "../../contracts/text.js";
import { NodeCrc32, NodeDigest, nodeBase64, nodeRandom } from "../../hosts/node-bytes.js";
import { runContract } from "./run-contract.js";

const sandbox = await loadSandbox(["validator"]);

runContract("Digest over node:crypto", DIGEST_CONTRACT, () => NodeDigest);
runContract("Crc32 over node:zlib", CRC32_CONTRACT, () => NodeCrc32);
runContract("Base64 over Buffer", BASE64_CONTRACT, () => nodeBase64);
runContract("Bytes of Node", BYTES_CONTRACT, () => ({
  detach: (buffer) => void structuredClone(buffer, { transfer: [buffer] }),
}));
runContract("Hexadecimal digits of Node", HEXADECIMAL_CONTRACT, () => undefined);
runContract("Random over node:crypto", RANDOM_CONTRACT, () => nodeRandom);
runContract("Sandbox over V8", SANDBOX_CONTRACT, () => sandbox);
runContract("Text of Node", TEXT_CONTRACT, () => ({ TextEncoder, TextDecoder }) as TextHost);
