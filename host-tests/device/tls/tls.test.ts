/**
 * TLS of the simulated console against the TLS of Node: by OpenSSL, and in the variant `mbedtls` by mbedTLS, as on a
 * board. Both speak of the same problems in the same words.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildSimulator, type Variant } from "../../../simulator/build.js";
import { TLS_CONTRACT } from "../../contracts/tls.js";
import { type Certificate, CertificateMaker } from "../../hosts/certificates.js";
import { isMissing } from "../../hosts/peers.js";
import { isSanitized, startConsole, usualVariant } from "../../hosts/simulator.js";
import {
  buildProgram,
  type Program,
  type ProgramRun,
  temporaryDirectory,
} from "../../hosts/simulator-program.js";
import { startTlsServers, type TlsServers } from "./tls-servers.js";

interface Report {
  readonly name: string;
  readonly problem?: string;
}

/** Traces whether there is TLS, and is ready. */
const LOOK = `
import Tls from "svc/tls";
import system from "svc/system";
export default function main() {
  trace("TLS is " + typeof Tls + "\\n");
  system.ready({ name: "Console-TEST", httpPort: 0, wsPort: 0 });
}
`;

const directory = temporaryDirectory();
const file = (name: string) => path.join(directory.path, name);
let maker: CertificateMaker;
let servers: TlsServers;

beforeAll(async () => {
  if (isMissing("openssl")) return;
  maker = new CertificateMaker(directory.path);
  servers = await startTlsServers(maker);
});
afterAll(() => {
  servers?.close();
  directory.remove();
});

const ports = () => ["--config", `SERVERS=${JSON.stringify(servers.ports)}`];
const reportsOf = ({ lines }: ProgramRun): readonly Report[] =>
  lines.map((line) => (line.startsWith("{") ? JSON.parse(line) : { name: line }));

const ENGINES: readonly { readonly name: string; readonly variant: Variant; readonly isThere: boolean }[] = [
  { name: "OpenSSL", variant: usualVariant, isThere: true },
  { name: "mbedTLS (skipped without mbedtls)", variant: "mbedtls", isThere: !isMissing("mbedtls") },
];

for (const { name: engine, variant, isThere } of ENGINES)
  describe.skipIf(isMissing("openssl") || !isThere)(`TLS by ${engine} (skipped without openssl)`, () => {
    describe("on XS", () => {
      let reports: readonly Report[] = [];
      beforeAll(async () => {
        const program = await buildProgram(
          path.join(import.meta.dirname, "tls-program.ts"),
          directory.path,
          variant,
        );
        const flags = ["--hub-ca", maker.save(servers.authority), ...ports()];
        reports = reportsOf(await program.run({ state: file("state"), flags }));
      });

      for (const { name } of TLS_CONTRACT)
        test(name, () => {
          const report = reports.find((candidate) => candidate.name === name);
          expect(report, "is reported").toBeDefined();
          expect(report?.problem).toBeUndefined();
        });

      test("reports the contract's cases and nothing else", () =>
        expect(reports.map(({ name }) => name)).toEqual(TLS_CONTRACT.map(({ name }) => name)));
    });

    describe("trusted authorities of a console", () => {
      let program: Program;
      beforeAll(async () => {
        program = await buildProgram(
          path.join(import.meta.dirname, "trust-program.ts"),
          directory.path,
          variant,
        );
      });

      /** Connects with these flags and system certificates. @returns the result */
      async function connect(flags: readonly string[], system?: Certificate): Promise<string | undefined> {
        const environment = {
          SSL_CERT_FILE: system ? maker.save(system) : file("none"),
          SSL_CERT_DIR: file("none"),
        };
        const options = { state: file("trust"), flags: [...flags, ...ports()], environment };
        return (await program.run(options)).lines.at(-1);
      }
      const UNKNOWN = 'Cannot speak TLS with "localhost": unable to get local issuer certificate';

      test("are the system's by default", async () => {
        expect(await connect([], servers.authority)).toBe("open");
        expect(await connect([])).toBe(UNKNOWN);
      });

      test("are only those of --hub-ca if given", async () => {
        const stranger = maker.make({ commonName: "Stranger", isAuthority: true });
        expect(await connect(["--hub-ca", maker.save(stranger)], servers.authority)).toBe(UNKNOWN);
        expect(await connect(["--hub-ca", maker.save(stranger, servers.authority)])).toBe("open");
      });

      test("may be the certificate of a single server", async () =>
        expect(await connect(["--hub-ca", maker.save(servers.server)])).toBe("open"));

      const WRONG = [
        { name: "that is missing", text: undefined, problem: "cannot be read" },
        { name: "that is empty", text: "", problem: "holds no certificate in PEM" },
        { name: "without a certificate", text: "certificate\n", problem: "holds no certificate in PEM" },
        {
          name: "with a damaged certificate",
          text: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
          problem: "holds a certificate that cannot be read",
        },
      ];
      for (const { name, text, problem } of WRONG)
        test(`prevent the start with a file ${name}`, async () => {
          const wrong = file("wrong.pem");
          if (text !== undefined) writeFileSync(wrong, text);
          const named = text === undefined ? file("absent.pem") : wrong;
          const command = await buildSimulator({ variant });
          const { status, stderr } = spawnSync(command, ["--check", "--hub-ca", named], { encoding: "utf8" });
          expect(stderr.split("\n")[0]).toBe(`console: "${named}" ${problem}`);
          expect(status).toBe(2);
        });
    });
  });

if (!isSanitized)
  describe.skipIf(isMissing("multilib"))("A 32-bit console (skipped without multilib)", () => {
    test("has no TLS, and rejects --hub-ca with status 2", async () => {
      const console = await startConsole({ image: LOOK, variant: "m32" });
      await console.waitForLine(/^TLS is undefined$/);
      await console.stop();
      const command = await buildSimulator({ variant: "m32" });
      const { status, stderr } = spawnSync(command, ["--check", "--hub-ca", "ca.pem"], { encoding: "utf8" });
      expect([status, stderr.split("\n")[0]]).toEqual([
        2,
        'console: "ca.pem" is of no use: this console has no TLS',
      ]);
    });
  });
