/** A collector of OTLP over HTTP, on this machine. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { eventually } from "../push/channel.js";

export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly service: unknown;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** Everything that has come, as text. */
  text = "";
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const isTraces = request.method === "POST" && request.url === "/v1/traces";
        if (isTraces) this.#take(Buffer.concat(chunks).toString("utf8"));
        response.writeHead(isTraces ? 200 : 404, { "content-type": "application/json" }).end("{}");
      });
    });
  }

  /** Until the test ends. */
  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, "127.0.0.1");
    await once(collector.#server, "listening");
    onTestFinished(() => {
      collector.#server.closeAllConnections();
      collector.#server.close();
    });
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The first span that is so, once it has come. */
  async span(isRight: (span: CollectedSpan) => boolean): Promise<CollectedSpan> {
    const found = await eventually(
      async () => this.spans.find(isRight),
      (span) => span !== undefined,
    );
    return found as CollectedSpan;
  }

  #take(text: string): void {
    this.text += text;
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
      const service = membersOf(resource.attributes)["service.name"];
      for (const { spans } of scopeSpans)
        for (const span of spans)
          this.spans.push({ ...span, attributes: membersOf(span.attributes), service });
    }
  }
}

function membersOf(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
