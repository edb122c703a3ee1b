/** Commands as the API shows them. */
import Type, { type Static } from "typebox";
import type { Row } from "../database/schema.js";

export const COMMAND_RECORD = Type.Object({
  command_id: Type.String(),
  state: Type.Enum(["queued", "sent", "done", "failed", "replaced", "cancelled"], {
    description:
      "`sent` while the result of a device that is connected is awaited; `queued` until it connects; then how it ended",
  }),
  kind: Type.Enum(["install", "uninstall", "firmware"]),
  app_id: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  progress: Type.Optional(Type.String({ description: "How far a firmware update has come" })),
  error: Type.Optional(Type.String({ description: "Code of what went wrong, as the device has told it" })),
  created_at: Type.String(),
  updated_at: Type.String(),
});

/** @param isOnline whether the device is connected now */
export function commandRecord(row: Row<"commands">, isOnline: boolean): Static<typeof COMMAND_RECORD> {
  return {
    command_id: row.id,
    state: row.state === "pending" ? (isOnline ? "sent" : "queued") : row.state,
    kind: row.kind,
    ...(row.subject === "" ? {} : { app_id: row.subject }),
    ...(row.version === "" ? {} : { version: row.version }),
    ...(row.progress === null ? {} : { progress: row.progress }),
    ...(row.error === null ? {} : { error: row.error }),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
