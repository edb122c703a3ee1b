import { live } from "./life.js";

export default () => live("new");
