// The limits of price alerts, in basis points of YES.
import type { Schemas } from "../api/client.ts";
import { percent } from "./formats.ts";

export type PriceAlert = Schemas["MarketAlert"];
export type Limit = "above" | "below";

const BPS = 10_000;

/** The limits of an alert that a chance (0…1) has not reached: the others are gone, or about to be. */
export function waiting(
  alert: PriceAlert | undefined,
  probability: number,
): Record<Limit, number | null> {
  const [above, below] = [alert?.above ?? null, alert?.below ?? null];
  return {
    above: above !== null && probability * BPS < above ? above : null,
    below: below !== null && probability * BPS > below ? below : null,
  };
}

/** On which side of a chance a limit (basis points) lies; null: the chance is there. */
export function limitOf(bps: number, probability: number): Limit | null {
  const now = Math.round(probability * BPS * 100) / 100;
  return bps > now ? "above" : bps < now ? "below" : null;
}

/** Basis points as per cent: "60%", "60.5%". */
export function bpsText(bps: number): string {
  return percent(bps / BPS, bps % 100 === 0 ? 0 : 1, false);
}
