// What a pool's result says, as texts.
import type { Schemas } from "../../api/client.ts";
import { price } from "../../lib/formats.ts";
import { language, t } from "../../lib/i18n.ts";
import { exactValue, type Axis } from "../../lib/shapes.ts";

type Resolution = Schemas["PoolResolution"];
interface Named {
  index: number;
  name: string;
}

/**
 * Who or what won: "Yes", an outcome's name, what each is paid, or that it is void. null before the decision. Of a number
 * or a date with the value that decided.
 */
export function resultText(
  resolution: Pick<Resolution, "decided_at" | "payouts" | "won_side"> & { value?: string | null },
  outcomes: Named[],
  axis: Axis | null = null,
): string | null {
  if (resolution.decided_at === null) return null;
  const { payouts, won_side: won } = resolution;
  if (payouts === null) return t("event.result_void");
  const name = resultName(resolution, outcomes);
  const value = resolution.value ?? null;
  if (won === null || won < 0) return t("event.result_split", { parts: name });
  if (axis && value !== null)
    return t("event.result_value", { value: exactValue(axis, value), name });
  return t("event.result_won", { name });
}

/** The same by its name alone: "Bob", what each is paid of a split; "" of a void. */
export function resultName(
  { payouts, won_side: won }: Pick<Resolution, "payouts" | "won_side">,
  outcomes: Named[],
): string {
  const isYesNo = outcomes.length === 1;
  const nameOf = (index: number) =>
    isYesNo
      ? t(index === 0 ? "common.yes" : "common.no")
      : (outcomes.find((one) => one.index === index)?.name ?? "");
  if (won !== null && won >= 0) return nameOf(won);
  const parts = (payouts ?? []).flatMap((payout, index) =>
    payout > 0 ? [`${nameOf(index)} ${price(payout)}`] : [],
  );
  return parts.join(", ");
}

const exact = new Intl.NumberFormat(language, { maximumFractionDigits: 8 });
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const isNumber = (value: unknown): value is number => typeof value === "number";

export interface Proof {
  text: string;
  url: string;
  at: string;
}

/** What the result was read from: an observed price, or the result of an event elsewhere. */
export function proofOf(evidence: Record<string, unknown> | null): Proof | null {
  if (evidence === null) return null;
  if (isNumber(evidence.price)) {
    const value = exact.format(evidence.price);
    const source = text(evidence.source);
    return {
      text: t("event.evidence_price", { price: value, source }),
      url: "",
      at: text(evidence.observed_at),
    };
  }
  const url = text(evidence.url);
  return {
    text: t("event.evidence_result", { result: text(evidence.result) }),
    url: /^https?:\/\//.test(url) ? url : "",
    at: text(evidence.fetched_at),
  };
}

/** An interval of prices as a condition: "from 68,000 to below 70,000". */
export function conditionText(interval: Record<string, unknown>): string {
  const names = ["above", "from", "below", "to"] as const;
  const parts = names.flatMap((name) => {
    const value = interval[name];
    return isNumber(value) ? [t(`event.bound_${name}`, { price: exact.format(value) })] : [];
  });
  return parts.join(" ") || t("event.bound_any");
}

export function plainPrice(value: unknown): string {
  return isNumber(value) ? exact.format(value) : "";
}
