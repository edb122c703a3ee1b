/** `svc/bluetooth`: the firmware is built without the chip's Bluetooth, which takes memory and flash that apps have. */
export default undefined;
