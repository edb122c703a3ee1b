/** Shows the next step of an update: the rest of its bytes, a restart, or a confirmation. */
import { useEffect, useState } from "preact/hooks";
import type { OtaStatus } from "../../../protocol/device/answers.js";
import { formatBytes, formatDuration } from "../../format.js";
import { Button } from "../../parts/button.js";
import { ProgressBar } from "../../parts/meter.js";
import { Card } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";

export function ProgressCard({ ota }: { ota: OtaStatus }) {
  switch (ota.state) {
    case "receiving":
      return <Receiving ota={ota} />;
    case "staged":
      return <Staged version={ota.staged_version ?? "that is staged"} />;
    case "pending_confirm":
      return <Trial ota={ota} />;
    case "idle":
      return null;
    default:
      return ota.state satisfies never;
  }
}

/** Progress of a transfer that this page does not send: a download from the hub, or another client's upload. */
function Receiving({ ota }: { ota: OtaStatus }) {
  const { received_bytes, total_bytes } = useNewest(ota);
  const isKnown = total_bytes > 0;
  return (
    <Card title="The console is receiving firmware">
      <ProgressBar
        label="Received"
        {...(isKnown && { value: received_bytes / total_bytes })}
        detail={
          isKnown
            ? `${formatBytes(received_bytes)} of ${formatBytes(total_bytes)}`
            : formatBytes(received_bytes)
        }
      />
    </Card>
  );
}

const POLL_MS = 1000;

/** Polls more often than the session does, while the card is shown. */
function useNewest(ota: OtaStatus): OtaStatus {
  const device = useSession().device.value;
  const [newest, setNewest] = useState(ota);
  useEffect(() => {
    setNewest(ota);
    let isAsking = false;
    const ask = async () => {
      if (isAsking || !device || document.visibilityState !== "visible") return;
      isAsking = true;
      await device.otaStatus().then(setNewest, () => undefined); // the session reports a lost link
      isAsking = false;
    };
    const timer = setInterval(ask, POLL_MS);
    return () => clearInterval(timer);
  }, [device, ota]);
  return newest.state === "receiving" ? newest : ota;
}

function Staged({ version }: { version: string }) {
  const session = useSession();
  const device = session.device.value;
  const [busy, setBusy] = useState(false);
  // Stay busy until the console is back: a disabled button would lose the focus.
  useEffect(() => {
    if (device) setBusy(false);
  }, [device]);
  const restart = async () => {
    setBusy(true);
    if (!(await session.run(`restart into firmware ${version}`, (at) => at.reboot()))) setBusy(false);
  };
  return (
    <Card title={`Firmware ${version} is staged`}>
      <p>
        It is complete and signed with a trusted key. The console runs it on trial after the next restart,
        until you confirm it. Running apps are stopped.
      </p>
      <div class="row">
        <Button kind="primary" busy={busy} disabled={!busy && !device} onClick={restart}>
          Restart into it
        </Button>
      </div>
    </Card>
  );
}

function Trial({ ota }: { ota: OtaStatus }) {
  const session = useSession();
  const [busy, setBusy] = useState(false);
  const leftMs = useTimeLeft(ota);
  const version = ota.running_version;
  const confirm = async () => {
    setBusy(true);
    const done = await session.run(`confirm firmware ${version}`, (device) => device.otaConfirm());
    setBusy(false);
    if (done) session.notify({ kind: "done", text: `Firmware ${version} is confirmed, and stays` });
  };
  return (
    <Card title={`Firmware ${version} is on trial`}>
      <p>
        Check that everything works, then confirm it. If you do not confirm within{" "}
        <TimeLeft leftMs={leftMs} />, or the console restarts or crashes before, the previous firmware comes
        back.
      </p>
      <div class="row">
        <Button kind="primary" busy={busy} disabled={!session.device.value} onClick={confirm}>
          Confirm
        </Button>
      </div>
    </Card>
  );
}

function TimeLeft({ leftMs }: { leftMs: number | undefined }) {
  return (
    <strong class="firmware-time" role="timer">
      {leftMs === undefined ? "the time it has" : formatDuration(leftMs)}
    </strong>
  );
}

const SECOND_MS = 1000;

/** Counts down from the time that the console reported last. */
function useTimeLeft(ota: OtaStatus): number | undefined {
  const within = ota.confirm_within_ms;
  const [leftMs, setLeftMs] = useState(within);
  useEffect(() => {
    if (within === undefined) return setLeftMs(undefined);
    const endMs = performance.now() + within;
    const show = () => setLeftMs(Math.max(0, endMs - performance.now()));
    show();
    const timer = setInterval(show, SECOND_MS);
    return () => clearInterval(timer);
  }, [ota, within]);
  return leftMs;
}
