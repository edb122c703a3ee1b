/** The page of one console: facts, apps, tags, and what happened to it. */
import { useCallback, useState } from "preact/hooks";
import type { Frame } from "../../protocol/hub/answers/catalog.js";
import type { DeviceRecord } from "../../protocol/hub/answers/devices.js";
import type { Actor, CommandStep, DeviceEvent } from "../../protocol/hub/answers/history.js";
import { useLoaded } from "../hub/use-loaded.js";
import { Button } from "../parts/button.js";
import { Fact, Facts, Tag } from "../parts/facts.js";
import { Field } from "../parts/field.js";
import { ErrorNote } from "../parts/messages.js";
import { Card, Panel } from "../parts/panel.js";
import { tagsIn } from "./bulk-order.js";
import type { PageProps } from "./fleet-app.js";
import { linkTo } from "./route.js";
import { agoText, timeText } from "./times.js";
import { useAction } from "./use-action.js";
import { usePolled } from "./use-polled.js";

const EVERY_MS = 5000;

interface ConsoleProps extends PageProps {
  readonly id: string;
}

export function ConsolePage({ client, id, mayOrder }: ConsoleProps) {
  const device = usePolled(
    useCallback(() => client.device(id), [client, id]),
    EVERY_MS,
  );
  const { value } = device;
  return (
    <Panel title={value?.name ?? "Console"} toolbar={<a href={linkTo(["consoles"])}>All consoles</a>}>
      {device.error && <ErrorNote error={device.error} />}
      {value && (
        <div class="columns">
          <DeviceFacts device={value} />
          <Apps client={client} id={id} />
          <Tags client={client} device={value} mayOrder={mayOrder} onChanged={device.reload} />
        </div>
      )}
      <History client={client} id={id} />
    </Panel>
  );
}

function DeviceFacts({ device }: { readonly device: DeviceRecord }) {
  return (
    <Card title="Facts">
      <Facts>
        <Fact name="Status">
          <Tag tone={device.online ? "good" : "quiet"}>{device.online ? "online" : "offline"}</Tag>
        </Fact>
        <Fact name="Last seen">{agoText(device.last_seen_at)}</Fact>
        <Fact name="Firmware">{device.firmware_version}</Fact>
        <Fact name="Architecture">{device.arch}</Fact>
        <Fact name="MAC">
          <code>{device.mac}</code>
        </Fact>
        <Fact name="Id">
          <code>{device.device_id}</code>
        </Fact>
      </Facts>
    </Card>
  );
}

function Apps({ client, id }: Pick<ConsoleProps, "client" | "id">) {
  const apps = usePolled(
    useCallback(() => client.apps(id), [client, id]),
    EVERY_MS,
  );
  return (
    <Card title="Apps">
      {apps.error && <ErrorNote error={apps.error} />}
      {apps.value?.length === 0 && <p class="muted">It reports none.</p>}
      <ul class="stack">
        {apps.value?.map((app) => (
          <li key={app.app_id}>
            {app.name} {app.version} <Tag tone={app.error ? "bad" : "quiet"}>{app.error ?? app.state}</Tag>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface TagsProps extends Pick<PageProps, "client" | "mayOrder"> {
  readonly device: DeviceRecord;
  readonly onChanged: () => Promise<void>;
}

function Tags({ client, device, mayOrder, onChanged }: TagsProps) {
  const { tags = [] } = device;
  const [typed, setTyped] = useState<string>();
  const action = useAction();
  const save = async () => {
    await client.setTags(device.device_id, tagsIn(typed ?? ""));
    await onChanged();
    setTyped(undefined);
  };
  return (
    <Card title="Tags">
      <ul class="row" aria-label="Tags of the console">
        {tags.map((tag) => (
          <li key={tag}>
            <a href={linkTo(["consoles"], { tag })}>{tag}</a>
          </li>
        ))}
      </ul>
      {mayOrder && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            action.run(save);
          }}
        >
          <Field
            label="Tags, separated by spaces"
            value={typed ?? tags.join(" ")}
            onInput={setTyped}
            isCode
            beside={
              <Button type="submit" busy={action.isBusy} disabled={typed === undefined}>
                Save
              </Button>
            }
          />
        </form>
      )}
      {action.error && <ErrorNote error={action.error} />}
    </Card>
  );
}

function History({ client, id }: Pick<ConsoleProps, "client" | "id">) {
  const newest = usePolled(
    useCallback(() => client.history(id), [client, id]),
    EVERY_MS,
  );
  const [older, setOlder] = useState<readonly DeviceEvent[]>([]);
  const [next, setNext] = useState<string>();
  const action = useAction();
  const after = next ?? newest.value?.next;
  const readOn = async () => {
    const page = await client.history(id, after);
    setOlder([...older, ...page.events]);
    setNext(page.next ?? "");
  };
  const seen = new Set<string>();
  const events = [...(newest.value?.events ?? []), ...older].filter((event) => {
    const key = keyOf(event);
    return seen.has(key) ? false : seen.add(key);
  });
  return (
    <Card title="History">
      {newest.error && <ErrorNote error={newest.error} />}
      {newest.value && events.length === 0 && <p class="muted">Nothing has happened yet.</p>}
      <ol class="stack" aria-label="History">
        {events.map((event) => (
          <Event key={keyOf(event)} client={client} id={id} event={event} />
        ))}
      </ol>
      {after !== undefined && after !== "" && (
        <div class="row">
          <Button busy={action.isBusy} onClick={() => action.run(readOn)}>
            Show earlier
          </Button>
        </div>
      )}
      {action.error && <ErrorNote error={action.error} />}
    </Card>
  );
}

function keyOf({ at, kind, command_id, connection, event_id }: DeviceEvent): string {
  return `${at} ${kind} ${command_id} ${connection} ${event_id}`;
}

function Event(props: Pick<ConsoleProps, "client" | "id"> & { readonly event: DeviceEvent }) {
  const { client, id, event } = props;
  const [isOpen, setOpen] = useState(false);
  const { at, kind, command, app_id, version, command_id, event_id } = event;
  const what = [command, app_id, version].filter((word) => word !== undefined).join(" ");
  return (
    <li>
      <span class="muted">{timeText(at)}</span> {what} <Tag tone={toneOf(kind)}>{kind}</Tag>{" "}
      {detailsOf(event)}{" "}
      {command_id !== undefined && kind === "ordered" && (
        <Button kind="quiet" pressed={isOpen} label={`Timeline of ${what}`} onClick={() => setOpen(!isOpen)}>
          Timeline
        </Button>
      )}
      {event_id !== undefined && (
        <Button kind="quiet" pressed={isOpen} label={`Stack of ${what}`} onClick={() => setOpen(!isOpen)}>
          Stack
        </Button>
      )}
      {isOpen && command_id !== undefined && <Timeline client={client} id={id} commandId={command_id} />}
      {isOpen && event_id !== undefined && <Stack client={client} id={id} eventId={event_id} />}
    </li>
  );
}

interface TimelineProps extends Pick<ConsoleProps, "client" | "id"> {
  readonly commandId: string;
}

function Timeline({ client, id, commandId }: TimelineProps) {
  const { value, error } = useLoaded(
    useCallback(() => client.timeline(id, commandId), [client, id, commandId]),
  );
  return (
    <div class="timeline">
      <p class="small muted">
        Command <code>{commandId}</code>
      </p>
      {error && <ErrorNote error={error} />}
      <ol aria-label="Steps of the command">
        {value?.map((step) => (
          <li key={`${step.at} ${step.step}`}>
            <span class="muted">{timeText(step.at)}</span> <Tag tone={toneOf(step.step)}>{step.step}</Tag>{" "}
            {detailsOf(step)}
          </li>
        ))}
      </ol>
    </div>
  );
}

interface StackProps extends Pick<ConsoleProps, "client" | "id"> {
  readonly eventId: number;
}

function Stack({ client, id, eventId }: StackProps) {
  const { value, error } = useLoaded(useCallback(() => client.crash(id, eventId), [client, id, eventId]));
  return (
    <div class="timeline">
      {error && <ErrorNote error={error} />}
      <ol aria-label="Stack of the crash">
        {value?.map((frame, at) => (
          <li key={at}>
            <code>{frameText(frame)}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}

function frameText({ function: name, file, line, is_start }: Frame): string {
  if (file === undefined) return name;
  return `${name} ${is_start ? "from " : ""}${file}:${line}`;
}

function toneOf(step: string) {
  if (step === "failed" || step === "crashed") return "bad";
  return step === "done" ? "good" : "quiet";
}

/** What else is known of a step, as text: names are of strangers. */
function detailsOf(step: Omit<CommandStep, "step"> & Partial<DeviceEvent>): string {
  const { by, connection, progress, error, reason, replaced_by, message, reset_reason, uptime_s } = step;
  return [
    by && `by ${actorText(by)}`,
    connection !== undefined && `over connection ${connection}`,
    progress,
    error,
    message,
    reset_reason !== undefined && `${reset_reason}, reported after ${uptime_s} s`,
    reason,
    replaced_by && `by command ${replaced_by}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function actorText({ kind, name, id }: Actor): string {
  if (kind === "account") return "the account";
  if (kind === "device") return "the console itself";
  if (kind === "hub") return "the hub";
  return `${kind} ${name ?? id ?? ""}`;
}
