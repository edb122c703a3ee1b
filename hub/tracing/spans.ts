/**
 * Spans of OpenTelemetry. The hub calls the API alone, which does nothing until open-tracing.ts has registered the SDK; so
 * there is no switch here. Contexts travel by `traceparent` (W3C Trace Context).
 */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";

export const tracer = trace.getTracer("svc-hub");

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

/** Runs `work` in a span, which ends with it; spans that begin within are its children. */
export function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      markFailed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Without the error's message, which may quote what a client has sent. */
export function markFailed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  if (error instanceof Error) span.setAttribute("error.type", error.name);
}

/** The fields that carry the present context to another process; none without a span. */
export function carriedContext(from: Context = context.active()): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  propagation.inject(from, fields);
  return fields;
}

/** The context that another process has sent. */
export function receivedContext(fields: Readonly<Record<string, unknown>>): Context {
  return propagation.extract(context.active(), fields);
}

export { type Context, context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace };
