// What a person says with a bet: a comment on its event, sent once the bet is made. The bet stands whatever becomes of it,
// and the text stays in sessionStorage until it is written or left out.
import { asApiError, type ApiError } from "../api/errors.ts";
import { now } from "../lib/clock.svelte.ts";
import { announce, CommentSending } from "../lib/comment-sending.ts";
import type { User } from "../lib/session.svelte.ts";
import { site } from "../lib/site.ts";

const STORAGE = "comment";

interface Saying {
  userId: number;
  eventId: number;
  text: string;
  /** When its bet was placed, Unix milliseconds of the service's clock: it was not written before. */
  since: number;
}

/** Whether a person may write here: neither muted nor with an address that is still to be verified. */
export function maySay({ muted_until: until, email_verified: isVerified }: User): boolean {
  const isMuted = until !== null && Date.parse(until) > now();
  return !isMuted && (isVerified || !site.email);
}

export class Said {
  text: string;
  step = $state<"sending" | "written" | "refused">("sending");
  error = $state.raw<ApiError>();
  commentId = $state(0);
  readonly #saying: Saying;
  readonly #sending: CommentSending;

  /** Sends it. `isAgain`: a reload interrupted it, so that it may be there. */
  constructor(saying: Saying, isAgain = false) {
    this.text = $state(saying.text);
    this.#saying = saying;
    this.#sending = new CommentSending(isAgain ? saying.since : null);
    void this.send();
  }

  /** What a reload interrupted, of this person. */
  static interrupted(userId: number): Said | null {
    const saying = stored();
    return saying?.userId === userId ? new Said(saying, true) : null;
  }

  get eventId(): number {
    return this.#saying.eventId;
  }

  send = async (): Promise<void> => {
    const content = this.text.trim();
    if (content === "") return;
    this.step = "sending";
    this.error = undefined;
    store({ ...this.#saying, text: content });
    try {
      const comment = await this.#sending.send({ eventId: this.eventId, content });
      this.commentId = comment.id;
      this.step = "written";
      store(null);
      announce(comment);
    } catch (thrown) {
      this.error = asApiError(thrown);
      this.step = "refused";
    }
  };

  /** It is not to be written after all. */
  leaveOut(): void {
    store(null);
  }
}

function stored(): Saying | null {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE) ?? "null") as Saying | null;
  } catch {
    return null;
  }
}

function store(saying: Saying | null): void {
  try {
    if (saying) sessionStorage.setItem(STORAGE, JSON.stringify(saying));
    else sessionStorage.removeItem(STORAGE);
  } catch {
    // Blocked: it is kept for as long as the page is.
  }
}
