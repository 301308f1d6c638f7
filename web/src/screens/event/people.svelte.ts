// Whom somebody may mean who types an @ in a comment.
import type { Schemas } from "../../api/client.ts";
import type { Page } from "../../lib/loading.svelte.ts";

export type Person = Schemas["PublicUser"];
interface Typed {
  /** Where the @ stands. */
  from: number;
  /** What is typed after it. */
  name: string;
}

const SHOWN_MOST = 10;
const NAME_MOST = 32;
const TYPED = /(?<![\p{L}\p{Nd}\p{Mn}\p{Mc}])@([\p{L}\p{Nd}\p{Mn}\p{Mc}_.-]*)$/u;

/** The name that is being typed before a place of a text; null where none is. */
export function typedName(text: string, at: number): Typed | null {
  const before = text.slice(Math.max(0, at - NAME_MOST - 2), at);
  const name = TYPED.exec(before)?.[1];
  return name === undefined ? null : { from: at - name.length - 1, name };
}

/** Whether a nickname, or a part of a name, begins so. */
function fits({ name, nickname }: Person, typed: string): boolean {
  const parts = [nickname, ...name.split(/\s+/u)];
  return parts.some((part) => part.toLowerCase().startsWith(typed.toLowerCase()));
}

export class People {
  readonly #near: Person[];
  #others = $state.raw<Person[]>([]);
  readonly #askNext: (cursor: string | undefined) => Promise<Page<Person>>;
  /** Of the next page; null after the last. */
  #next: string | null | undefined;
  #isAsking = false;

  /** `near`: those who come first; `askNext`: all others, in pages. */
  constructor(near: Person[], askNext: (cursor: string | undefined) => Promise<Page<Person>>) {
    this.#near = near;
    this.#askNext = askNext;
  }

  /** Those whom a typed name may mean, of whom are known. What answers later stands behind them. Reactive. */
  matching(typed: string): Person[] {
    const all = [...this.#near, ...this.#others].filter((one) => one.nickname !== "");
    const known = all.filter(({ id }, at) => all.findIndex((one) => one.id === id) === at);
    return known.filter((one) => fits(one, typed)).slice(0, SHOWN_MOST);
  }

  /** Asks for further people while too few match; `typed`: the name as it is by then, null once it is none. */
  async ask(typed: () => string | null): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      for (
        let name = typed();
        name !== null && this.#next !== null && this.matching(name).length < SHOWN_MOST;
        name = typed()
      ) {
        const { items, next } = await this.#askNext(this.#next);
        [this.#others, this.#next] = [[...this.#others, ...items], next];
      }
    } catch {
      // They are a help alone: the next letter asks again.
    }
    this.#isAsking = false;
  }
}
