// What a creator is making: the draft, kept as it is typed, what is wrong with it, and sending it.
import { answer, api, type Schemas } from "../../api/client.ts";
import { asApiError, type ApiError } from "../../api/errors.ts";
import { now } from "../../lib/clock.svelte.ts";
import { t } from "../../lib/i18n.ts";
import {
  addPool,
  movePool,
  newDraft,
  newPool,
  readDraft,
  removePool,
  type Draft,
  type Field,
} from "./draft.ts";
import { KeptDraft } from "./kept-draft.svelte.ts";
import { fieldOf, firstWrong, problemsOf } from "./problems.ts";
import { requestOf } from "./request.ts";

export type FieldErrors = Partial<Record<Field, string>>;

/** Which of several questions is shown, which the address keeps. */
export interface Place {
  at: () => number;
  show: (at: number) => void;
}

interface Refusal {
  /** Index of the question; null of what belongs to all. */
  pool: number | null;
  field: Field;
  text: string;
}

export class MarketForm {
  draft = $state<Draft>(newDraft());
  /** A picture to upload; it is not kept with the draft. */
  picture = $state.raw<File | null>(null);
  /** The same as an address. */
  pictureUrl = $state("");
  readonly kept: KeptDraft;
  /** Whether problems are shown, since one tried to send the draft. */
  #isChecked = $state(false);
  /** What the service found wrong. */
  #refusals = $state.raw<Refusal[]>([]);
  refused = $state.raw<ApiError | null>(null);
  sending = $state(false);
  readonly #place: Place;

  constructor(userId: number, place: Place) {
    this.#place = place;
    this.kept = new KeptDraft(`draft ${String(userId)}`);
    this.draft = readDraft(this.kept.text) ?? newDraft();
  }

  readonly at = $derived.by(() => {
    const at = this.#place.at();
    return Math.max(0, Math.min(Number.isInteger(at) ? at : 0, this.draft.pools.length - 1));
  });
  /** The question on the screen. */
  readonly pool = $derived.by(() => this.draft.pools[this.at] ?? newPool());
  readonly isSeveral = $derived.by(() => this.draft.pools.length > 1);
  /** What is wrong with what is on the screen. */
  readonly errors = $derived.by((): FieldErrors => {
    const here = this.#refusals.filter(({ pool }) => pool === null || pool === this.at);
    const problems = this.#isChecked ? Object.entries(problemsOf(this.at, this.draft, now())) : [];
    return {
      ...Object.fromEntries(here.map(({ field, text }) => [field, text])),
      ...Object.fromEntries(problems.map(([field, key]) => [field, t(key)])),
    };
  });

  show(at: number): void {
    this.#place.show(at);
  }

  /** One more question, to be filled in now. */
  add(): void {
    addPool(this.draft);
    this.#forget();
    this.show(this.draft.pools.length - 1);
  }

  remove(): void {
    removePool(this.draft, this.at);
    this.#forget();
    this.show(Math.min(this.at, this.draft.pools.length - 1));
  }

  move(by: 1 | -1): void {
    movePool(this.draft, this.at, by);
    this.#refusals = [];
    this.show(this.at + by);
  }

  /** Keeps the draft on this device. Reads all of it, so an effect that calls it follows every change. */
  keep(): void {
    this.kept.keep(this.#text());
  }

  /** Keeps this draft instead of what another tab has kept. */
  overwrite(): void {
    this.kept.overwrite(this.#text());
  }

  /** Goes on with what another tab has kept. */
  take(): void {
    this.draft = readDraft(this.kept.take()) ?? newDraft();
    this.#forget();
  }

  clear(): void {
    this.draft = newDraft();
    this.picture = null;
    this.#forget();
    this.show(0);
  }

  #text(): string | null {
    const text = JSON.stringify(this.draft);
    return text === JSON.stringify(newDraft()) ? null : text;
  }

  #forget(): void {
    this.#isChecked = false;
    this.#refusals = [];
    this.refused = null;
  }

  /** Makes the event. Returns it; null where something is missing or it was refused: the question to mend is shown. */
  async send(): Promise<Schemas["Event"] | null> {
    this.#forget();
    const wrong = firstWrong(this.draft, now());
    if (wrong !== null) {
      this.#isChecked = true;
      this.show(wrong);
      return null;
    }
    this.sending = true;
    try {
      const event = await answer(
        api.POST("/api/v1/events/create-full", { body: requestOf(this.draft) }),
      );
      this.kept.keep(null);
      return event;
    } catch (thrown) {
      this.refused = asApiError(thrown);
      this.#refusals = Object.entries(this.refused.fields).flatMap(([name, text]) => {
        const found = fieldOf(name, this.draft);
        return found ? [{ ...found, text }] : [];
      });
      const [first] = this.#refusals;
      if (typeof first?.pool === "number") this.show(first.pool);
      return null;
    } finally {
      this.sending = false;
    }
  }
}

/** Uploads an event's picture as it is. */
export async function uploadPicture(eventId: number, file: File): Promise<void> {
  await answer(
    api.PUT("/api/v1/events/{event_id}/image", {
      params: { path: { event_id: eventId } },
      body: file as unknown as string,
      bodySerializer: () => file,
      headers: { "Content-Type": file.type || "application/octet-stream" },
    }),
  );
}
