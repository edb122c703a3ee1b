/** The client of the hub on XS, over TCP and over TLS, against the servers of Node. */
import { randomBytes } from "node:crypto";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { CertificateMaker } from "../../hosts/certificates.js";
import { buildProgram, type Program, temporaryDirectory } from "../../hosts/simulator-program.js";
import { FileServer } from "../../unit/hub-client/file-server.js";

const directory = temporaryDirectory();
let program: Program;
beforeAll(async () => {
  program = await buildProgram(path.join(import.meta.dirname, "hub-client-program.ts"), directory.path);
});
afterAll(() => directory.remove());

const INSTALL = {
  type: "app.install",
  command_id: "c1",
  app_id: "tetris",
  version: "1.0.0",
  download_url: "http://hub.example/tetris",
};

/** A hub that registers every device, installs an app on it, and then disconnects once. */
function beHub(server: FileServer): readonly unknown[] {
  const heard: unknown[] = [];
  server.answer = (request, response) => {
    if (request.method !== "POST") return false;
    request.resume();
    response.writeHead(201).end('{"device_id":"d1","claim_code":"ABCD-1234"}');
    return true;
  };
  const sockets = new WebSocketServer({ server: server.server });
  sockets.on("connection", (socket, { url }) => {
    heard.push(url);
    socket.send('{"type":"app.dance"}');
    socket.send("{");
    socket.send(JSON.stringify(INSTALL));
    socket.on("message", (data) => {
      heard.push(JSON.parse(String(data)));
      socket.close(1012);
    });
  });
  return heard;
}

for (const scheme of ["http", "https"])
  describe(`over ${scheme}`, () => {
    test("a console downloads a file over connections cut every 64 KiB, registers, and receives commands", async () => {
      const maker = new CertificateMaker(directory.path);
      const certificate = maker.make({ commonName: "Hub", names: ["IP:127.0.0.1"] });
      await using server = await FileServer.of(
        randomBytes(1024 * 1024),
        scheme === "https" ? certificate : undefined,
      );
      server.cutBytes = 64 * 1024;
      const heard = beHub(server);
      const flags = ["--hub-ca", maker.save(certificate), "--config", `HUB=${server.origin}`];
      const { lines } = await program.run({ state: path.join(directory.path, scheme), flags });
      const { sha256 } = server;
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        { name: "file", value: { sizeBytes: 1024 * 1024, signature: "ab".repeat(64), sha256 } },
        { name: "registration", value: { deviceId: "d1", claimCode: "ABCD-1234" } },
        { name: "malformed", value: "bad_json" },
        { name: "message", value: INSTALL },
        { name: "closed", value: "hub_unreachable" },
      ]);
      const result = {
        type: "app.install.result",
        app_id: "tetris",
        command_id: "c1",
        success: true,
        error: null,
      };
      const place = "/ws/device/0b0f2a1e-7a55-4c0e-9d0b-1f6a3c2d4e5f";
      expect(heard.slice(0, 3)).toEqual([place, result, place]);
      expect(server.asked.filter(({ range }) => range !== undefined)).toHaveLength(15);
    });
  });
