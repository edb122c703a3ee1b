/** The part of an event emitter that code for mdns-js uses. */
export class Emitter<Events extends Record<string, unknown>> {
  readonly #listeners: { [Name in keyof Events]?: ((data: Events[Name]) => void)[] } = {};

  on<Name extends keyof Events>(event: Name, listener: (data: Events[Name]) => void): this {
    this.#listeners[event] = [...(this.#listeners[event] ?? []), listener];
    return this;
  }

  removeListener<Name extends keyof Events>(event: Name, listener: (data: Events[Name]) => void): this {
    this.#listeners[event] = this.#listeners[event]?.filter((other) => other !== listener) ?? [];
    return this;
  }

  protected emit<Name extends keyof Events>(event: Name, data: Events[Name]): void {
    for (const listener of this.#listeners[event] ?? []) listener(data);
  }
}
