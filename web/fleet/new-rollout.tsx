/** Starts a rollout: what, to which consoles, in which steps. */
import { useCallback, useState } from "preact/hooks";
import { useLoaded } from "../hub/use-loaded.js";
import { Button } from "../parts/button.js";
import { Choice, Field } from "../parts/field.js";
import { ErrorNote } from "../parts/messages.js";
import { Card, Panel } from "../parts/panel.js";
import type { PageProps } from "./fleet-app.js";
import type { Filter } from "./fleet-client.js";
import { RolloutPreview, useDeviceCount } from "./rollout-preview.js";
import { goTo, linkTo } from "./route.js";
import { useAction } from "./use-action.js";

const KINDS = [
  { value: "app", text: "An app" },
  { value: "firmware", text: "Firmware" },
];

const ARCHITECTURES = ["xtensa", "arm", "rv32", "native"].map((name) => ({ value: name, text: name }));

const STEPS = [
  { value: "100", text: "All at once" },
  { value: "10 100", text: "10%, then all" },
  { value: "1 10 50 100", text: "1%, 10%, 50%, then all" },
];

const ALL = "";

const ANY_ARCHITECTURE = [{ value: ALL, text: "All" }, ...ARCHITECTURES];

export function NewRollout({ client, mayOrder }: PageProps) {
  const [kind, setKind] = useState("app");
  const [app, setApp] = useState("");
  const [arch, setArch] = useState(ALL);
  const [version, setVersion] = useState("");
  const [group, setGroup] = useState(ALL);
  const [tag, setTag] = useState("");
  const [steps, setSteps] = useState("10 100");
  const [failures, setFailures] = useState("10");
  const action = useAction();
  const groups = useLoaded(useCallback(() => client.groups(), [client])).value ?? [];
  // Firmware is for one architecture.
  const wantedArch = kind === "firmware" && arch === ALL ? "xtensa" : arch;
  const devices: Filter = {
    ...(group !== ALL && { group_id: group }),
    ...(tag.trim() !== "" && { tag: tag.trim() }),
    ...(wantedArch !== ALL && { arch: wantedArch }),
  };
  const percents = steps.split(" ").map(Number);
  const count = useDeviceCount(client, devices);
  if (!mayOrder) return <p>Your token may not start rollouts.</p>;
  const start = async () => {
    const { rollout_id } = await client.rollOut({
      ...(kind === "app" ? { kind, app_id: app.trim() } : { kind, arch: wantedArch }),
      ...(version.trim() !== "" && { version: version.trim() }),
      ...(Object.keys(devices).length > 0 && { devices }),
      steps: percents.map((percent) => ({
        percent,
        success_percent: 100 - Number(failures),
        error_percent: Number(failures),
      })),
    });
    goTo(linkTo(["rollouts", rollout_id]));
  };
  return (
    <Panel title="New rollout" toolbar={<a href={linkTo(["rollouts"])}>All rollouts</a>}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(start);
        }}
      >
        <Card title="1. What">
          <div class="filters">
            <Choice label="Kind" value={kind} options={KINDS} onChange={setKind} />
            {kind === "app" && <Field label="Name of the app" value={app} onInput={setApp} isCode required />}
            <Field label="Version (the newest by default)" value={version} onInput={setVersion} isCode />
          </div>
        </Card>
        <Card title="2. To which consoles">
          <div class="filters">
            <Choice
              label="Group"
              value={group}
              options={[
                { value: ALL, text: "All consoles" },
                ...groups.map(({ group_id, name }) => ({ value: group_id, text: name })),
              ]}
              onChange={setGroup}
            />
            <Choice
              label="Architecture"
              value={wantedArch}
              options={kind === "app" ? ANY_ARCHITECTURE : ARCHITECTURES}
              onChange={setArch}
            />
            <Field label="With this tag" value={tag} onInput={setTag} isCode />
          </div>
        </Card>
        <Card title="3. In which steps">
          <div class="filters">
            <Choice label="Steps" value={steps} options={STEPS} onChange={setSteps} />
            <Choice
              label="Stop if more fail in a step than"
              value={failures}
              options={["0", "5", "10", "25", "50"].map((share) => ({ value: share, text: `${share}%` }))}
              onChange={setFailures}
            />
          </div>
        </Card>
        <RolloutPreview count={count} percents={percents} />
        {action.error && <ErrorNote error={action.error} />}
        <div class="row">
          <Button
            kind="primary"
            type="submit"
            busy={action.isBusy}
            disabled={count.phase === "counted" && count.devices === 0}
          >
            Start the rollout
          </Button>
        </div>
      </form>
    </Panel>
  );
}
