// One draft on this device, which another tab may change as well: none overwrites what it has not seen.
import { store, stored } from "../../lib/storage.ts";

/** `elsewhere`: another tab has changed it since. `unkept`: this browser keeps nothing. */
export type KeptState = "empty" | "kept" | "elsewhere" | "unkept";

export class KeptDraft {
  state = $state<KeptState>("empty");
  readonly #name: string;
  /** What is stored, as far as this tab knows. */
  #known: string | null;

  constructor(name: string) {
    this.#name = name;
    this.#known = stored(name);
    if (this.#known !== null) this.state = "kept";
  }

  get text(): string | null {
    return this.#known;
  }

  /** Keeps a draft, or with null none; not over another tab's. */
  keep(text: string | null): void {
    const there = stored(this.#name);
    if (there !== this.#known && there !== text) this.state = "elsewhere";
    else this.overwrite(text);
  }

  /** Keeps a draft whatever is there. */
  overwrite(text: string | null): void {
    store(this.#name, text);
    this.#known = stored(this.#name);
    this.state = text === null ? "empty" : this.#known === text ? "kept" : "unkept";
  }

  /** What another tab has kept. */
  take(): string | null {
    this.#known = stored(this.#name);
    this.state = this.#known === null ? "empty" : "kept";
    return this.#known;
  }

  /** Notices what other tabs keep. Returns what ends that. */
  listen(): () => void {
    const look = () => {
      if (stored(this.#name) !== this.#known) this.state = "elsewhere";
    };
    addEventListener("storage", look);
    return () => {
      removeEventListener("storage", look);
    };
  }
}
