/** The console's hub: its address, whether the console is connected to it, and the console's claim code. */
import { useState } from "preact/hooks";
import type { Device } from "../../../device-client/device.js";
import type { HubStatus } from "../../../protocol/device/answers.js";
import { Button } from "../../parts/button.js";
import { Fact, Facts, Tag } from "../../parts/facts.js";
import { Field } from "../../parts/field.js";
import { Card } from "../../parts/panel.js";
import { usePolled } from "../../session/polled.js";
import { useSession } from "../../session/session.js";

/** Poll interval: the console sends no event when it connects to its hub. */
const PERIOD_MS = 3000;

const askHub = (device: Device) => device.hub();

export function HubCard() {
  const session = useSession();
  const device = session.device.value;
  const { value: hub, set: setHub } = usePolled(device, askHub, PERIOD_MS);
  return (
    <Card title="Hub" toolbar={hub && <HubTag hub={hub} />}>
      <div class="hub-facts">
        <HubFacts hub={hub} isByCable={device?.transport.kind === "usb"} />
      </div>
      {hub !== undefined && hub.url !== "" && device?.transport.kind === "http" && (
        <p class="muted">To change or leave the hub, connect the console by cable, or with its token.</p>
      )}
      <HubForm key={hub?.url} current={hub?.url ?? ""} onChanged={setHub} />
    </Card>
  );
}

function HubTag({ hub: { url, connected } }: { readonly hub: HubStatus }) {
  if (url === "") return <Tag>None</Tag>;
  return connected ? <Tag tone="good">Connected</Tag> : <Tag tone="warning">Not connected</Tag>;
}

function HubFacts({ hub, isByCable }: { readonly hub: HubStatus | undefined; readonly isByCable: boolean }) {
  if (hub === undefined) return <p class="muted">…</p>;
  if (hub.url === "")
    return <p class="muted">A hub keeps apps and firmware for many consoles and installs them from afar.</p>;
  return (
    <Facts>
      <Fact name="Console’s id">
        {hub.device_id ? <span class="mono">{hub.device_id}</span> : "Not registered yet"}
      </Fact>
      <Fact name="Claim code">{claimInWords(hub, isByCable)}</Fact>
    </Facts>
  );
}

function claimInWords({ claim_code, device_id }: HubStatus, isByCable: boolean) {
  if (claim_code !== undefined) return <strong class="claim-code">{claim_code}</strong>;
  if (device_id === undefined) return "–";
  return isByCable
    ? "Claimed by an account of the hub"
    : "Shown over the cable until an account claims the console";
}

function HubForm({
  current,
  onChanged,
}: {
  readonly current: string;
  readonly onChanged: (hub: HubStatus) => void;
}) {
  const session = useSession();
  const [url, setUrl] = useState(current);
  const [isBusy, setBusy] = useState(false);
  const set = async (value: string) => {
    setBusy(true);
    const hub = await session.run("set the hub", (device) => device.setHub(value));
    setBusy(false);
    if (hub === undefined) return;
    onChanged(hub);
    session.notify({
      kind: "done",
      text: hub.url === "" ? "The console has no hub now" : `The hub is ${hub.url}`,
    });
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void set(url.trim());
      }}
    >
      <Field
        label="Address of the hub"
        value={url}
        onInput={setUrl}
        type="url"
        placeholder="https://hub.example.org"
        isCode
      />
      <div class="row">
        <Button type="submit" busy={isBusy} disabled={url.trim() === current}>
          Set hub
        </Button>
        {current !== "" && <Button onClick={() => set("")}>Leave the hub</Button>}
      </div>
    </form>
  );
}
