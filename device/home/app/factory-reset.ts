/** The factory reset, after two questions. */
import { ask } from "./api";
import { cardText, question, tell, tellFailure } from "./card";
import {
  CANCEL,
  FACTORY_RESET,
  RESET_CONTINUE,
  RESET_EFFECT,
  RESET_NO_WAY_BACK,
  RESET_NOW,
  RESET_SURE,
  RESTARTING,
} from "./texts";

export function askToReset(): void {
  cardText.clear().put(RESET_EFFECT);
  question(FACTORY_RESET, CANCEL, RESET_CONTINUE, askAgain);
}

function askAgain(): void {
  cardText.clear().put(RESET_NO_WAY_BACK);
  question(RESET_SURE, CANCEL, RESET_NOW, reset);
}

function reset(): void {
  if (!ask("POST /api/factory-reset")) {
    tellFailure();
    return;
  }
  cardText.clear().put(RESTARTING);
  tell(FACTORY_RESET);
}
