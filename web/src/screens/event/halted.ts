import type { Schemas } from "../../api/client.ts";
import { dateTime } from "../../lib/formats.ts";
import { t } from "../../lib/i18n.ts";
import type { Phase } from "./phase.ts";

/** Why nothing can be traded, for the slip; null while it can. */
export function haltedText(phase: Phase, pool: Schemas["Pool"], isBarred: boolean): string | null {
  switch (phase) {
    case "open":
      return isBarred ? t("event.halted_own") : null;
    case "new":
      return t("event.halted_new");
    case "soon":
      return t("event.halted_soon", { time: dateTime(pool.live_at ?? "") });
    case "paused":
      return t("event.halted_paused");
    case "closed":
      return t("event.halted_closed");
    case "decided":
      return t("event.halted_decided");
    case "cancelled":
      return t("event.halted_cancelled");
    case "paying":
    case "paid":
      return t("event.halted_resolved");
  }
}
