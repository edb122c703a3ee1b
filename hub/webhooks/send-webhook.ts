/**
 * One attempt to deliver an event: one POST over a connection of its own, that follows no redirect and waits 10 s at most.
 * Of the answer only the status counts: the rest is not read, and nobody sees it, so that a webhook cannot be used to read
 * what an address answers.
 */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import {
  AddressRefused,
  guardedLookup,
  literalOf,
  type ReceiverPolicy,
  requireAllowed,
} from "./receiver-address.js";

/** From the look-up of the name to the head of the answer. */
const TIMEOUT_MS = 10_000;

/** Limit of the answer's head. */
const HEAD_LIMIT_BYTES = 16 * 1024;

/** Why there was no answer. Few codes, so that an account learns little of the network that the hub is in. */
type SendError = "address_refused" | "connection_failed" | "certificate_invalid" | "timeout";

export type Attempt =
  | { readonly kind: "answered"; readonly status: number }
  | { readonly kind: "failed"; readonly error: SendError }
  /** The hub is about to end: this was no attempt. */
  | { readonly kind: "aborted" };

export interface Sending {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SendOptions {
  readonly policy: ReceiverPolicy;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** Never rejects. */
export async function sendWebhook(
  sending: Sending,
  { policy, signal, timeoutMs = TIMEOUT_MS }: SendOptions,
): Promise<Attempt> {
  // Not AbortSignal.any(): Node 20 keeps 2 KB for each signal that it derives from one that lives on [measured].
  const attempt = new AbortController();
  const end = () => attempt.abort();
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener("abort", end);
  try {
    signal.throwIfAborted();
    return { kind: "answered", status: await statusOf(sending, policy, attempt.signal) };
  } catch (error) {
    if (signal.aborted) return { kind: "aborted" };
    return { kind: "failed", error: attempt.signal.aborted ? "timeout" : codeOf(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** @throws {Error} without an answer */
async function statusOf(
  { url, body, headers }: Sending,
  policy: ReceiverPolicy,
  signal: AbortSignal,
): Promise<number> {
  const target = new URL(url);
  const isPlain = target.protocol === "http:";
  const literal = literalOf(target); // a connection to an IP address looks up nothing
  if (literal !== undefined) requireAllowed(literal, policy, isPlain);
  const bytes = Buffer.from(body);
  const options: RequestOptions = {
    method: "POST",
    agent: false,
    signal,
    maxHeaderSize: HEAD_LIMIT_BYTES,
    lookup: guardedLookup(policy, isPlain),
    headers: {
      "content-type": "application/json",
      "content-length": bytes.length,
      "user-agent": "svc-hub",
      ...headers,
    },
  };
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    };
    const request = isPlain
      ? httpRequest(target, options, onResponse)
      : httpsRequest(target, options, onResponse);
    request.on("error", reject); // also after the answer, whose connection is cut
    request.end(bytes);
  });
}

function codeOf(error: unknown): SendError {
  if (error instanceof AddressRefused) return error.code;
  const code = String((error as { readonly code?: unknown }).code);
  return CERTIFICATE.test(code) ? "certificate_invalid" : "connection_failed";
}

/** OpenSSL's reasons to refuse a certificate, and Node's for its name. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT_ALTNAME_INVALID/;
