/**
 * Exceptions through every construct that can catch or pass them, in an order that a seed decides: nested `try`,
 * `catch` and `finally`, `return` and `break` out of them, generators that yield and async functions that await within
 * them, and callbacks of built-in functions. The trace of a seed is the same on every engine.
 */

/** @returns what happened, a character or two each; always the same for a seed */
export async function exceptionTrace(seed: number): Promise<string> {
  const run = new Run(seed);
  for (let round = 0; round < ROUNDS; round++) {
    run.note("/");
    try {
      run.note(await run.awaits(0));
    } catch (error) {
      run.note(`!${(error as Error).message}`);
    }
  }
  return run.trace;
}

const ROUNDS = 20;
const DEEPEST = 6;

class Run {
  trace = "";
  #random: number;

  constructor(seed: number) {
    this.#random = seed;
  }

  note(what: string): void {
    this.trace += what;
  }

  /** Numerical Recipes' linear congruential generator. @returns an integer below `end` */
  #below(end: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return (this.#random >>> 8) % end;
  }

  #mayThrow(where: string): void {
    if (this.#below(4) === 0) {
      this.note("t");
      throw new Error(where);
    }
  }

  /** One of the constructs below. */
  #any(depth: number): string {
    if (depth >= DEEPEST) return this.#leaf();
    const next = depth + 1;
    switch (this.#below(7)) {
      case 0:
        return this.#catches(next);
      case 1:
        return this.#finishes(next);
      case 2:
        return this.#loops(next);
      case 3:
        return this.#callsBack(next);
      case 4:
        return this.#generates(next);
      case 5:
        return this.#returnsFromFinally(next);
      default:
        return this.#leaf();
    }
  }

  #leaf(): string {
    this.#mayThrow("leaf");
    return "l";
  }

  #catches(depth: number): string {
    const before = depth;
    try {
      this.note("(");
      const result = this.#any(depth);
      this.#mayThrow("c");
      return `${result}c`;
    } catch (error) {
      this.note(`)${(error as Error).message}${before}`);
      this.#mayThrow("again");
      return this.#any(depth);
    }
  }

  #finishes(depth: number): string {
    let left = "f";
    try {
      left += this.#any(depth);
      left += this.#any(depth);
    } finally {
      this.note(`f${left.length}`);
      if (this.#below(8) === 0) left += this.#any(depth);
    }
    return left.slice(0, 4);
  }

  #loops(depth: number): string {
    let result = "";
    for (let round = 0; round < 3; round++) {
      try {
        result += this.#any(depth);
        if (this.#below(4) === 0) continue;
        if (this.#below(6) === 0) break;
      } catch {
        this.note("x");
        if (this.#below(3) === 0) break;
      } finally {
        this.note(`${round}`);
      }
      result += "o";
    }
    return result.slice(0, 4);
  }

  #returnsFromFinally(depth: number): string {
    try {
      this.note(this.#any(depth));
      return "r";
    } finally {
      // biome-ignore lint/correctness/noUnsafeFinally: that it replaces the exception is what is traced
      if (this.#below(3) === 0) return "R";
    }
  }

  /** Through built-in functions, which are frames of the engine's C. */
  #callsBack(depth: number): string {
    switch (this.#below(4)) {
      case 0:
        return [1, 2].map(() => this.#any(depth)).join("");
      case 1:
        return Array.from({ length: 2 }, () => this.#any(depth)).join("");
      case 2:
        return String(JSON.parse("[1,2]", () => this.#any(depth)));
      default:
        return "ab".replace(/./g, () => this.#any(depth)).slice(0, 4);
    }
  }

  #generates(depth: number): string {
    let result = "";
    const values = this.#generator(depth);
    for (let round = 0; round < 4; round++) {
      const step = this.#below(5) === 0 ? values.throw(new Error("in")) : values.next(round);
      result += step.done ? `d${step.value ?? ""}` : step.value;
      if (step.done) break;
      if (this.#below(6) === 0) this.note(`${values.return("e").value}`);
    }
    return result.slice(0, 4);
  }

  *#generator(depth: number): Generator<string, string | undefined, number> {
    try {
      this.note(`g${yield this.#any(depth)}`);
      try {
        for (const part of [1, 2]) yield `${part}${this.#any(depth)}`;
      } catch (error) {
        this.note(`G${(error as Error).message}`);
        yield "y";
        this.#mayThrow("generator");
      } finally {
        yield this.#leaf();
      }
      return this.#any(depth);
    } finally {
      this.note("z");
    }
  }

  async awaits(depth: number): Promise<string> {
    if (depth >= DEEPEST) return this.#leaf();
    try {
      const first = await (this.#below(2) === 0 ? this.awaits(depth + 1) : this.#any(depth + 1));
      this.#mayThrow("await");
      return `${first}${await this.#later(depth + 1)}`.slice(0, 4);
    } catch (error) {
      this.note(`a${(error as Error).message}`);
      if (this.#below(3) === 0) throw error;
      return await this.#later(depth + 1);
    } finally {
      await undefined;
      this.note("A");
    }
  }

  async #later(depth: number): Promise<string> {
    await undefined;
    return this.#any(depth);
  }
}
