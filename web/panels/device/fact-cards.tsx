/** Cards that list the console's current status and its hardware. */
import type { DeviceStatus, SystemInfo } from "../../../protocol/device/answers.js";
import { formatDuration } from "../../format.js";
import { Fact, Facts, Tag } from "../../parts/facts.js";
import { Card } from "../../parts/panel.js";
import { ARCHITECTURES, BLUETOOTH, RESET_REASONS, signalInWords } from "./words.js";

interface CardProps {
  readonly system: SystemInfo;
  readonly status: DeviceStatus | undefined;
}

export function StatusCard({ system: { firmware, reset_reason }, status }: CardProps) {
  const isOnTrial = firmware.state === "pending_confirm";
  return (
    <Card title="Status">
      <Facts>
        <Fact name="Firmware">
          {firmware.version} <span class="muted">{firmware.codename}</span>{" "}
          {isOnTrial && <Tag tone="warning">On trial</Tag>}
        </Fact>
        <Fact name="Slot">{firmware.slot}</Fact>
        <Fact name="Running for">{status ? formatDuration(status.uptime_ms) : "…"}</Fact>
        <Fact name="Started by">{RESET_REASONS[reset_reason]}</Fact>
        <Fact name="Address">{status ? status.wifi_ip || "In no network" : "…"}</Fact>
        <Fact name="Signal">{status?.wifi_ip ? signalInWords(status.wifi_rssi) : "–"}</Fact>
        <Fact name="Bluetooth">{status ? BLUETOOTH[status.bt_mode] : "…"}</Fact>
      </Facts>
    </Card>
  );
}

export function HardwareCard({ system }: { readonly system: SystemInfo }) {
  const { cpu, limits, features } = system;
  return (
    <Card title="Hardware">
      <Facts>
        <Fact name="Board">{system.board}</Fact>
        <Fact name="Processor">{processorInWords(cpu)}</Fact>
        <Fact name="Architecture">{ARCHITECTURES[system.arch]}</Fact>
        <Fact name="MAC">
          <span class="mono">{system.mac}</span>
        </Fact>
        <Fact name="Apps at once">{limits.running_apps}</Fact>
        <Fact name="Built with">
          {features.length > 0 ? features.join(", ").replaceAll("_", " ") : "no extras"}
        </Fact>
      </Facts>
    </Card>
  );
}

function processorInWords({ model, cores, frequency_mhz }: SystemInfo["cpu"]): string {
  const rest = [cores === 1 ? "1 core" : `${cores} cores`];
  if (frequency_mhz !== undefined) rest.push(`${frequency_mhz} MHz`);
  return `${model}, ${rest.join(", ")}`;
}
