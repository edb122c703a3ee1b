/**
 * Finds the new lines in answers of `GET /api/logs`. Line numbers begin anew at each start of the console, so a number
 * alone does not reveal a restart: the request includes the previous line, which must be unchanged.
 */

interface LogPage {
  readonly lines: readonly string[];
  readonly next: number;
  readonly dropped: number;
}

export interface LogPortion {
  readonly lines: readonly string[];
  /** Whether they are all that the console has kept, known ones too. */
  readonly isReplay: boolean;
}

type Ask = <Body>(path: string, parameters?: Readonly<Record<string, string>>) => Promise<Body>;

const PATH = "/api/logs";

export class LogPoll {
  #last: { readonly line: string; readonly number: number } | undefined;

  /** @throws {DeviceError} as `ask` does; may be called again afterwards */
  async next(ask: Ask): Promise<LogPortion> {
    const last = this.#last;
    if (!last) return this.#take(await ask<LogPage>(PATH), true);
    const page = await ask<LogPage>(PATH, { since: String(last.number) });
    const goesOn = page.dropped === 0 && page.lines[0] === last.line;
    return goesOn ? this.#take(page, false) : this.#take(await ask<LogPage>(PATH), true);
  }

  #take({ lines, next }: LogPage, isReplay: boolean): LogPortion {
    const line = lines.at(-1);
    this.#last = line === undefined ? undefined : { line, number: next - 1 };
    return { lines: isReplay ? lines : lines.slice(1), isReplay };
  }
}
