import type { Schemas } from "../../api/client.ts";
import { localName, t } from "../../lib/i18n.ts";
import { outcomeName, sideText } from "../../lib/holding-names.ts";

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

/** What it was about: the question and the outcome, or an admin's note. */
export function movementAbout(one: Movement): string {
  if (one.type === "credit") return one.note;
  const question = localName({ name: one.event_name, name_ru: one.event_name_ru });
  return [question, outcomeName(one.market_name, one.event_name)].filter(Boolean).join(" · ");
}
