/** Signatures of deliveries, as Standard Webhooks has them: HMAC-SHA256 over `id.timestamp.body`. */
import { createHmac, randomBytes } from "node:crypto";

const SECRET_PREFIX = "whsec_";

/** The specification demands 24 to 64. */
const SECRET_BYTES = 32;

export function makeWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

export interface SignedMessage {
  /** The same for each attempt. */
  readonly id: string;
  /** Of the attempt, seconds since 1970: receivers refuse old ones, which prevents replays. */
  readonly timestamp: number;
  readonly body: string;
}

/** The header fields that a receiver checks. @param secret `whsec_…` */
export function signatureFields(
  secret: string,
  { id, timestamp, body }: SignedMessage,
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": `${timestamp}`, "webhook-signature": `v1,${signature}` };
}
