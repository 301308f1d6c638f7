// What somebody writes who came from a result that can be disputed.
import type { Schemas } from "../../api/client.ts";
import { localName, t } from "../../lib/i18n.ts";

/**
 * The beginning of the message, which names the market; "" where the address names none. null where the pool's result
 * cannot be disputed at this moment (Unix milliseconds).
 */
export function disputeText(
  event: Schemas["Event"] | undefined,
  poolId: number,
  nowMs: number,
): string | null {
  const pool = event?.pools.find(({ id }) => id === poolId);
  if (!event || !pool) return "";
  const { state, disputable_until: until } = pool.resolution;
  if (state !== "decided" || until === null || Date.parse(until) <= nowMs) return null;
  const question = localName(event);
  const name = event.pools.length > 1 ? `${question} · ${localName(pool)}` : question;
  return t("support.dispute", { name, address: `${location.origin}/events/${String(event.id)}` });
}
