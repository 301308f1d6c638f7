// What is typed into a form of a dialog: kept with the history entry, so that closing the dialog loses nothing.
import { router } from "./router.svelte.ts";

export class Draft<T> {
  value = $state() as T;
  readonly #begin: () => T;

  constructor(begin: () => T) {
    this.#begin = begin;
    this.value = begin();
  }

  /** It was sent. */
  clear = (): void => {
    this.value = this.#begin();
  };
}

/** The draft of this name; `begin`: what the form holds at first. */
export function draftOf<T>(name: string, begin: () => T): Draft<T> {
  return router.keep(`draft ${name}`, () => new Draft(begin));
}
