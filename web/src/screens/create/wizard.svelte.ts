// The state of the wizard: the draft, kept on this device as it is typed, what is wrong, and sending it.
import { answer, api, type Schemas } from "../../api/client.ts";
import { asApiError, type ApiError } from "../../api/errors.ts";
import { now } from "../../lib/clock.svelte.ts";
import { t } from "../../lib/i18n.ts";
import { store, stored } from "../../lib/storage.ts";
import {
  addPool,
  newDraft,
  newPool,
  readDraft,
  removePool,
  type Draft,
  type Field,
} from "./draft.ts";
import { requestOf } from "./request.ts";
import { firstWrong, isSamePlace, placeOf, problemsAt, type Place } from "./steps.ts";

export type FieldErrors = Partial<Record<Field, string>>;

/** Where the wizard stands, which the address keeps. */
export interface Whereabouts {
  place: () => Place;
  show: (place: Place) => unknown;
}

interface Refusal {
  place: Place;
  field: Field;
  text: string;
}

export class Wizard {
  draft = $state<Draft>(newDraft());
  /** A picture to upload; it is not kept with the draft. */
  picture = $state.raw<File | null>(null);
  /** Whether the draft is one that was left here before. */
  isKept = $state(false);
  /** The place whose problems are shown, since one tried to leave it. */
  #checked = $state.raw<Place | null>(null);
  /** What the service found wrong. */
  #refusals = $state.raw<Refusal[]>([]);
  refused = $state.raw<ApiError | null>(null);
  sending = $state(false);
  readonly #storage: string;
  readonly #where: Whereabouts;

  constructor(userId: number, where: Whereabouts) {
    this.#storage = `draft ${String(userId)}`;
    this.#where = where;
    const kept = readDraft(stored(this.#storage));
    if (kept) {
      this.draft = kept;
      this.isKept = true;
    }
  }

  readonly place = $derived.by((): Place => {
    const { step, pool } = this.#where.place();
    return { step, pool: Math.max(0, Math.min(pool, this.draft.pools.length - 1)) };
  });
  /** The question on the screen. */
  readonly pool = $derived.by(() => this.draft.pools[this.place.pool] ?? newPool());
  readonly isSeveral = $derived.by(() => this.draft.pools.length > 1);
  /** What is wrong with what is on the screen. */
  readonly errors = $derived.by((): FieldErrors => {
    const here = this.#refusals.filter(({ place }) => isSamePlace(place, this.place));
    return {
      ...Object.fromEntries(here.map(({ field, text }) => [field, text])),
      ...(isSamePlace(this.#checked, this.place) ? this.#problems(this.place) : {}),
    };
  });

  show(place: Place): void {
    void this.#where.show(place);
  }

  /** One more question, to be filled in now. */
  add(): void {
    addPool(this.draft);
    this.show({ step: "kind", pool: this.draft.pools.length - 1 });
  }

  remove(at: number): void {
    removePool(this.draft, at);
    this.#forget();
  }

  /** Keeps the draft on this device. Reads all of it, so an effect that calls it follows every change. */
  keep(): void {
    const text = JSON.stringify(this.draft);
    if (text === JSON.stringify(newDraft())) store(this.#storage, null);
    else store(this.#storage, text);
  }

  clear(): void {
    this.draft = newDraft();
    this.picture = null;
    this.isKept = false;
    this.#forget();
    store(this.#storage, null);
  }

  #forget(): void {
    this.#checked = null;
    this.#refusals = [];
    this.refused = null;
  }

  /** Whether a place is filled in; shows what is wrong with it. */
  passes(place: Place): boolean {
    const isFine = Object.keys(this.#problems(place)).length === 0;
    this.#checked = isFine ? null : place;
    this.#refusals = this.#refusals.filter((one) => !isSamePlace(one.place, place));
    return isFine;
  }

  #problems(place: Place): FieldErrors {
    const problems = Object.entries(problemsAt(place, this.draft, now()));
    return Object.fromEntries(problems.map(([field, key]) => [field, t(key)]));
  }

  /** The first place that needs something; null where the event can be made. */
  get wrong(): Place | null {
    return firstWrong(this.draft, now());
  }

  /** Makes the event. Returns it, or null where it was refused; `placeOfRefusal` says where to mend it. */
  async send(): Promise<Schemas["Event"] | null> {
    this.sending = true;
    this.#forget();
    try {
      const event = await answer(
        api.POST("/api/v1/events/create-full", { body: requestOf(this.draft) }),
      );
      store(this.#storage, null);
      return event;
    } catch (thrown) {
      this.refused = asApiError(thrown);
      this.#refusals = Object.entries(this.refused.fields).flatMap(([name, text]) => {
        const found = placeOf(name, this.draft);
        return found ? [{ ...found, text }] : [];
      });
      return null;
    } finally {
      this.sending = false;
    }
  }

  /** The place of the first field at fault; null where the refusal names none. */
  get placeOfRefusal(): Place | null {
    return this.#refusals[0]?.place ?? null;
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
