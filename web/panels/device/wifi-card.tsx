/** The console's Wi-Fi: its status, and set-up over the cable. */
import { useState } from "preact/hooks";
import type { Device } from "../../../device-client/device.js";
import type { WifiNetworks, WifiStatus } from "../../../protocol/device/answers.js";
import { Button } from "../../parts/button.js";
import { Confirm } from "../../parts/dialog.js";
import { Fact, Facts, Tag, type TagTone } from "../../parts/facts.js";
import { Alert } from "../../parts/messages.js";
import { Card } from "../../parts/panel.js";
import { type Polled, usePolled } from "../../session/polled.js";
import { useSession } from "../../session/session.js";
import { CableNote, deviceByCable } from "./cable-note.js";
import { JoinDialog } from "./join-dialog.js";
import { signalInWords, WIFI_FAILURES, wifiInWords } from "./words.js";

const TONES: Readonly<Record<WifiStatus["state"], TagTone>> = Object.freeze({
  unprovisioned: "quiet",
  joining: "accent",
  joined: "good",
  waiting: "warning",
});
const WORDS: Readonly<Record<WifiStatus["state"], string>> = Object.freeze({
  unprovisioned: "Not set up",
  joining: "Joining",
  joined: "Joined",
  waiting: "Not joined",
});
/** Poll interval for the signal strength; the console reports other changes without polling. */
const PERIOD_MS = 2000;

export function WifiCard() {
  const device = deviceByCable(useSession());
  const { value: wifi, set: setWifi } = useWifi(device);
  return (
    <Card title="WiFi" toolbar={wifi && <Tag tone={TONES[wifi.state]}>{WORDS[wifi.state]}</Tag>}>
      {device ? (
        <>
          <WifiFacts wifi={wifi} />
          <WifiSetup device={device} wifi={wifi} onChanged={setWifi} />
          <ForgetButton ssid={wifi?.ssid} onChanged={setWifi} />
        </>
      ) : (
        <CableNote what="Networks are set up" />
      )}
    </Card>
  );
}

const askWifi = (device: Device) => device.wifi();

function useWifi(device: Device | undefined): Polled<WifiStatus> {
  return usePolled(device, askWifi, PERIOD_MS, useSession().status.value?.wifi_ip);
}

/** Shows the same rows before the first response, so that nothing moves when it arrives. */
function WifiFacts({ wifi }: { readonly wifi: WifiStatus | undefined }) {
  const isJoined = wifi?.state === "joined";
  const failure = wifi?.last_error;
  return (
    <>
      <div role="status">
        <Facts>
          <Fact name="Network">{wifi ? wifiInWords(wifi) : "…"}</Fact>
          <Fact name="Address">{isJoined ? wifi.ip || "None" : "–"}</Fact>
          <Fact name="Signal">{isJoined ? signalInWords(wifi.rssi) : "–"}</Fact>
        </Facts>
      </div>
      {failure && <Alert tone="warning" title={WIFI_FAILURES[failure.reason] ?? failure.message} />}
    </>
  );
}

function ForgetButton({
  ssid,
  onChanged,
}: {
  readonly ssid: string | undefined;
  readonly onChanged: (wifi: WifiStatus) => void;
}) {
  const session = useSession();
  const [isAsking, setAsking] = useState(false);
  const forget = async () => {
    setAsking(false);
    const wifi = await session.run(`forget ${ssid}`, (device) => device.forgetWifi());
    if (wifi !== undefined) onChanged(wifi);
  };
  return (
    <div class="row">
      <Button kind="danger" disabled={ssid === undefined} onClick={() => setAsking(true)}>
        Forget {ssid ?? "the network"}…
      </Button>
      {isAsking && (
        <Confirm
          title={`Forget ${ssid}?`}
          action="Forget"
          onConfirm={forget}
          onCancel={() => setAsking(false)}
        >
          <p>The console leaves the network and joins none until it is given one over the cable.</p>
        </Confirm>
      )}
    </div>
  );
}

interface SetupProps {
  readonly device: Device;
  readonly wifi: WifiStatus | undefined;
  readonly onChanged: (wifi: WifiStatus) => void;
}

/** Joins a network from a scan, or a hidden one by its name. */
function WifiSetup({ wifi, onChanged }: SetupProps) {
  const session = useSession();
  const [networks, setNetworks] = useState<WifiNetworks>();
  const [isScanning, setScanning] = useState(false);
  const [chosen, setChosen] = useState<{ readonly ssid: string; readonly isSecured: boolean }>();
  const scan = async () => {
    setScanning(true);
    const found = await session.run("look for networks", (device) => device.scanWifi());
    setScanning(false);
    if (found !== undefined) setNetworks(found);
  };
  return (
    <>
      <div class="row">
        <Button kind={wifi?.state === "unprovisioned" ? "primary" : "plain"} busy={isScanning} onClick={scan}>
          {networks === undefined ? "Scan for networks" : "Scan again"}
        </Button>
        <Button onClick={() => setChosen({ ssid: "", isSecured: true })}>Hidden network…</Button>
      </div>
      {networks && <NetworkList found={networks} current={wifi?.ssid} onChoose={setChosen} />}
      {chosen && <JoinDialog {...chosen} onClose={() => setChosen(undefined)} onJoined={onChanged} />}
    </>
  );
}

interface ListProps {
  readonly found: WifiNetworks;
  readonly current: string | undefined;
  readonly onChoose: (chosen: { ssid: string; isSecured: boolean }) => void;
}

function NetworkList({ found: { networks, more }, current, onChoose }: ListProps) {
  if (networks.length === 0) return <p role="status">The console hears no network here.</p>;
  return (
    <>
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
      {more && <p class="muted small">There are more networks, with weaker signals.</p>}
    </>
  );
}
