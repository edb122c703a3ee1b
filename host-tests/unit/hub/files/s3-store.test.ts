/** Files in a bucket of S3-compatible storage. */
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, assert, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { S3Store } from "../../../../hub/files/s3-store.js";
import { startBucket, type TestBucket } from "../../../hub/hosts/s3-server.js";

const content = new Uint8Array(300_000).map((_, at) => at % 251);
const sha256 = createHash("sha256").update(content).digest("hex");

describe("A bucket", () => {
  let bucket: TestBucket;
  let store: S3Store;
  beforeAll(async () => {
    bucket = await startBucket();
    store = new S3Store(bucket.config);
  });
  afterAll(() => bucket?.close());

  const streamed = async (start: number, end: number) => {
    const part = await store.part(sha256);
    if (!("stream" in part)) throw new Error("A bucket has no paths");
    return buffer(part.stream(start, end));
  };

  test("keeps a file, whole and in parts", async () => {
    assert.equal(await store.put(content), sha256);
    assert.equal(await store.put(content), sha256);
    assert.deepEqual(new Uint8Array(await store.read(sha256)), content);
    expect(await store.part(sha256)).toMatchObject({ start: 0, end: content.length });
    assert.deepEqual(new Uint8Array(await streamed(0, content.length)), content);
    assert.deepEqual(new Uint8Array(await streamed(1000, 250_001)), content.subarray(1000, 250_001));
  });

  test("a reader that stops ends its request", async () => {
    await store.put(content);
    const part = await store.part(sha256);
    const stream = (part as { readonly stream: (start: number, end: number) => Readable }).stream(
      0,
      content.length,
    );
    await once(stream, "readable");
    stream.destroy();
    await once(stream, "close");
  });

  test("a file is deleted, and deleting it again succeeds", async () => {
    const name = await store.put(Buffer.from("to delete"));
    await store.delete(name);
    await store.delete(name);
    await expect(store.read(name)).rejects.toMatchObject({ code: "file_damaged" });
    await expect(store.part(name)).rejects.toMatchObject({ code: "file_damaged" });
  });

  for (const name of ["", "../secret", sha256.toUpperCase(), `${sha256}/`, "files.hub"])
    test(`"${name}" names no file`, async () => {
      await expect(store.read(name)).rejects.toThrow(RangeError);
      await expect(store.delete(name)).rejects.toThrow(RangeError);
    });

  test("belongs to the hub that used it first", async () => {
    assert.equal(await store.owner("hub-1"), "hub-1");
    assert.equal(await store.owner("hub-2"), "hub-1");
  });

  test("tells which files are old", async () => {
    await store.put(content);
    assert.deepEqual(await store.old(), []);
    const later = new S3Store(bucket.config, () => Date.now() + 7_200_000);
    expect(await later.old()).toContain(sha256);
  });

  test("can be checked, and refuses a stranger", async () => {
    await store.check();
    const stranger = new S3Store({ ...bucket.config, accessKey: "another" });
    await expect(stranger.check()).rejects.toMatchObject({ code: "busy" });
    await expect(stranger.put(content)).rejects.toMatchObject({ code: "busy", status: 503 });
  });
});

/** A storage that answers so. */
async function storageThat(answers: RequestListener): Promise<S3Store> {
  const server = createServer(answers).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  return new S3Store({ endpoint, bucket: "b-1", region: "r", accessKey: "a", secretKey: "s" });
}

/** As the server computes it (AWS Signature Version 4), from the request that has come. */
function isSigned({ method, url = "", headers }: IncomingMessage, secretKey: string): boolean {
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, credential = "", names = "", signature] = authorization.exec(`${headers.authorization}`) ?? [];
  const { pathname, searchParams } = new URL(url, "http://s3");
  const query = [...searchParams].map((pair) => pair.map(encodeURIComponent).join("=")).sort();
  const fields = names.split(";").map((name) => `${name}:${headers[name]}\n`);
  const hash = headers["x-amz-content-sha256"];
  const canonical = [method, pathname, query.join("&"), fields.join(""), names, hash].join("\n");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const [, ...scope] = credential.split("/");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope.join("/"), digest].join("\n");
  const hmac = (key: string | Buffer, part: string) => createHmac("sha256", key).update(part).digest();
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretKey}`);
  return hmac(key, text).toString("hex") === signature;
}

test("Requests are signed, files with the SHA-256 of their content", async () => {
  const seen: [string | undefined, boolean, string | string[] | undefined][] = [];
  const store = await storageThat((request, response) => {
    seen.push([request.method, isSigned(request, "s"), request.headers["x-amz-content-sha256"]]);
    request.resume();
    response.writeHead(request.method === "HEAD" ? 404 : 200).end();
  });
  await store.put(content);
  await store.old();
  assert.deepEqual(seen, [
    ["HEAD", true, "UNSIGNED-PAYLOAD"],
    ["PUT", true, sha256],
    ["GET", true, "UNSIGNED-PAYLOAD"],
  ]);
});

describe("A storage that fails", () => {
  test("is busy, and tried again before that", async () => {
    let requests = 0;
    const store = await storageThat((_request, response) => {
      requests += 1;
      response.writeHead(503).end();
    });
    await expect(store.read(sha256)).rejects.toMatchObject({ code: "busy", details: { retry_after_s: 5 } });
    expect(requests).toBe(4);
  });

  test("is busy where nothing listens, without its keys in the message", async () => {
    const config = { endpoint: "http://127.0.0.1:9", bucket: "b-1", region: "r" };
    const store = new S3Store({ ...config, accessKey: "the-key", secretKey: "the-secret" });
    const error = await store.put(content).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "busy" });
    expect(String(error)).not.toMatch(/the-key|the-secret/);
  });

  test("within a short answer is asked again", async () => {
    let requests = 0;
    const store = await storageThat((_request, response) => {
      requests += 1;
      response.writeHead(200, { "content-length": "hub-1".length });
      if (requests < 4) response.write("hub", () => response.destroy());
      else response.end("hub-1");
    });
    expect(await store.owner("hub-2")).toBe("hub-1");
    expect(requests).toBe(4);
  });

  test("within each short answer is busy", async () => {
    const store = await storageThat((_request, response) => {
      response.writeHead(200, { "content-length": 100 }).write("<List", () => response.destroy());
    });
    await expect(store.old()).rejects.toMatchObject({ code: "busy", details: { retry_after_s: 5 } });
    await expect(store.owner("hub-1")).rejects.toMatchObject({ code: "busy" });
  });

  test("and cuts a file short is an error of the reader", async () => {
    const store = await storageThat((request, response) => {
      response.writeHead(request.method === "GET" ? 206 : 200, { "content-length": 1000 });
      if (request.method === "HEAD") response.end();
      else response.write("half", () => response.destroy());
    });
    const part = await store.part(sha256);
    if (!("stream" in part)) throw new Error("A bucket has no paths");
    await expect(buffer(part.stream(0, 1000))).rejects.toThrow();
  });
});

test("A list of several pages is read to its end", async () => {
  const names = Array.from({ length: 3 }, (_, at) => String(at).repeat(64));
  const queries: (string | null)[] = [];
  const store = await storageThat((request, response) => {
    const token = new URL(`${request.url}`, "http://s3").searchParams.get("continuation-token");
    queries.push(token);
    const at = queries.length - 1;
    const next = at < 2 ? "<NextContinuationToken>a&amp;b=/+</NextContinuationToken>" : "";
    const entry = `<Contents><Key>files/${names[at]}</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified></Contents>`;
    const other =
      "<Contents><Key>files/notes.txt</Key><LastModified>2020-01-01T00:00:00Z</LastModified></Contents>";
    response.end(`<?xml version="1.0"?><ListBucketResult>${entry}${other}${next}</ListBucketResult>`);
  });
  assert.deepEqual(await store.old(), names);
  assert.deepEqual(queries, [null, "a&b=/+", "a&b=/+"]);
});
