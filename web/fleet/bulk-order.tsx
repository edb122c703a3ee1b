/** One order for the chosen consoles, or for all that match the filter. */
import { useState } from "preact/hooks";
import { Button } from "../parts/button.js";
import { Check, Choice, Field } from "../parts/field.js";
import { ErrorNote, Note } from "../parts/messages.js";
import { Card } from "../parts/panel.js";
import type { BulkResult } from "./fleet-answers.js";
import type { Filter, FleetClient } from "./fleet-client.js";
import { useAction } from "./use-action.js";

const KINDS = [
  { value: "install", text: "Install an app" },
  { value: "uninstall", text: "Remove an app" },
  { value: "firmware", text: "Update the firmware" },
  { value: "tags", text: "Change tags" },
];

interface BulkOrderProps {
  readonly client: FleetClient;
  readonly selected: ReadonlySet<string>;
  readonly filter: Filter;
  /** Consoles that match the filter. */
  readonly total: number;
  readonly onGiven: () => void;
  readonly onClear: () => void;
}

export function BulkOrder({ client, selected, filter, total, onGiven, onClear }: BulkOrderProps) {
  const [kind, setKind] = useState("install");
  const [app, setApp] = useState("");
  const [version, setVersion] = useState("");
  const [add, setAdd] = useState("");
  const [remove, setRemove] = useState("");
  const [isForAll, setForAll] = useState(false);
  const [result, setResult] = useState<BulkResult>();
  const action = useAction();
  const count = isForAll ? total : selected.size;
  const give = async () => {
    setResult(undefined);
    const devices = isForAll ? conditionsOf(filter) : { ids: [...selected] };
    setResult(await client.order({ kind, ...contentOf(kind, { app, version, add, remove }), devices }));
    onGiven();
  };
  const forAll = <Check text={`All ${total} that match`} checked={isForAll} onChange={setForAll} />;
  if (count === 0) return <div class="row">{forAll}</div>;
  return (
    <Card
      title={`Order for ${count} consoles`}
      toolbar={selected.size > 0 && <Button onClick={onClear}>Choose none</Button>}
    >
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(give);
        }}
      >
        <Choice label="Order" value={kind} options={KINDS} onChange={setKind} />
        {(kind === "install" || kind === "uninstall") && (
          <Field label="Name of the app" value={app} onInput={setApp} isCode required />
        )}
        {(kind === "install" || kind === "firmware") && (
          <Field label="Version (the newest by default)" value={version} onInput={setVersion} isCode />
        )}
        {kind === "tags" && <Field label="Tags to add" value={add} onInput={setAdd} isCode />}
        {kind === "tags" && <Field label="Tags to remove" value={remove} onInput={setRemove} isCode />}
        {forAll}
        <div class="filters-end">
          <Button kind="primary" type="submit" busy={action.isBusy}>
            Give the order
          </Button>
        </div>
      </form>
      {action.error && <ErrorNote error={action.error} />}
      <div role="status">{result && <Result result={result} />}</div>
    </Card>
  );
}

function Result({ result: { ordered, refused, results } }: { readonly result: BulkResult }) {
  const causes = new Map<string, number>();
  for (const { error } of results) if (error !== undefined) causes.set(error, (causes.get(error) ?? 0) + 1);
  return (
    <Note tone={refused > 0 ? "warning" : "good"}>
      {`Given to ${ordered} consoles`}
      {[...causes].map(([cause, devices]) => `, ${devices} refused: ${cause}`)}
    </Note>
  );
}

interface Content {
  readonly app: string;
  readonly version: string;
  readonly add: string;
  readonly remove: string;
}

function contentOf(kind: string, { app, version, add, remove }: Content): object {
  const inVersion = version.trim() === "" ? {} : { version: version.trim() };
  switch (kind) {
    case "install":
      return { app_id: app.trim(), ...inVersion };
    case "uninstall":
      return { app_id: app.trim() };
    case "firmware":
      return inVersion;
    default:
      return { add: tagsIn(add), remove: tagsIn(remove) };
  }
}

/** @param typed separated by spaces or commas */
export function tagsIn(typed: string): readonly string[] {
  return typed.split(/[\s,]+/).filter((tag) => tag !== "");
}

/** The conditions as a request has them, where the query has texts. */
export function conditionsOf({ attention, ...filter }: Filter): object {
  return { ...filter, ...(attention !== undefined && { attention: attention === "true" }) };
}
