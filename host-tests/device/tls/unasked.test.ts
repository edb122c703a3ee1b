/** A library that opens a connection without having asked for our verdict, as mbedTLS 3.0 to 3.6.0 do with TLS 1.3. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const root = path.join(import.meta.dirname, "../../..");
const SOURCES = [
  "host-tests/device/tls/unasked.c",
  ...["tls-engine", "tls-verdict", "tls-crypto"].map((name) => `device/tls/mbedtls/native/${name}.c`),
  "device/tls/mbedtls-files/native/tls-trust.c",
  "device/tls/common/native/server-name.c",
  "device/hosts/common/native/byte-queue.c",
];
const FOLDERS = ["device/tls/mbedtls", "device/tls/mbedtls-files", "device/tls/common"].map(
  (name) => `${name}/native`,
);

test.skipIf(isMissing("mbedtls"))(
  "a connection whose certificates were not shown to us is not opened (skipped without mbedtls)",
  () => {
    const program = path.join(temporary.path, "unasked");
    const headers = [
      ...FOLDERS,
      ...new Set(["device/hosts/common/native", "device/hosts/posix/native/network"]),
    ].map((folder) => `-I${folder}`);
    const libraries = ["-lmbedtls", "-lmbedx509", "-lmbedcrypto"];
    const flags = ["-std=gnu17", "-D_GNU_SOURCE", "-Wl,--wrap=mbedtls_ssl_handshake", "-o", program];
    execFileSync("gcc", [...flags, ...headers, ...SOURCES, ...libraries], { cwd: root });
    expect(execFileSync(program, { encoding: "utf8" })).toMatch(/^X509 - Certificate verification failed/);
  },
);
