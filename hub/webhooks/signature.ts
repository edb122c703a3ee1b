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

/** The header fields that a receiver checks. @param secrets `whsec_…`, of which a receiver knows one */
export function signatureFields(
  secrets: readonly string[],
  message: SignedMessage,
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  return {
    "webhook-id": message.id,
    "webhook-timestamp": `${message.timestamp}`,
    "webhook-signature": secrets.map((secret) => `v1,${signatureOf(secret, message)}`).join(" "),
  };
}

function signatureOf(secret: string, { id, timestamp, body }: SignedMessage): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
}
