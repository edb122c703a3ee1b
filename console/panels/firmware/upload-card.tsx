/** A bundle of firmware from a file: what it says of itself beside what the console is, then its way there. */
import { useState } from "preact/hooks";
import type { OtaStatus, SystemInfo } from "../../../protocol/device/answers.js";
import { formatBytes } from "../../format.js";
import { ErrorNote } from "../../install/error-note.js";
import { FileDrop } from "../../install/file-drop.js";
import { type ToldError, toldError } from "../../install/told-error.js";
import { UploadProgress } from "../../install/upload-progress.js";
import type { UploadRun } from "../../install/upload-run.js";
import { Button } from "../../parts/button.js";
import { Fact, Facts } from "../../parts/facts.js";
import { Note } from "../../parts/note.js";
import { Card } from "../../parts/panel.js";
import { Tag } from "../../parts/tag.js";
import { useSession } from "../../session/use-session.js";
import { type BundleFile, bundleFit, readBundleFile } from "./bundle-file.js";

interface ChosenBundle {
  readonly name: string;
  readonly bundle: BundleFile;
}

export function UploadCard({ ota, run }: { ota: OtaStatus; run: UploadRun }) {
  const session = useSession();
  const [chosen, setChosen] = useState<ChosenBundle>();
  const [error, setError] = useState<ToldError>();
  const take = async (files: readonly File[]) => {
    setError(undefined);
    setChosen(undefined);
    run.clearError();
    await bundleOf(files).then(setChosen, (cause: unknown) => setError(toldError(cause)));
  };
  if (ota.state === "pending_confirm")
    return (
      <Card title="Upload">
        <p class="muted">
          While firmware is on trial the other slot holds what it goes back to. Confirm it first.
        </p>
      </Card>
    );
  return (
    <Card title="Upload">
      {chosen ? (
        <ChosenCard chosen={chosen} run={run} onDone={() => setChosen(undefined)} />
      ) : (
        <FileDrop
          label="Upload firmware…"
          hint="Choose or drop a signed bundle (.svcfw). The running firmware stays as it is until you restart."
          accept=".svcfw"
          disabled={!session.device.value}
          onFiles={take}
        />
      )}
      {error && <ErrorNote error={error} />}
    </Card>
  );
}

interface ChosenProps {
  readonly chosen: ChosenBundle;
  readonly run: UploadRun;
  readonly onDone: () => void;
}

function ChosenCard({ chosen, run, onDone }: ChosenProps) {
  const session = useSession();
  const state = session.state.value;
  const transfer = run.transfer.value;
  if (!("system" in state)) return null;
  const { bytes, version } = chosen.bundle;
  const upload = async () => {
    const send = `upload firmware ${version}`;
    const done = await run.start(send, bytes.length, (device, options) =>
      device.otaUpload({ file: bytes, ...options }),
    );
    if (!done) return;
    session.notify({ kind: "done", text: `Firmware ${version} is staged` });
    onDone();
  };
  const cancel = () => {
    run.cancel();
    onDone();
  };
  return (
    <>
      <BundleFacts chosen={chosen} system={state.system} />
      {transfer && <UploadProgress label={`Sending ${chosen.name}`} transfer={transfer} after="checks it" />}
      {run.error.value && <ErrorNote error={run.error.value} />}
      <div class="row">
        <Button
          kind="primary"
          busy={transfer !== undefined}
          disabled={bundleFit(chosen.bundle, state.system).isRefused || !session.device.value}
          onClick={upload}
        >
          {transfer ? "Sending…" : "Upload"}
        </Button>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </>
  );
}

function BundleFacts({ chosen, system }: { chosen: ChosenBundle; system: SystemInfo }) {
  const { version, board, architecture, bytes } = chosen.bundle;
  const { relation, warnings } = bundleFit(chosen.bundle, system);
  const running = system.firmware.version;
  return (
    <>
      <p>
        <strong>{chosen.name}</strong>
      </p>
      <Facts>
        <Fact name="Version">
          {running === version ? version : `${running} → ${version}`}{" "}
          <Tag tone={relation === "older" ? "warning" : "quiet"}>{RELATIONS[relation]}</Tag>
        </Fact>
        <Fact name="For">
          {board} ({architecture})
        </Fact>
        <Fact name="Size">{formatBytes(bytes.length)}</Fact>
      </Facts>
      {warnings.map((warning) => (
        <Note key={warning} tone="warning">
          {warning}
        </Note>
      ))}
    </>
  );
}

const RELATIONS = Object.freeze({ newer: "newer", same: "the same", older: "older" });

/** @throws {Fault} for what is no bundle */
async function bundleOf(files: readonly File[]): Promise<ChosenBundle> {
  const [file] = files;
  if (!file || files.length > 1) throw new Error("Choose one bundle of firmware (.svcfw)");
  return { name: file.name, bundle: readBundleFile(new Uint8Array(await file.arrayBuffer())) };
}
