/** Choosing a network that the console hears, or naming one, to join it. */
import { useState } from "preact/hooks";
import type { Device } from "../../../device-client/device.js";
import type { WifiNetwork, WifiStatus } from "../../../protocol/device/answers.js";
import { Button } from "../../parts/button.js";
import { useSession } from "../../session/use-session.js";
import { JoinDialog } from "./join-dialog.js";
import { signalInWords } from "./words.js";

interface SetupProps {
  readonly device: Device;
  readonly wifi: WifiStatus | undefined;
  readonly onChanged: (wifi: WifiStatus) => void;
}

export function WifiSetup({ wifi, onChanged }: SetupProps) {
  const session = useSession();
  const [networks, setNetworks] = useState<readonly WifiNetwork[]>();
  const [isScanning, setScanning] = useState(false);
  const [chosen, setChosen] = useState<{ readonly ssid: string; readonly isSecured: boolean }>();
  const scan = async () => {
    setScanning(true);
    const found = await session.run("look for networks", (device) => device.scanWifi());
    setScanning(false);
    if (found !== undefined) setNetworks([...found].sort((a, b) => b.rssi - a.rssi));
  };
  return (
    <>
      <div class="row">
        <Button kind={wifi?.state === "unprovisioned" ? "primary" : "plain"} busy={isScanning} onClick={scan}>
          {networks === undefined ? "Look for networks" : "Look again"}
        </Button>
        <Button onClick={() => setChosen({ ssid: "", isSecured: true })}>Hidden network…</Button>
      </div>
      {networks && <NetworkList networks={networks} current={wifi?.ssid} onChoose={setChosen} />}
      {chosen && <JoinDialog {...chosen} onClose={() => setChosen(undefined)} onJoined={onChanged} />}
    </>
  );
}

interface ListProps {
  readonly networks: readonly WifiNetwork[];
  readonly current: string | undefined;
  readonly onChoose: (chosen: { ssid: string; isSecured: boolean }) => void;
}

function NetworkList({ networks, current, onChoose }: ListProps) {
  if (networks.length === 0) return <p role="status">The console hears no network here.</p>;
  return (
    <ul class="networks" aria-label="Networks">
      {networks.map(({ ssid, rssi, secured }) => (
        <li key={ssid}>
          <span>
            <strong>{ssid}</strong>
            <br />
            <span class="muted small">
              {signalInWords(rssi)}
              {secured ? "" : ", open"}
              {ssid === current ? ", chosen now" : ""}
            </span>
          </span>
          <Button label={`Join ${ssid}`} onClick={() => onChoose({ ssid, isSecured: secured })}>
            Join…
          </Button>
        </li>
      ))}
    </ul>
  );
}
