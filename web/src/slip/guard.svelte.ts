// How far under its quote an order may be carried out; a choice of this browser.
import { store, stored } from "../lib/storage.ts";

const STORAGE = "price-guard";
export const GUARDS = [0.5, 1, 2, 5] as const;
export type Guard = (typeof GUARDS)[number];

class PriceGuard {
  /** Per cent. */
  percent = $state<Guard>(GUARDS.find((one) => String(one) === stored(STORAGE)) ?? 1);

  set(percent: Guard): void {
    this.percent = percent;
    store(STORAGE, String(percent));
  }
}

export const priceGuard = new PriceGuard();
