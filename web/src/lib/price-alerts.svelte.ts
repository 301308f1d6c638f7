// Price alerts of who is signed in, by market.
import { SvelteMap } from "svelte/reactivity";
import { answer, api, get, type Schemas } from "../api/client.ts";
import { waiting, type Limit, type PriceAlert } from "./alert-limits.ts";

class PriceAlerts {
  readonly #byMarket = new SvelteMap<number, PriceAlert>();
  #user: number | null = null;

  /** Asks for those of a user; null: nobody is signed in. What cannot be had now is asked for with the next load. */
  async load(user: number | null): Promise<void> {
    if (user !== this.#user) this.#byMarket.clear();
    this.#user = user;
    if (user === null) return;
    try {
      const { alerts } = await get("/api/v1/users/me/alerts");
      if (user !== this.#user) return;
      this.#byMarket.clear();
      for (const alert of alerts) this.#byMarket.set(alert.market_id, alert);
    } catch {
      // What is known stays.
    }
  }

  of(marketId: number): PriceAlert | undefined {
    return this.#byMarket.get(marketId);
  }

  /** Drops the limits that a chance has reached: the service has, too, whatever the chance is a moment later. */
  note(marketId: number, probability: number): void {
    const alert = this.#byMarket.get(marketId);
    if (!alert) return;
    const left = waiting(alert, probability);
    if (left.above === null && left.below === null) this.#byMarket.delete(marketId);
    else if (left.above !== alert.above || left.below !== alert.below)
      this.#byMarket.set(marketId, { ...alert, ...left });
  }

  /** Sets both limits of a market; one that is null ends, and with both the alert. Throws ApiError. */
  async set(marketId: number, limits: Record<Limit, number | null>): Promise<void> {
    const params = { path: { market_id: marketId } };
    if (limits.above === null && limits.below === null) {
      await answer(api.DELETE("/api/v1/markets/{market_id}/alert", { params }));
      this.#byMarket.delete(marketId);
      return;
    }
    const body = limits as Schemas["AlertBody"] & { above: number };
    const set = await answer(api.PUT("/api/v1/markets/{market_id}/alert", { params, body }));
    this.#byMarket.set(marketId, set);
  }
}

export const priceAlerts = new PriceAlerts();
