// Whether creators may trade in their own events: one answer for the whole site, which only a creator at home is told.
import { get } from "../../api/client.ts";
import { asApiError } from "../../api/errors.ts";

const STAKE = 10_000;

class AtHome {
  isRefused = $state(false);
  #isKnown = false;

  /** Asks for a price, as the slip would, in a market of an event that the reader made. */
  async ask(marketId: number): Promise<void> {
    if (this.#isKnown) return;
    this.#isKnown = true;
    const query = { market_id: marketId, token_type: "YES" as const, amount_kopecks: STAKE };
    try {
      await get("/api/v1/market/quote", { query });
    } catch (thrown) {
      const { code, status } = asApiError(thrown);
      this.isRefused = code === "own_event";
      this.#isKnown = [400, 403, 409].includes(status); // else it says nothing of this
    }
  }
}

export const atHome = new AtHome();
