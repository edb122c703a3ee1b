/** `svc/bluetooth`: a simulated radio, which advertises (native/network/bluetooth.c). */
export default class Advertisement extends Native("xs_advertisement_destructor") {
  /** @param {import("../../../../ports/bluetooth.js").AdvertisementOptions} options */
  constructor({ data }) {
    super();
    native("xs_advertisement_constructor").call(this, data);
  }
  close() {
    native("xs_advertisement_close").call(this);
  }
}
