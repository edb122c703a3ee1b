/** The table of consoles. Only the rows in sight are in the page, so that 10,000 scroll as 20 do. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { DeviceRecord } from "../../protocol/hub/answers/devices.js";
import { Tag } from "../parts/facts.js";
import type { DevicePages } from "./device-pages.js";
import { linkTo } from "./route.js";
import { agoText } from "./times.js";

/** Height of a row in CSS pixels, as in fleet.css. */
const ROW_PX = 44;

/** Rows beyond the edges, so that slow scrolling shows no gap. */
const SPARE_ROWS = 8;

/** Time without scrolling after which the rows in sight are read: pages that only pass by are not. */
const REST_MS = 60;

const COLUMNS = [
  { title: "Name", sort: "name" },
  { title: "Status", sort: undefined },
  { title: "Firmware", sort: "firmware" },
  { title: "Architecture", sort: undefined },
  { title: "Last seen", sort: "last_seen_at" },
  { title: "Tags", sort: undefined },
] as const;

interface DeviceTableProps {
  readonly pages: DevicePages;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** Ids; left out where nothing can be chosen. */
  readonly selected?: ReadonlySet<string> | undefined;
  readonly onSelect: (id: string, isSelected: boolean) => void;
}

export function DeviceTable({ pages, sort, onSort, selected, onSelect }: DeviceTableProps) {
  const frame = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const total = pages.total.value ?? 0;
  const height = frame.current?.clientHeight ?? 600;
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE_ROWS);
  const end = Math.min(total, Math.ceil((top + height) / ROW_PX) + SPARE_ROWS);
  useEffect(() => {
    const timer = setTimeout(() => pages.show(first, Math.max(first, end - 1)), REST_MS);
    return () => clearTimeout(timer);
  }, [pages, first, end]);
  useEffect(() => {
    frame.current?.scrollTo({ top: 0 });
    setTop(0);
  }, [pages]);
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  return (
    <section
      ref={frame}
      class={selected ? "table-frame table-chooses" : "table-frame"}
      aria-label="Table of consoles"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-label="Consoles" aria-rowcount={total + 1}>
        <thead class="table-head">
          <tr class="table-row" aria-rowindex={1}>
            {selected && (
              <th scope="col">
                <span class="unseen">Chosen</span>
              </th>
            )}
            {COLUMNS.map((column) => (
              <Head key={column.title} {...column} present={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody class="table-body" style={{ height: `${total * ROW_PX}px` }}>
          {rows.map((index) => (
            <Row
              key={index}
              index={index}
              device={pages.row(index)}
              selected={selected}
              onSelect={onSelect}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Head(props: {
  readonly title: string;
  readonly sort: string | undefined;
  readonly present: string;
  readonly onSort: (sort: string) => void;
}) {
  const { title, sort, present, onSort } = props;
  if (sort === undefined) return <th scope="col">{title}</th>;
  const isUp = present === sort;
  const isDown = present === `-${sort}`;
  return (
    <th scope="col" aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}>
      <button type="button" class="table-sort" onClick={() => onSort(isUp ? `-${sort}` : sort)}>
        {title}
        <span aria-hidden="true">{isUp ? " ↑" : isDown ? " ↓" : ""}</span>
      </button>
    </th>
  );
}

function Row(props: {
  readonly index: number;
  readonly device: DeviceRecord | undefined;
  readonly selected: ReadonlySet<string> | undefined;
  readonly onSelect: (id: string, isSelected: boolean) => void;
}) {
  const { index, device, selected, onSelect } = props;
  const place = { "aria-rowindex": index + 2, style: { top: `${index * ROW_PX}px` } };
  if (!device)
    return (
      <tr class="table-row table-late" {...place}>
        <td>…</td>
      </tr>
    );
  return (
    <tr class="table-row" {...place}>
      {selected && (
        <td>
          <input
            type="checkbox"
            aria-label={`Choose ${device.name}`}
            checked={selected.has(device.device_id)}
            onChange={(event) => onSelect(device.device_id, event.currentTarget.checked)}
          />
        </td>
      )}
      <td class="table-name">
        <a href={linkTo(["consoles", device.device_id])}>{device.name}</a>
      </td>
      <td>
        <Tag tone={device.online ? "good" : "quiet"}>{device.online ? "online" : "offline"}</Tag>
      </td>
      <td>{device.firmware_version}</td>
      <td>{device.arch}</td>
      <td>{agoText(device.last_seen_at)}</td>
      <td>{device.tags?.join(", ")}</td>
    </tr>
  );
}
