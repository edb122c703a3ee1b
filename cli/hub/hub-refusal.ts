/** An error of a hub, or of a call that reached no hub: uses the codes of the table of errors, with its own advice. */
export class HubRefusal extends Error {
  override readonly name = "HubRefusal";
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
