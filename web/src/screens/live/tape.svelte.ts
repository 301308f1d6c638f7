// The last trades of all markets, the newest first. While it is held, new ones wait.
import type { Trade } from "../../api/live.ts";

const MOST = 100;

export class TradeTape {
  trades = $state.raw<Trade[]>([]);
  waiting = $state.raw<Trade[]>([]);
  #held = false;

  hear(trade: Trade): void {
    if ([...this.trades, ...this.waiting].some(({ id }) => id === trade.id)) return;
    if (this.#held && this.trades.length > 0)
      this.waiting = [trade, ...this.waiting].slice(0, MOST);
    else this.trades = [trade, ...this.trades].slice(0, MOST);
  }

  get held(): boolean {
    return this.#held;
  }

  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    if (this.waiting.length === 0) return;
    this.trades = [...this.waiting, ...this.trades].slice(0, MOST);
    this.waiting = [];
  }
}
