/** The page of groups: filters with names. */
import { useCallback, useState } from "preact/hooks";
import { isAnswered, useLoaded } from "../hub/use-loaded.js";
import { Button } from "../parts/button.js";
import { Choice, Field } from "../parts/field.js";
import { Empty, ErrorNote } from "../parts/messages.js";
import { Card, Panel } from "../parts/panel.js";
import type { PageProps } from "./fleet-app.js";
import { linkTo } from "./route.js";
import { useAction } from "./use-action.js";

export function Groups({ client, mayOrder }: PageProps) {
  const groups = useLoaded(useCallback(() => client.groups(), [client]));
  const removing = useAction();
  const remove = async (id: string) => {
    await client.removeGroup(id);
    await groups.reload();
  };
  return (
    <Panel title="Groups">
      {groups.error && <ErrorNote error={groups.error} />}
      {removing.error && <ErrorNote error={removing.error} />}
      {groups.value?.length === 0 && (
        <Empty title="There is no group">
          <p>A group is a filter with a name, for the table, for orders and for rollouts.</p>
        </Empty>
      )}
      <ul class="stack" aria-label="Groups">
        {groups.value?.map(({ group_id, name, filter }) => (
          <li key={group_id} class="row">
            <a href={linkTo(["consoles"], { group_id })}>{name}</a>
            <span class="muted">{filterText(filter)}</span>
            {mayOrder && (
              <Button
                kind="danger"
                label={`Remove the group ${name}`}
                onClick={() => removing.run(() => remove(group_id))}
              >
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      {mayOrder && isAnswered(groups) && <NewGroup client={client} onAdded={groups.reload} />}
    </Panel>
  );
}

const MEMBERS = [
  { value: "tag", text: "Tag" },
  { value: "q", text: "Part of name, MAC or id" },
  { value: "firmware_version", text: "Firmware version" },
  { value: "arch", text: "Architecture" },
  { value: "app_id", text: "App" },
  { value: "status", text: "Status (online or offline)" },
];

function NewGroup({
  client,
  onAdded,
}: Pick<PageProps, "client"> & { readonly onAdded: () => Promise<void> }) {
  const [name, setName] = useState("");
  const [member, setMember] = useState("tag");
  const [value, setValue] = useState("");
  const action = useAction();
  const add = async () => {
    await client.addGroup(name.trim(), { [member]: value.trim() });
    setName("");
    setValue("");
    await onAdded();
  };
  return (
    <Card title="New group">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(add);
        }}
      >
        <Field label="Name of the group" value={name} onInput={setName} required />
        <Choice label="Condition" value={member} options={MEMBERS} onChange={setMember} />
        <Field label="Value" value={value} onInput={setValue} isCode required />
        <div class="filters-end">
          <Button type="submit" busy={action.isBusy}>
            Add the group
          </Button>
        </div>
      </form>
      {action.error && <ErrorNote error={action.error} />}
    </Card>
  );
}

function filterText(filter: Readonly<Record<string, unknown>>): string {
  return Object.entries(filter)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}
