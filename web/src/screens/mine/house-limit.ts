import type { ApiError } from "../../api/errors.ts";
import { t } from "../../lib/i18n.ts";
import { money } from "../../lib/money.ts";

/** How much a refused publication needed, and how much the house still risks; "" for any other refusal. */
export function houseLimitText(error: ApiError | null): string {
  const { required, available } = error?.details ?? {};
  if (error?.code !== "house_limit" || typeof required !== "number") return "";
  return t("mine.house_limit", {
    required: money(required),
    available: money(typeof available === "number" ? Math.max(0, available) : 0),
  });
}
