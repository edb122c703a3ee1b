/** Offers firmware that the hub has announced: on a click, the console downloads and stages it. */
import { useState } from "preact/hooks";
import type { Device } from "../../../device-client/device.js";
import { DeviceError } from "../../../device-client/device-error.js";
import type { AvailableFirmware } from "../../../protocol/device/answers.js";
import { Button } from "../../parts/button.js";
import { Card } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";

export function AvailableCard({ available }: { available: AvailableFirmware }) {
  const session = useSession();
  const state = session.state.value;
  const [busy, setBusy] = useState(false);
  const hasShell = "system" in state && state.system.features.includes("shell");
  const fetchIt = async () => {
    setBusy(true);
    const fetched = await session.run(`fetch firmware ${available.version}`, fetchFirmware);
    setBusy(false);
    if (fetched) session.notify({ kind: "told", text: fetched });
  };
  return (
    <Card title={`Firmware ${available.version} is available`}>
      <p>The hub offers it. The console downloads and checks it; nothing restarts until you confirm.</p>
      {hasShell ? (
        <div class="row">
          <Button kind="primary" busy={busy} disabled={!session.device.value} onClick={fetchIt}>
            {busy ? "Asking…" : "Fetch and install"}
          </Button>
        </div>
      ) : (
        <p class="small muted">
          This console's shell is switched off, so it cannot be told to from here. Upload the bundle below
          instead.
        </p>
      )}
    </Card>
  );
}

/** @returns the outcome, as a sentence for the user */
async function fetchFirmware(device: Device): Promise<string> {
  // If firmware has been staged in the meantime, `ota apply` would restart into it.
  const { state, available } = await device.otaStatus();
  if (state !== "idle") return "Another update is under way";
  if (!available) return "The hub offers it no more";
  const { output, error } = await device.shell("ota apply");
  if (error !== undefined) throw new DeviceError(error, output.trimEnd());
  const { connected } = await device.hub();
  return connected
    ? `The console fetches firmware ${available.version}`
    : `The console does not reach its hub now, and fetches firmware ${available.version} once it does`;
}
