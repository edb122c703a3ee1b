/**
 * Request durations as a Prometheus histogram, rendered on each scrape. The library's own histogram sorts and joins the
 * labels of each observation, which takes longer than some requests.
 */

/** Upper bounds in seconds: from a cached answer to an upload over a slow line. */
const BOUNDS = Object.freeze([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]);
const NAME = "svc_hub_http_request_duration_seconds";

interface Row {
  readonly labels: Readonly<Record<"method" | "route" | "status", string>>;
  /** Requests by the bound that they are within, and last those beyond all. */
  readonly counts: number[];
  seconds: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export class RequestTimes {
  readonly #rows = new Map<string, Row>();

  /** @param route as in the table of endpoints, which bounds the number of labels */
  observe(method: string, route: string, status: number, seconds: number): void {
    count(this.#row(method, route, status), seconds);
  }

  /** Counts the requests of one row, for the fastest answers: finding it takes as long as some of them. */
  observer(method: string, route: string, status: number): (seconds: number) => void {
    let row: Row | undefined; // a row without requests is not shown
    return (seconds) => {
      row ??= this.#row(method, route, status);
      count(row, seconds);
    };
  }

  #row(method: string, route: string, status: number): Row {
    const key = `${method} ${status} ${route}`;
    let row = this.#rows.get(key);
    if (!row) {
      const counts = new Array(BOUNDS.length + 1).fill(0);
      row = { labels: { method, route, status: String(status) }, counts, seconds: 0 };
      this.#rows.set(key, row);
    }
    return row;
  }

  /** Called by the registry of prom-client. */
  get() {
    return {
      name: NAME,
      help: "Requests by method, route and status",
      type: "histogram" as const,
      aggregator: "sum" as const,
      values: [...this.#rows.values()].flatMap(samplesOf),
    };
  }

  /** The registry's name for this metric. */
  get name(): string {
    return NAME;
  }
}

function count(row: Row, seconds: number): void {
  row.seconds += seconds;
  const within = BOUNDS.findIndex((bound) => seconds <= bound);
  const at = within < 0 ? BOUNDS.length : within;
  row.counts[at] = (row.counts[at] as number) + 1;
}

/** Buckets are cumulative. */
function samplesOf({ labels, counts, seconds }: Row): Sample[] {
  let count = 0;
  const buckets = [...BOUNDS, "+Inf"].map((le, index) => {
    count += counts[index] as number;
    return { metricName: `${NAME}_bucket`, labels: { ...labels, le }, value: count };
  });
  const sum = { metricName: `${NAME}_sum`, labels, value: seconds };
  return [...buckets, sum, { metricName: `${NAME}_count`, labels, value: count }];
}
