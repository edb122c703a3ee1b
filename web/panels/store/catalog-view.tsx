/** The hub's catalogue: search while typing, sort order, and pages. */
import { useCallback, useEffect, useId, useState } from "preact/hooks";
import type { CatalogEntry, CatalogList } from "../../../protocol/hub/answers/catalog.js";
import { formatBytes, inNaturalOrder } from "../../format.js";
import { type CatalogSort, type HubClient, PER_PAGE } from "../../hub/hub-client.js";
import { useLoaded } from "../../hub/use-loaded.js";
import { Button } from "../../parts/button.js";
import { Field } from "../../parts/field.js";
import { Empty, ErrorNote } from "../../parts/messages.js";
import { HubIcon } from "./hub-icon.js";
import type { StoreState } from "./store-state.js";

/** Long enough to avoid a request for each letter, short enough to go unnoticed. */
const TYPING_PAUSE_MS = 250;

export function CatalogView({ client, store }: { client: HubClient; store: StoreState }) {
  const query = store.query.value;
  const { value, error, isLoading, reload } = useLoaded(
    useCallback(() => client.catalog(query), [client, query]),
  );
  return (
    <>
      <SearchRow store={store} />
      <p class="small muted store-count" role="status">
        {value && !error ? countText(value, query.search) : isLoading ? "Reading the catalogue …" : ""}
      </p>
      {error && (
        <ErrorNote error={error}>
          <Button onClick={reload}>Try again</Button>
        </ErrorNote>
      )}
      {value && !error && <EntryList page={value} store={store} client={client} />}
      {value && value.total > PER_PAGE && <Pages page={value} store={store} />}
    </>
  );
}

function SearchRow({ store }: { store: StoreState }) {
  const { search, sort } = store.query.value;
  const [text, setText] = useState(search);
  const id = useId();
  useEffect(() => {
    if (text === store.query.peek().search) return undefined;
    const timer = setTimeout(() => store.narrow({ search: text }), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, store]);
  return (
    <search class="store-search">
      <Field
        label="Search apps"
        type="search"
        value={text}
        onInput={setText}
        placeholder="Name, description, author"
        autocomplete="off"
      />
      <div class="field">
        <label for={id}>Sort by</label>
        <select
          id={id}
          class="input"
          value={sort}
          onChange={({ currentTarget }) => store.narrow({ sort: currentTarget.value as CatalogSort })}
        >
          <option value="name">Name</option>
          <option value="-published_at">Newest</option>
          <option value="-downloads">Most downloaded</option>
        </select>
      </div>
    </search>
  );
}

function EntryList({ page, store, client }: { page: CatalogList; store: StoreState; client: HubClient }) {
  // The hub sorts names by character, so that 10 precedes 2: restore the natural order within the page.
  const apps = store.query.value.sort === "name" ? inNaturalOrder(page.apps) : page.apps;
  if (apps.length > 0)
    return (
      <ul class="store-list" aria-label="Apps of the hub">
        {apps.map((entry) => (
          <EntryRow key={entry.id} entry={entry} store={store} client={client} />
        ))}
      </ul>
    );
  return store.query.value.search === "" ? (
    <Empty icon="store" title="The catalogue is empty">
      <p>
        Publish an app: <code>svc publish FILE.svcpkg</code>
      </p>
    </Empty>
  ) : (
    <Empty icon="store" title="No app matches">
      <p>Search for fewer or other words.</p>
    </Empty>
  );
}

function EntryRow({ entry, store, client }: { entry: CatalogEntry; store: StoreState; client: HubClient }) {
  const { id, name, version, description, author, size_bytes } = entry;
  return (
    <li class="card store-entry">
      <HubIcon client={client} entry={entry} />
      <div>
        <h3>
          {/* The button covers the whole card; its accessible name is the app's name. */}
          <button
            type="button"
            class="store-open"
            ref={(button) => {
              if (store.lastId !== id || !button) return;
              store.lastId = undefined;
              button.focus();
            }}
            onClick={() => store.open(id)}
          >
            {name}
          </button>{" "}
          <span class="muted small">{version}</span>
        </h3>
        {description && <p>{description}</p>}
        <p class="small muted">
          {[author && `by ${author}`, formatBytes(size_bytes)].filter(Boolean).join(" · ")}
        </p>
      </div>
    </li>
  );
}

function Pages({ page: { page, total }, store }: { page: CatalogList; store: StoreState }) {
  const last = Math.ceil(total / PER_PAGE);
  return (
    <nav class="row store-pages" aria-label="Pages of the catalogue">
      <Button disabled={page <= 1} onClick={() => store.turnTo(page - 1)}>
        Previous
      </Button>
      <span>
        Page {page} of {last}
      </span>
      <Button disabled={page >= last} onClick={() => store.turnTo(page + 1)}>
        Next
      </Button>
    </nav>
  );
}

function countText({ total }: CatalogList, search: string): string {
  const apps = total === 1 ? "1 app" : `${total} apps`;
  return search === "" ? apps : `${apps} for “${search}”`;
}
