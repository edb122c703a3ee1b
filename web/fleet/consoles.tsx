/** The page of the table of consoles: search and filters, which the hub applies, and orders to those that are chosen. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { useLoaded } from "../hub/use-loaded.js";
import { Button } from "../parts/button.js";
import { Choice, Field } from "../parts/field.js";
import { Empty, ErrorNote } from "../parts/messages.js";
import { Panel } from "../parts/panel.js";
import { BulkOrder } from "./bulk-order.js";
import { DevicePages } from "./device-pages.js";
import { DeviceTable } from "./device-table.js";
import type { PageProps } from "./fleet-app.js";
import type { Filter } from "./fleet-client.js";
import { goTo, linkTo, route } from "./route.js";

/** Conditions in the address, which the hub takes as they are. */
const CONDITIONS = [
  ...["q", "status", "firmware_version", "arch", "app_id", "app_version", "tag", "attention", "group_id"],
] as const;

/** Between two looks at the consoles in sight. */
const RELOAD_MS = 15_000;

/** Chosen consoles of one order. */
const CHOSEN_LIMIT = 1000;

function filterOf(query: URLSearchParams): Filter {
  const set = CONDITIONS.map((name) => [name, query.get(name) ?? ""] as const);
  return Object.fromEntries(set.filter(([, value]) => value !== ""));
}

const VERSION = /^[0-9]{1,9}(\.[0-9]{1,9}){2}$/;

/** Without versions that are half typed, which the hub would refuse, and the version of no app. */
function askedFilter({ firmware_version = "", app_version = "", ...filter }: Filter): Filter {
  return {
    ...filter,
    ...(VERSION.test(firmware_version) && { firmware_version }),
    ...(filter["app_id"] !== undefined && VERSION.test(app_version) && { app_version }),
  };
}

export function Consoles({ client, mayOrder }: PageProps) {
  const { query } = route.value;
  const sort = query.get("sort") || "name";
  const filter = filterOf(query);
  const asked = askedFilter(filter);
  const key = JSON.stringify([asked, sort]);
  const pages = useMemo(() => new DevicePages(client, { ...asked, sort }), [client, key]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void pages.reload();
    }, RELOAD_MS);
    return () => clearInterval(timer);
  }, [pages]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const total = pages.total.value;
  const change = (members: Filter) => {
    const next = { ...filter, sort, ...members };
    goTo(
      linkTo(["consoles"], Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ""))),
      true,
    );
  };
  const select = (id: string, isSelected: boolean) => {
    const next = new Set(selected);
    if (isSelected && next.size < CHOSEN_LIMIT) next.add(id);
    if (!isSelected) next.delete(id);
    setSelected(next);
  };
  return (
    <Panel title="Consoles">
      <Filters client={client} filter={filter} onChange={change} />
      <p role="status">{total === undefined ? "Reading…" : `${total} consoles`}</p>
      {pages.error.value && <ErrorNote error={pages.error.value} />}
      {mayOrder && total !== undefined && total > 0 && (
        <BulkOrder
          client={client}
          selected={selected}
          filter={asked}
          total={total}
          onGiven={() => void pages.reload()}
          onClear={() => setSelected(new Set())}
        />
      )}
      {total === 0 ? (
        <Empty title="No console matches" />
      ) : (
        <DeviceTable
          pages={pages}
          sort={sort}
          onSort={(next) => change({ sort: next })}
          selected={mayOrder ? selected : undefined}
          onSelect={select}
        />
      )}
    </Panel>
  );
}

interface FiltersProps extends Pick<PageProps, "client"> {
  readonly filter: Filter;
  readonly onChange: (members: Filter) => void;
}

const ARCHITECTURES = ["xtensa", "arm", "rv32", "native"];

function Filters({ client, filter, onChange }: FiltersProps) {
  const groups = useLoaded(useCallback(() => client.groups(), [client])).value ?? [];
  const field = (name: string, label: string) => (
    <Field
      label={label}
      value={filter[name] ?? ""}
      onInput={(value) => onChange({ [name]: value.trim() === "" ? "" : value })}
      isCode
    />
  );
  const choice = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <Choice
      label={label}
      value={filter[name] ?? ""}
      options={[{ value: "", text: "All" }, ...options.map(([value, text]) => ({ value, text }))]}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <search class="filters">
      {field("q", "Search name, MAC or id")}
      {choice("status", "Status", [
        ["online", "Online"],
        ["offline", "Offline"],
      ])}
      {choice("attention", "Attention", [["true", "Needs attention"]])}
      {field("tag", "Tag")}
      {choice(
        "group_id",
        "Group",
        groups.map(({ group_id, name }) => [group_id, name]),
      )}
      {field("firmware_version", "Firmware version")}
      {choice(
        "arch",
        "Architecture",
        ARCHITECTURES.map((name) => [name, name]),
      )}
      {field("app_id", "App")}
      {filter["app_id"] !== undefined && field("app_version", "Version of the app")}
      <div class="filters-end">
        <Button onClick={() => onChange(Object.fromEntries(CONDITIONS.map((name) => [name, ""])))}>
          Clear filters
        </Button>
      </div>
    </search>
  );
}
