/** The controls of the log: levels, source, search. */
import { useId } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { Field } from "../../parts/field.js";
import { LEVELS, withLevelSwitched } from "./log-entry.js";
import type { LogView } from "./log-view.js";

export function LogTools({ view }: { view: LogView }) {
  return (
    <div class="log-tools">
      <Levels view={view} />
      <Source view={view} />
      <Search view={view} />
    </div>
  );
}

function Levels({ view }: { view: LogView }) {
  const filter = view.filter.value;
  return (
    <fieldset class="log-levels field">
      <legend>Levels</legend>
      <div class="row">
        {LEVELS.map(({ level, name }) => (
          <Button
            key={level}
            label={name}
            pressed={filter.levels.has(level)}
            onClick={() => {
              view.filter.value = withLevelSwitched(filter, level);
            }}
          >
            <span class={`log-level-${level}`} title={name}>
              {level}
            </span>
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

function Source({ view }: { view: LogView }) {
  const id = useId();
  const { source } = view.filter.value;
  const sources = view.sources.value;
  const choices = source === "" || sources.includes(source) ? sources : [source, ...sources];
  return (
    <div class="field log-source-choice">
      <label for={id}>Source</label>
      <select
        id={id}
        class="input"
        value={source}
        onChange={(event) => {
          view.filter.value = { ...view.filter.peek(), source: event.currentTarget.value };
        }}
      >
        <option value="">Every source</option>
        {choices.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Search({ view }: { view: LogView }) {
  const isIdle = view.found.value.length === 0;
  const beside = (
    <>
      <output class="log-found mono">{placeOf(view)}</output>
      <Button label="Previous line found" disabled={isIdle} onClick={() => view.goToFound(-1)}>
        ↑
      </Button>
      <Button label="Next line found" disabled={isIdle} onClick={() => view.goToFound(1)}>
        ↓
      </Button>
    </>
  );
  return (
    <div class="log-search">
      <Field
        label="Search"
        type="search"
        isCode
        autocomplete="off"
        value={view.query.value}
        onInput={(query) => view.search(query)}
        onKeyDown={(event) => {
          // The search starts at the newest line: Enter goes up.
          if (event.key === "Enter") view.goToFound(event.shiftKey ? 1 : -1);
        }}
        beside={beside}
      />
    </div>
  );
}

/** The position of the current search result, for example "3 of 17". */
function placeOf(view: LogView): string {
  if (view.query.value === "") return "";
  const found = view.found.value;
  const current = view.current.value;
  if (found.length === 0) return "none";
  const index = current === undefined ? -1 : found.indexOf(current);
  return index < 0 ? String(found.length) : `${index + 1} of ${found.length}`;
}
