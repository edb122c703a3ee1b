/** Downloads what the hub keeps of an account (docs/spec/hub-api.md#export): one JSON text a line, as `svc hub account export` writes. */
import { useEffect, useRef, useState } from "preact/hooks";
import { exportedEntries } from "../../protocol/account/exported-entries.js";
import { type UserError, userErrorOf } from "../advice.js";
import { fileName, saveFile } from "../copy-and-save.js";
import { Button } from "../parts/button.js";
import { ErrorNote, Note } from "../parts/messages.js";
import type { FleetClient } from "./fleet-client.js";
import { GrowingFile } from "./growing-file.js";

/** Once the token's requests are used up. */
const PAUSE_MS = 5000;

/** The number of entries is shown so often at most: a reader of screens reads it each time. */
const PROGRESS_ENTRIES = 1000;

type Progress =
  | { readonly phase: "idle" }
  | { readonly phase: "reading"; readonly entries: number }
  | { readonly phase: "done"; readonly entries: number }
  | { readonly phase: "failed"; readonly error: UserError };

export function AccountExport({ client }: { readonly client: FleetClient }) {
  const [progress, setProgress] = useState<Progress>({ phase: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const isReading = progress.phase === "reading";
  const run = async () => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    setProgress({ phase: "reading", entries: 0 });
    try {
      const onEntries = (entries: number) => {
        if (entries % PROGRESS_ENTRIES === 0) setProgress({ phase: "reading", entries });
      };
      const { file, entries } = await exported(client, signal, onEntries);
      saveFile(fileName("svc account", "export", "jsonl"), [file], "application/jsonl");
      setProgress({ phase: "done", entries });
    } catch (error) {
      setProgress(signal.aborted ? { phase: "idle" } : { phase: "failed", error: userErrorOf(error) });
    }
  };
  return (
    <div class="stack">
      <p>
        Everything that the hub keeps of the account, except tokens and secrets, as a file with one JSON text
        a line: members, tokens, groups, webhooks, the audit log, and each console and rollout with its
        history.
      </p>
      <div class="row">
        <Button label="Export the account’s data" busy={isReading} onClick={() => void run()}>
          Export
        </Button>
        {isReading && (
          <Button label="Cancel the export" onClick={() => running.current?.abort()}>
            Cancel
          </Button>
        )}
      </div>
      <div role="status">
        {isReading && <Note>Reading: {progress.entries.toLocaleString()} entries so far.</Note>}
        {progress.phase === "done" && (
          <Note tone="good">{progress.entries.toLocaleString()} entries are in the file.</Note>
        )}
      </div>
      {progress.phase === "failed" && <ErrorNote error={progress.error} />}
    </div>
  );
}

/** @throws the signal's reason, or why it has failed; nothing is left of the file then: half of it would pass for the whole */
async function exported(
  client: FleetClient,
  signal: AbortSignal,
  onEntries: (entries: number) => void,
): Promise<{ readonly file: Blob; readonly entries: number }> {
  const file = await GrowingFile.open();
  let entries = 0;
  try {
    const read = async (path: string) => {
      const answer = await client.read(path);
      signal.throwIfAborted();
      return answer;
    };
    for await (const entry of exportedEntries({ read, pause: () => pause(signal) })) {
      await file.write(`${JSON.stringify(entry)}\n`);
      onEntries(++entries);
    }
    return { file: await file.end(), entries };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Rejects once the export is cancelled. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
