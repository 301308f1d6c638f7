// Questions that what is typed may mean, asked for while it is typed. SearchField.svelte draws them.
import type { Card } from "../api/cards.ts";
import { get } from "../api/client.ts";

const PAUSE_MS = 150;
const SHOWN = 6;

export class Suggestions {
  cards = $state.raw<readonly Card[]>([]);
  /** "asking": what is shown is of what was typed before. */
  step = $state<"idle" | "asking" | "failed">("idle");
  /** The option that Enter takes: a card's index, then that of all results; -1: none. */
  at = $state(-1);
  #words = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | undefined;

  /** Asks once the typing rests. What was asked before is not waited for. */
  ask(typed: string): void {
    const words = typed.trim();
    if (words === this.#words && this.step !== "failed") return;
    this.#words = words;
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.at = -1;
    this.step = words === "" ? "idle" : "asking";
    if (words === "") this.cards = [];
    else this.#timer = setTimeout(() => void this.#load(words), PAUSE_MS);
  }

  /** The next option, or the one before; past the ends is what is typed. */
  move(way: 1 | -1): void {
    const places = this.cards.length + 2;
    this.at = ((this.at + 1 + way + places) % places) - 1;
  }

  async #load(words: string): Promise<void> {
    const asking = (this.#asking = new AbortController());
    const query = { q: words, sort: "trending", status: "all", limit: SHOWN } as const;
    try {
      const { cards } = await get("/api/v1/cards", { query }, asking.signal);
      if (asking.signal.aborted) return;
      [this.cards, this.step, this.at] = [cards, "idle", -1];
    } catch {
      if (asking.signal.aborted) return;
      [this.cards, this.step, this.at] = [[], "failed", -1];
    }
  }
}
