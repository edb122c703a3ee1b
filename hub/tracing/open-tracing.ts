/**
 * Turns on traces, which go to a collector by OTLP over HTTP (docs/hub.md#traces). Only then does the process load the SDK of
 * OpenTelemetry. Spans are sent in batches; a collector that is away costs spans, and nothing else.
 */
import { DiagLogLevel, diag, trace } from "@opentelemetry/api";
import type { FastifyBaseLogger } from "fastify";
import type { HubConfig } from "../config/read-config.js";
import { withTimeout } from "../operations/metrics.js";

/** Time for the last spans when the process ends. */
const FLUSH_TIMEOUT_MS = 3000;

interface TracingOptions {
  readonly traces: NonNullable<HubConfig["traces"]>;
  readonly logger: Pick<FastifyBaseLogger, "warn">;
}

/** @returns a function that sends what is left, and turns traces off */
export async function openTracing({ traces, logger }: TracingOptions): Promise<() => Promise<void>> {
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import("@opentelemetry/sdk-trace-node"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
  diag.setLogger(warningsTo(logger), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  // Without an address, the exporter and the processor read the standard variables (OTEL_…).
  const exporter = new OTLPTraceExporter(traces.url === undefined ? {} : { url: traces.url });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": traces.serviceName }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return async () => {
    await withTimeout(FLUSH_TIMEOUT_MS, provider.shutdown()).catch((error: unknown) =>
      logger.warn({ err: error }, "cannot send the last spans"),
    );
    trace.disable();
  };
}

/** Also for errors of the SDK: a hub without traces does its work. */
function warningsTo(logger: TracingOptions["logger"]) {
  const warn = (message: string) => logger.warn({ detail: message }, "tracing has a problem");
  const ignore = () => {};
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}
