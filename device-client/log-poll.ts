/**
 * Finds the new lines in answers of `GET /api/logs`. Line numbers start anew at each start of the console, so a
 * number alone does not reveal a restart: each request also fetches the previous line, which must be unchanged.
 */

interface LogPage {
  readonly lines: readonly string[];
  readonly next: number;
  readonly dropped: number;
}

export interface LogPortion {
  readonly lines: readonly string[];
  /** Whether `lines` are the console's whole buffer, known lines included. */
  readonly isReplay: boolean;
}

type Request = <Body>(path: string, parameters?: Readonly<Record<string, string>>) => Promise<Body>;

const PATH = "/api/logs";

export class LogPoll {
  #last: { readonly line: string; readonly number: number } | undefined;

  /** @throws {DeviceError} as `request` does; may be called again afterwards */
  async next(request: Request): Promise<LogPortion> {
    const last = this.#last;
    if (!last) return this.#read(await request<LogPage>(PATH), true);
    const page = await request<LogPage>(PATH, { since: String(last.number) });
    const goesOn = page.dropped === 0 && page.lines[0] === last.line;
    return goesOn ? this.#read(page, false) : this.#read(await request<LogPage>(PATH), true);
  }

  #read({ lines, next }: LogPage, isReplay: boolean): LogPortion {
    const line = lines.at(-1);
    this.#last = line === undefined ? undefined : { line, number: next - 1 };
    return { lines: isReplay ? lines : lines.slice(1), isReplay };
  }
}
