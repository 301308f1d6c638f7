// The state of the wizard: the draft, kept on this device as it is typed, what is wrong, and sending it.
import { answer, api, type Schemas } from "../../api/client.ts";
import { asApiError, type ApiError } from "../../api/errors.ts";
import { now } from "../../lib/clock.svelte.ts";
import { t } from "../../lib/i18n.ts";
import { store, stored } from "../../lib/storage.ts";
import { newDraft, readDraft, requestOf, type Draft } from "./draft.ts";
import { firstWrong, placeOf, problemsAt, type Step } from "./steps.ts";

export type FieldErrors = Partial<Record<keyof Draft, string>>;

export class Wizard {
  draft = $state<Draft>(newDraft());
  /** A picture to upload; it is not kept with the draft. */
  picture = $state.raw<File | null>(null);
  /** Whether the draft is one that was left here before. */
  isKept = $state(false);
  /** The step whose problems are shown, since one tried to leave it. */
  #checked = $state<Step | null>(null);
  /** What the service found wrong. */
  #refusedFields = $state.raw<FieldErrors>({});
  readonly errors = $derived<FieldErrors>({
    ...this.#refusedFields,
    ...(this.#checked ? this.#problems(this.#checked) : {}),
  });
  refused = $state.raw<ApiError | null>(null);
  sending = $state(false);
  readonly #storage: string;

  constructor(userId: number) {
    this.#storage = `draft ${String(userId)}`;
    const kept = readDraft(stored(this.#storage));
    if (kept) {
      this.draft = kept;
      this.isKept = true;
    }
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
    this.#checked = null;
    this.#refusedFields = {};
    this.refused = null;
    store(this.#storage, null);
  }

  /** Whether a step is filled in; shows what is wrong with it. */
  passes(step: Step): boolean {
    const isFine = Object.keys(this.#problems(step)).length === 0;
    this.#checked = isFine ? null : step;
    this.#refusedFields = {};
    return isFine;
  }

  #problems(step: Step): FieldErrors {
    const problems = Object.entries(problemsAt(step, this.draft, now()));
    return Object.fromEntries(problems.map(([field, key]) => [field, t(key)]));
  }

  /** The first step that needs something; null where the event can be made. */
  wrongStep(): Step | null {
    return firstWrong(this.draft, now());
  }

  /** Makes the event. Returns it, or null where it was refused; `stepOfRefusal` says where to mend it. */
  async send(): Promise<Schemas["Event"] | null> {
    this.sending = true;
    this.refused = null;
    try {
      const event = await answer(
        api.POST("/api/v1/events/create-full", { body: requestOf(this.draft) }),
      );
      store(this.#storage, null);
      return event;
    } catch (thrown) {
      this.refused = asApiError(thrown);
      return null;
    } finally {
      this.sending = false;
    }
  }

  /** The step with the first field at fault, its errors shown; null where the refusal names none. */
  stepOfRefusal(): Step | null {
    const places = Object.entries(this.refused?.fields ?? {}).flatMap(([name, text]) => {
      const place = placeOf(name);
      return place ? [{ ...place, text }] : [];
    });
    const step = places[0]?.step ?? null;
    this.#checked = null;
    this.#refusedFields = Object.fromEntries(
      places.filter((place) => place.step === step).map(({ field, text }) => [field, text]),
    );
    return step;
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
