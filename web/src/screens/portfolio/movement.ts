import type { Schemas } from "../../api/client.ts";
import { nameInEvent } from "../../lib/event-names.svelte.ts";
import { eventName, sideText } from "../../lib/holding-names.ts";
import { t } from "../../lib/i18n.ts";

export type Movement = Schemas["Transaction"];

/** What a movement of money was: "Bought Yes", "Credit". */
export function movementKind({ type, token_type: side, change_kopecks: change }: Movement): string {
  switch (type) {
    case "bet":
      return t("portfolio.bought", { side: side ? sideText(side) : "" });
    case "sale":
      return t("portfolio.sold", { side: side ? sideText(side) : "" });
    case "settlement":
      return t("portfolio.settled");
    case "credit":
      return change < 0 ? t("portfolio.taken_back") : t("portfolio.credit");
  }
}

/** What it was about: the question and the outcome, or an admin's note. Reactive. */
export function movementAbout(one: Movement): string {
  if (one.type === "credit") return one.note;
  const market = nameInEvent(one.event_id, one.market_name, ({ id }) => id === one.market_id);
  const isYesNo = one.market_name === one.event_name;
  return [eventName(one), isYesNo ? "" : market].filter(Boolean).join(" · ");
}
