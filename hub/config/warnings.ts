/** Warnings to the operator about settings that work but are probably mistakes. */
import { type Environment, text } from "./variables.js";

const KNOWN: ReadonlySet<string> = new Set([
  ...["SVC_HUB_PORT", "SVC_HUB_HOST", "SVC_HUB_STORAGE_PATH", "SVC_HUB_SECRET"],
  ...["SVC_HUB_ED25519_PRIVATE_KEY", "SVC_HUB_DATABASE_URL", "SVC_HUB_NATS_URL", "SVC_HUB_PUBLIC_URL"],
  ...["SVC_HUB_TRUST_PROXY", "SVC_HUB_TLS_CERT", "SVC_HUB_TLS_KEY", "SVC_HUB_MAX_PACKAGE_BYTES"],
  ...["SVC_HUB_MAX_FIRMWARE_BYTES", "SVC_HUB_REGISTRATIONS_PER_MINUTE", "SVC_HUB_LOG_LEVEL"],
  "SVC_HUB_PUBLIC_CATALOG",
  ...["SVC_HUB_URL", "SVC_HUB_TOKEN"], // of `svc`, which may share the environment
]);

/** In words, without values: one may be a secret under a name with a slip in it. */
export function warningsOf(environment: Environment): readonly string[] {
  const unknown = Object.keys(environment).filter((name) => name.startsWith("SVC_HUB_") && !KNOWN.has(name));
  const isAlone = text(environment, "SVC_HUB_DATABASE_URL") && !text(environment, "SVC_HUB_NATS_URL");
  return [
    ...unknown.map((name) => `${name} is no setting of the hub, and is ignored`),
    ...(isAlone
      ? ["SVC_HUB_NATS_URL is not set: with other processes on this database, commands take seconds"]
      : []),
  ];
}
