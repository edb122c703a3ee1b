import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  DOWNLOAD_TRIES,
  Download,
  type DownloadFacts,
  type DownloadOptions,
} from "../../../hub-client/download.js";
import type { Fault } from "../../../protocol/fault.js";
import { parseHubAddress } from "../../../protocol/hub/hub-address.js";
import { hastyTimer, nodePorts, octets, ScriptedNetwork, sentText, turn } from "./client-ports.js";
import { FileServer } from "./file-server.js";

const FILE = octets("the quick brown fox jumps over the lazy dog");

let server: FileServer;
beforeEach(async () => {
  server = await FileServer.of(FILE);
});
afterEach(() => server[Symbol.asyncDispose]());

/** A download and the bytes that it has delivered. */
class Received {
  readonly heads: DownloadFacts[] = [];
  readonly pieces: Uint8Array[] = [];
  readonly download: Download;

  constructor(options: Partial<DownloadOptions> = {}) {
    this.download = new Download({
      ports: nodePorts(),
      url: `${server.origin}/api/v1/file`,
      token: "t0ken",
      hub: parseHubAddress(server.origin),
      onHead: (facts) => this.heads.push(facts),
      onBytes: (bytes) => this.pieces.push(bytes.slice()),
      ...options,
    });
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.pieces);
  }

  /** The code of its failure. */
  async failure(): Promise<string> {
    return this.download.finished.then(
      () => "no failure",
      (fault: Fault) => fault.code,
    );
  }
}

/** Every name stands for this computer. */
const toLoopback: DownloadOptions["ports"]["resolver"] = {
  resolve: (_, onResolved) => setImmediate(() => onResolved(undefined, "127.0.0.1")),
};

const same = (bytes: Uint8Array, file: Uint8Array) => expect(Buffer.compare(bytes, file)).toBe(0);

describe("a download", () => {
  test("delivers every byte once, after the head's description", async () => {
    const received = new Received();
    const facts = await received.download.finished;
    same(received.bytes, FILE);
    expect(facts).toEqual({ sizeBytes: FILE.length, sha256: server.sha256, signature: "ab".repeat(64) });
    expect(received.heads).toEqual([facts]);
    expect(server.asked).toEqual([{ authorization: "Bearer t0ken", range: undefined, ifRange: undefined }]);
  });

  test("of an empty file completes at once", async () => {
    server.file = new Uint8Array(0);
    const received = new Received();
    expect((await received.download.finished).sizeBytes).toBe(0);
    expect(received.pieces).toEqual([]);
  });

  test("continues after a cut at any byte", async () => {
    server.cutBytes = 1;
    const received = new Received();
    await received.download.finished;
    same(received.bytes, FILE);
    expect(received.heads).toHaveLength(1);
    const ifRange = `"${server.sha256}"`;
    expect(server.asked.slice(1)).toEqual(
      [...FILE.keys()]
        .slice(1)
        .map((at) => ({ authorization: "Bearer t0ken", range: `bytes=${at}-`, ifRange })),
    );
  });

  test("continues after cuts at every 64 KiB of a MiB", async () => {
    server.file = randomBytes(1024 * 1024);
    server.cutBytes = 64 * 1024;
    const received = new Received();
    await received.download.finished;
    same(received.bytes, server.file);
    expect(server.asked).toHaveLength(16);
  });

  test("continues after a cut within the head, or before any byte", async () => {
    server.answer = (_, response, count) => {
      if (count === 1) response.socket?.destroy();
      else if (count === 2) response.socket?.end("HTTP/1.1 200 OK\r\ncontent-le");
      else if (count === 3)
        response.writeHead(200, { "content-length": FILE.length, etag: `"${server.sha256}"` }).flushHeaders();
      if (count === 3) response.socket?.end();
      return count <= 3;
    };
    const received = new Received();
    await received.download.finished;
    same(received.bytes, FILE);
    expect([received.heads.length, server.asked.length]).toEqual([1, 4]);
  });

  test("waits as long as a busy hub demands, a minute at most, and tries again", async () => {
    const waits: number[] = [];
    server.answer = (_, response, count) => {
      if (count === 1) response.writeHead(503, { "retry-after": "7" }).end('{"error":"busy","message":"x"}');
      if (count === 2) response.writeHead(429, { "retry-after": "999999" }).end();
      return count <= 2;
    };
    const timer = hastyTimer((milliseconds) => waits.push(milliseconds));
    const received = new Received({ ports: nodePorts({ timer, clock: { uptimeMs: () => 0 } }) });
    await received.download.finished;
    expect(waits).toEqual([7_000, 60_000]);
    same(received.bytes, FILE);
  });

  test("from the hub uses the console's own address of it, with the token, whatever origin the hub wrote", async () => {
    const hub = parseHubAddress(`${server.origin}/console`);
    const targets: (string | undefined)[] = [];
    server.answer = ({ url }) => targets.push(url) < 0;
    for (const written of ["https://hub.invalid", "http://127.0.0.1:1/elsewhere", server.origin]) {
      await new Received({ hub, url: `${written}/api/v1/file?version=1.0.0` }).download.finished;
      expect(server.asked.at(-1)?.authorization).toBe("Bearer t0ken");
    }
    expect(targets).toEqual(Array(3).fill("/console/api/v1/file?version=1.0.0"));
  });

  test("from another vouched-for address is fetched without the token", async () => {
    const hub = parseHubAddress("http://hub.invalid");
    for (const path of ["/file", "/file?of=/api/v1/file"]) {
      await new Received({ hub, url: server.origin + path, isVouchedFor: true }).download.finished;
      expect(server.asked.at(-1)?.authorization).toBeUndefined();
      await new Received({ url: server.origin + path }).download.finished;
      expect(server.asked.at(-1)?.authorization).toBeUndefined();
    }
    expect(server.asked).toHaveLength(4);
  });

  for (const url of [
    "http://127.0.0.1:8080/api/cmd?c=reboot",
    "http://[::1]:8080/api/cmd?c=reboot",
    "http://169.254.169.254/latest",
    "http://hub.example.invalid/file",
  ])
    test(`from ${url} is refused before any request, as it is not the hub`, () => {
      expect(() => new Received({ url })).toThrow(expect.objectContaining({ code: "download_refused" }));
      expect(server.asked).toEqual([]);
    });

  test("from another port of the hub's host is refused", () => {
    const hub = parseHubAddress("http://127.0.0.1:1");
    expect(() => new Received({ hub, url: `${server.origin}/file` })).toThrow(
      expect.objectContaining({ code: "download_refused" }),
    );
  });

  for (const isVouchedFor of [false, true])
    test(`is refused when its name leads to the console itself later, vouched for: ${isVouchedFor}`, async () => {
      const isOwnPort = (address: string, port: number) =>
        address === "127.0.0.1" && server.origin.endsWith(`:${port}`) && server.asked.length > 0;
      server.cutBytes = 10;
      const ports = nodePorts({ isOwnPort, resolver: toLoopback });
      const url = `${server.origin.replace("127.0.0.1", "rebound.example")}${isVouchedFor ? "/file" : "/api/v1/file"}`;
      const received = new Received({ ports, url, isVouchedFor });
      expect(await received.failure()).toBe("download_refused");
      expect(received.bytes.length).toBe(10);
      expect(server.asked).toHaveLength(1);
    });

  test("is refused over a connection that has come out at the console itself", async () => {
    const { port } = new URL(server.origin);
    const isOwnPort = (address: string, own: number) => address === "127.0.0.1" && `${own}` === port;
    // As an address does that no interface of the console lists, and that leads there all the same.
    const Socket = class extends nodePorts().Socket {
      constructor(options: ConstructorParameters<DownloadOptions["ports"]["Socket"]>[0]) {
        super({ ...options, address: "127.0.0.1" });
      }
    };
    const resolver: DownloadOptions["ports"]["resolver"] = {
      resolve: (_, onResolved) => setImmediate(() => onResolved(undefined, "192.0.2.1")),
    };
    expect(await new Received({ ports: nodePorts({ isOwnPort, resolver, Socket }) }).failure()).toBe(
      "download_refused",
    );
    expect(server.asked).toEqual([]);
  });

  test("does not follow a redirect, with the token or without", async () => {
    server.answer = (_, response) => {
      response.writeHead(302, { location: `${server.origin}/elsewhere` }).end();
      return true;
    };
    expect(await new Received().failure()).toBe("hub_refused");
    expect(server.asked).toHaveLength(1);
  });

  test("of many pieces waits while paused", async () => {
    server.file = randomBytes(256 * 1024);
    const received: Received = new Received({
      onBytes: (bytes) => {
        received.pieces.push(bytes.slice());
        received.download.pause();
        setImmediate(() => received.download.resume());
      },
    });
    await received.download.finished;
    same(received.bytes, server.file);
  });

  test("reads nothing when paused before it is connected", async () => {
    const network = new ScriptedNetwork();
    const pieces: number[] = [];
    const options = { url: "http://hub.example/x", hub: parseHubAddress("http://hub.example"), token: "t" };
    const download = new Download({
      ...options,
      ports: network.ports,
      onBytes: (bytes) => pieces.push(...bytes),
    });
    download.pause();
    const socket = await network.connect();
    expect(sentText(socket)).toMatch(/^GET \/x HTTP\/1\.1\r\n/);
    socket.arrive(octets("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na"));
    network.clock.advance(600_000);
    expect(pieces).toEqual([]);
    download.resume();
    network.clock.advance(0);
    expect([(await download.finished).sizeBytes, pieces]).toEqual([1, [0x61]]);
  });
});

/** How the second answer differs from what resumes the first, which was cut after ten bytes. */
const OTHER_FILES = [
  { name: "is now another one", status: 200, fields: { etag: '"other"', "content-length": 3 }, body: "new" },
  { name: "comes whole again", status: 200, fields: { "content-length": FILE.length }, body: FILE },
  {
    name: "continues as another one",
    status: 206,
    fields: { etag: '"x"', "content-range": "bytes 10-42/43" },
    body: FILE.slice(10),
  },
  {
    name: "no longer has a tag",
    status: 206,
    fields: { "content-range": "bytes 10-42/43" },
    body: FILE.slice(10),
  },
  {
    name: "is now longer",
    status: 206,
    fields: { etag: "same", "content-range": "bytes 10-42/44" },
    body: FILE.slice(10),
  },
  {
    name: "continues at another offset",
    status: 206,
    fields: { etag: "same", "content-range": "bytes 9-42/43" },
    body: FILE.slice(9),
  },
  { name: "continues without an offset", status: 206, fields: { etag: "same" }, body: FILE.slice(10) },
  {
    name: "continues in another unit",
    status: 206,
    fields: { etag: "same", "content-range": "lines 10-42/43" },
    body: FILE.slice(10),
  },
  {
    name: "is longer than its range",
    status: 206,
    fields: { etag: "same", "content-range": "bytes 10-41/43" },
    body: FILE.slice(10),
  },
  {
    name: "is shorter than what was received",
    status: 416,
    fields: { "content-range": "bytes */5" },
    body: "",
  },
];

describe("a download fails with download_failed", () => {
  for (const { name, status, fields, body } of OTHER_FILES)
    test(`where the file ${name}`, async () => {
      server.cutBytes = 10;
      server.answer = (_, response, count) => {
        if (count === 1) return false;
        const etag = "etag" in fields && fields.etag === "same" ? { etag: `"${server.sha256}"` } : {};
        response.writeHead(status, { "content-length": body.length, ...fields, ...etag }).end(body);
        return true;
      };
      const received = new Received();
      expect(await received.failure()).toBe("download_failed");
      same(received.bytes, FILE.slice(0, 10));
      expect(server.asked).toHaveLength(2);
    });

  test("where the body exceeds its announced length", async () => {
    server.cutBytes = 10;
    server.answer = (_, response, count) => {
      if (count === 1) return false;
      const range = { etag: `"${server.sha256}"`, "content-range": "bytes 10-42/43" };
      response.writeHead(206, range).end(Buffer.concat([FILE.slice(10), FILE])); // chunked
      return true;
    };
    const received = new Received();
    expect(await received.failure()).toBe("download_failed");
    expect(received.bytes.length).toBeLessThanOrEqual(FILE.length);
  });

  for (const etag of [undefined, 'W/"weak"', "bare"])
    test(`where it was cut and its tag is ${etag}`, async () => {
      server.answer = (_, response) => {
        response.writeHead(200, { "content-length": 9, ...(etag && { etag }) });
        response.write("four", () => response.socket?.end());
        return true;
      };
      expect(await new Received().failure()).toBe("download_failed");
      expect(server.asked).toHaveLength(1);
    });

  test("when the length of the file is unknown", async () => {
    server.answer = (_, response) => {
      response.write(FILE);
      response.end();
      return true;
    };
    expect(await new Received().failure()).toBe("download_failed");
  });

  test("where a part arrives that was not requested", async () => {
    server.answer = (_, response) => {
      response.writeHead(206, { "content-range": "bytes 0-42/43", "content-length": 43 }).end(FILE);
      return true;
    };
    expect(await new Received().failure()).toBe("download_failed");
  });

  test("when closed at any time, without a callback afterwards", async () => {
    server.file = randomBytes(64 * 1024);
    const received: Received = new Received({
      onBytes: (bytes) => {
        received.pieces.push(bytes.slice());
        received.download.close();
      },
    });
    received.download.pause();
    received.download.resume();
    expect(await received.failure()).toBe("download_failed");
    expect(received.pieces).toHaveLength(1);
    received.download.close();
    const unread = new Received();
    unread.download.close();
    expect([await unread.failure(), unread.heads, unread.pieces]).toEqual(["download_failed", [], []]);
  });
});

describe("a download fails", () => {
  const REFUSALS = [
    { status: 410, body: '{"error":"app_retracted","message":"gone"}', code: "app_retracted" },
    { status: 401, body: '{"error":"unauthorized","message":"no"}', code: "unauthorized" },
    { status: 401, body: "<html>", code: "unauthorized" },
    { status: 404, body: '{"error":"toString","message":"no"}', code: "hub_refused" },
    { status: 403, body: "x".repeat(100_000), code: "hub_refused" },
    { status: 501, body: "", code: "hub_refused" },
  ];
  for (const { status, body, code } of REFUSALS)
    test(`at once where the answer is ${status} ${body.slice(0, 30)}`, async () => {
      server.answer = (_, response) => {
        response.writeHead(status, { "content-length": body.length }).end(body);
        return true;
      };
      const received = new Received();
      expect([await received.failure(), received.pieces, server.asked.length]).toEqual([code, [], 1]);
    });

  test(`after ${DOWNLOAD_TRIES} tries in a row without a byte`, async () => {
    server.answer = (_, response) => {
      response.socket?.destroy();
      return true;
    };
    expect(await new Received().failure()).toBe("hub_unreachable");
    expect(server.asked).toHaveLength(DOWNLOAD_TRIES);
  });

  test("with what a callback throws", async () => {
    const refuse = () => {
      throw new RangeError("no room");
    };
    await expect(new Received({ onHead: refuse }).download.finished).rejects.toThrow("no room");
    await expect(new Received({ onBytes: refuse }).download.finished).rejects.toThrow("no room");
    expect(server.asked).toHaveLength(2);
  });

  test("at once where the address requires TLS and there is none", async () => {
    const url = server.origin.replace("http:", "https:");
    expect(await new Received({ url, isVouchedFor: true }).failure()).toBe("not_implemented");
  });

  test("before it begins where the address is invalid", () => {
    for (const url of [
      "",
      "ftp://hub.example/",
      "/api/v1/x",
      "http://",
      "http://a b/",
      "http://hub/#x",
      "http://u@hub/",
      `http://hub/${"x".repeat(3000)}`,
    ])
      expect(() => new Received({ url })).toThrow(expect.objectContaining({ code: "bad_parameter" }));
  });
});

test("a download completes after more failed tries than the limit, if some in between brought bytes", async () => {
  server.cutBytes = 10;
  server.answer = (_, response, count) => {
    if (count % DOWNLOAD_TRIES === 1) return false;
    response.writeHead(500).end('{"error":"internal_error","message":"x"}');
    return true;
  };
  const received = new Received();
  await received.download.finished;
  same(received.bytes, FILE);
});

test("a download fails once its tries have taken ten minutes more than the slowest network would", async () => {
  const network = new ScriptedNetwork({ random: { getRandomValues: (into) => into.fill(0) } });
  const options = { url: "http://hub.example/x", hub: parseHubAddress("http://hub.example"), token: "t" };
  const download = new Download({ ...options, ports: network.ports, onBytes() {} });
  let failure: unknown;
  download.finished.catch((fault: unknown) => {
    failure = fault;
  });
  let received = 0;
  while (!failure && received < 1000) {
    const socket = await network.connect();
    expect(download.isSlow).toBe(false);
    const head = received === 0 ? "200 OK" : "206 Partial Content";
    const range = received === 0 ? "" : `content-range: bytes ${received}-999/1000\r\n`;
    socket.arrive(
      octets(`HTTP/1.1 ${head}\r\netag: "x"\r\n${range}content-length: ${1000 - received}\r\n\r\nx`),
    );
    received++;
    network.clock.advance(20_000);
    expect(download.isSlow).toBe(true);
    socket.end();
    network.clock.advance(network.clock.untilNextMs ?? 0);
    await turn();
  }
  expect(failure).toMatchObject({ code: "hub_unreachable" });
  expect(network.clock.uptimeMs()).toBeLessThan(11 * 60_000);
  expect(network.clock.timerCount).toBe(0);
});

test("a download waits longer with each try without a byte, and as at first after one with bytes", async () => {
  const network = new ScriptedNetwork({ random: { getRandomValues: (into) => into.fill(0) } });
  const options = { url: "http://hub.example/x", hub: parseHubAddress("http://hub.example"), token: "t" };
  const download = new Download({ ...options, ports: network.ports, onBytes() {} });
  const waits: (number | undefined)[] = [];
  for (const wire of ["", "", 'HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: 9\r\n\r\nabc', "", ""]) {
    const socket = await network.connect();
    if (wire) socket.arrive(octets(wire));
    socket.end();
    waits.push(network.clock.untilNextMs);
    network.clock.advance(network.clock.untilNextMs ?? 0);
    await turn();
  }
  expect(waits).toEqual([100, 200, 100, 100, 200]);
  download.close();
  expect(network.clock.timerCount).toBe(0);
});
