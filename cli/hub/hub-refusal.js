/** What a hub has refused, or why none was asked: told like every error that has a code of the table of errors. */
export class HubRefusal extends Error {
  /** @override */
  name = "Fault";

  /**
   * @param {string} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}
