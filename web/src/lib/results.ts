// What a result pays of a position, from when it is given on: while it can be corrected, too.
import type { Schemas } from "../api/client.ts";
import { now } from "./clock.svelte.ts";
import { moment } from "./formats.ts";
import { t } from "./i18n.ts";
import { money } from "./money.ts";

type Resolution = Pick<
  Schemas["PoolResolution"],
  "decided_at" | "payouts" | "void_at" | "won_side" | "disputable_until"
>;
type Held = Pick<Schemas["Position"], "amount" | "token_type">;

/** Far less than a payout's last decimal, far more than what a sum of floats is off. */
const SLACK = 1e-6;

/**
 * Kopecks that a position in an outcome is paid; null before the result, and where only the service knows: of a void that
 * pays the prices of a moment. `chance`: the outcome's last price, which any other void pays.
 */
export function paidKopecks(
  { amount, token_type }: Held,
  outcome: number,
  { decided_at, payouts, void_at }: Resolution,
  chance: number,
): number | null {
  if (decided_at === null || (payouts === null && void_at !== null)) return null;
  const yes = payouts === null ? chance : (payouts[outcome] ?? 0);
  return Math.floor(amount * (token_type === "YES" ? yes : 1 - yes) + (payouts ? SLACK : 0));
}

/**
 * "Decided: No, pays ₽0 unless corrected until 15:00"; "" before the result. `names` by outcome, null of a yes/no pool;
 * `kopecks`: what is paid.
 */
export function decidedText(
  { decided_at, payouts, won_side: won, void_at, disputable_until: until }: Resolution,
  names: readonly string[] | null,
  kopecks: number,
): string {
  if (decided_at === null) return "";
  if (payouts === null && void_at !== null)
    return t("common.decided_void_at", { moment: moment(void_at) });
  let result = t("common.split");
  if (payouts === null) result = t("home.void");
  else if (won !== null && won >= 0)
    result = names ? (names[won] ?? "") : t(won === 0 ? "common.yes" : "common.no");
  const amount = money(kopecks, { as: "short" });
  return until !== null && Date.parse(until) > now()
    ? t("common.decided", { result, amount, time: moment(until) })
    : t("common.decided_final", { result, amount });
}
