/** Uploads a firmware bundle from a file: compares its header with the console, then shows the progress. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { OtaStatus, SystemInfo } from "../../../protocol/device/answers.js";
import { type UserError, userErrorOf } from "../../advice.js";
import { formatBytes } from "../../format.js";
import { FileDrop } from "../../install/file-drop.js";
import { UploadProgress } from "../../install/upload-progress.js";
import { hasAllLeft } from "../../install/upload-run.js";
import { Button } from "../../parts/button.js";
import { Fact, Facts, Tag } from "../../parts/facts.js";
import { ErrorNote, Note } from "../../parts/messages.js";
import { Card } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";
import { bundleFit } from "./bundle-file.js";
import type { ChosenBundle, FirmwareUpload } from "./firmware-upload.js";

interface UploadProps {
  readonly ota: OtaStatus;
  readonly upload: FirmwareUpload;
  readonly chosen: ChosenBundle | undefined;
}

export function UploadCard({ ota, upload, chosen }: UploadProps) {
  const session = useSession();
  const [error, setError] = useState<UserError>();
  const take = async (files: readonly File[]) => {
    setError(undefined);
    await upload.choose(files).catch((cause: unknown) => setError(userErrorOf(cause)));
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
        <ChosenCard chosen={chosen} upload={upload} />
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

function ChosenCard({ chosen, upload }: { chosen: ChosenBundle; upload: FirmwareUpload }) {
  const { run } = upload;
  const session = useSession();
  const state = session.state.value;
  const transfer = run.transfer.value;
  useLayoutEffect(() => run.show(), [run]);
  if (!("system" in state)) return null;
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
          onClick={() => upload.send()}
        >
          {transfer ? "Sending…" : "Upload"}
        </Button>
        {!hasAllLeft(transfer) && <Button onClick={() => upload.cancel()}>Cancel</Button>}
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
