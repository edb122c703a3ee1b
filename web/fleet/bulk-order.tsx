/** One order for the chosen consoles, or for all that match the filter; it asks before it gives the order. */
import { useState } from "preact/hooks";
import type { BulkResult } from "../../protocol/hub/answers/fleet.js";
import { Button } from "../parts/button.js";
import { Confirm } from "../parts/dialog.js";
import { Check, Choice, Field } from "../parts/field.js";
import { ErrorNote, Note } from "../parts/messages.js";
import { Card } from "../parts/panel.js";
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
  const [isAsking, setAsking] = useState(false);
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
          setAsking(true);
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
      {isAsking && (
        <Confirm
          {...questionOf(kind, { app, version }, count)}
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            action.run(give);
          }}
        >
          <p>
            {isForAll
              ? "All consoles that match the filter when the hub gets the order; the number is as of now."
              : "The chosen consoles, also those that the filter does not show now."}
          </p>
        </Confirm>
      )}
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

/** What a dialog asks before the order is given. */
function questionOf(kind: string, { app, version }: Pick<Content, "app" | "version">, count: number) {
  const consoles = count === 1 ? "1 console" : `${count} consoles`;
  const named = [app.trim(), version.trim()].filter((word) => word !== "").join(" ");
  switch (kind) {
    case "install":
      return { title: `Install ${named} on ${consoles}?`, action: "Install", kind: "primary" } as const;
    case "uninstall":
      return { title: `Remove ${app.trim()} from ${consoles}?`, action: "Remove" } as const;
    case "firmware":
      return {
        title: `Update the firmware of ${consoles}${version.trim() && ` to ${version.trim()}`}?`,
        action: "Update",
        kind: "primary",
      } as const;
    default:
      return { title: `Change the tags of ${consoles}?`, action: "Change", kind: "primary" } as const;
  }
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
function conditionsOf({ attention, ...filter }: Filter): object {
  return { ...filter, ...(attention !== undefined && { attention: attention === "true" }) };
}
