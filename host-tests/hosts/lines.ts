/** Lines that a process wrote to standard error, with waiters for further ones. */
export class Lines {
  readonly all: string[] = [];
  readonly #waiting = new Set<() => void>();

  add(line: string): void {
    this.all.push(line);
    for (const look of [...this.#waiting]) look();
  }

  wait(pattern: RegExp, from: number, ended: Promise<unknown>): Promise<string> {
    return new Promise((resolve, reject) => {
      let next = from; // test each line only once: a soak prints a million lines
      const look = () => {
        for (; next < this.all.length; next++) {
          const line = this.all[next] as string;
          if (!pattern.test(line)) continue;
          this.#waiting.delete(look);
          return resolve(line);
        }
      };
      this.#waiting.add(look);
      look();
      ended.then(() =>
        reject(new Error(`Ended without a line like ${pattern}: ${this.all.slice(-20).join("\n")}`)),
      );
    });
  }
}
