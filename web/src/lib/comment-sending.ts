// Sends a comment once. The service knows no repeat of one: where an answer was lost, it is looked for before it is sent
// again.
import { answer, api, type Schemas } from "../api/client.ts";
import { asApiError } from "../api/errors.ts";
import { now } from "./clock.svelte.ts";
import { session } from "./session.svelte.ts";

const CLOCKS_DIFFER_MS = 5_000;

export interface NewComment {
  eventId: number;
  parentId?: number | undefined;
  content: string;
}

type Call = (comment: Schemas["Comment"]) => void;
const onAnnounced = new Set<Call>();

/** Tells the page of a comment that was written elsewhere than under its event. */
export function announce(comment: Schemas["Comment"]): void {
  onAnnounced.forEach((call) => {
    call(comment);
  });
}

/** Calls back with such comments. */
export function announced(call: Call): () => void {
  onAnnounced.add(call);
  return () => onAnnounced.delete(call);
}

export class CommentSending {
  /** When it was first sent without an answer, Unix milliseconds: it may be there. Null: it was not. */
  #lost: number | null;

  constructor(lost: number | null = null) {
    this.#lost = lost;
  }

  /** The comment as it was written; ApiError where it is refused or no answer comes. */
  async send(comment: NewComment): Promise<Schemas["Comment"]> {
    const written = (await this.#alreadyThere(comment)) ?? (await this.#post(comment));
    this.#lost = null;
    return written;
  }

  async #post({ eventId, parentId, content }: NewComment): Promise<Schemas["Comment"]> {
    const since = now();
    const body = { event_id: eventId, content, parent_id: parentId ?? null };
    try {
      return await answer(api.POST("/api/v1/comments", { body }));
    } catch (thrown) {
      if (asApiError(thrown).undecided) this.#lost ??= since;
      throw thrown;
    }
  }

  async #alreadyThere(comment: NewComment): Promise<Schemas["Comment"] | undefined> {
    if (this.#lost === null) return undefined;
    const since = this.#lost - CLOCKS_DIFFER_MS;
    const { newest } = await import("./newest-comments.ts");
    return (await newest(comment.eventId, comment.parentId, since)).find(
      ({ user_id, content, created_at }) =>
        user_id === session.user?.id &&
        content === comment.content &&
        Date.parse(created_at) > since,
    );
  }
}
