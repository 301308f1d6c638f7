// What somebody thinks of a pool while they drag and type, and its way to the service. What is begun stays in
// sessionStorage until it is sent or put away: through sign-up, too.
import { answer, api, type Schemas } from "../api/client.ts";
import { session } from "../lib/session.svelte.ts";
import { Submission } from "../lib/submission.svelte.ts";
import { isSame, sent, type Thought } from "./thinking.ts";

type Forecast = Schemas["Forecast"];
/** What was last done, to say so. */
export type Done = "saved" | "confirmed" | "withdrawn" | "";

interface Kept extends Thought {
  /** Who thought so; 0 for who had no account then: whoever signs in next in this tab. */
  userId: number;
}

interface About {
  poolId: number;
  /** One a market, as the market has them now. */
  prices: () => number[];
  /** Undefined while it is not known. */
  mine: () => Forecast | null | undefined;
}

export class ForecastForm {
  readonly submission = new Submission();
  done = $state<Done>("");
  #begun = $state.raw<Kept | null>(null);
  readonly #about: About;
  readonly #onsent: (mine: Forecast | null) => void;

  constructor(about: About, onsent: (mine: Forecast | null) => void) {
    this.#about = about;
    this.#onsent = onsent;
    this.#begun = keptOf(about.poolId);
  }

  /** What is begun; null where nothing is, or it was of other outcomes. */
  get #draft(): Thought | null {
    const begun = this.#begun;
    const isTheirs = begun?.userId === 0 || begun?.userId === session.user?.id;
    const isWhole = begun?.probabilities.length === this.#about.prices().length;
    return isTheirs && isWhole ? begun : null;
  }

  get thought(): Thought {
    const mine = this.#about.mine();
    return (
      this.#draft ?? {
        probabilities: mine?.probabilities ?? this.#about.prices(),
        set: [],
        note: mine?.note ?? "",
      }
    );
  }

  get probabilities(): number[] {
    return this.thought.probabilities;
  }

  /** Whether anything is said, here or before. */
  get isSet(): boolean {
    return (this.#draft?.set.length ?? 0) > 0 || Boolean(this.#about.mine());
  }

  /** Whether what is shown is not what stands. */
  get isChanged(): boolean {
    const draft = this.#draft;
    if (!draft) return false;
    const mine = this.#about.mine();
    if (!mine) return draft.set.length > 0;
    return !isSame(draft.probabilities, mine.probabilities) || draft.note !== mine.note;
  }

  think(thought: Thought): void {
    this.done = "";
    this.submission.clear();
    this.#keep({ ...thought, userId: session.user?.id ?? 0 });
  }

  write(note: string): void {
    this.think({ ...this.thought, note });
  }

  /** What stands is shown again. */
  putAway(): void {
    this.#keep(null);
  }

  save = (): Promise<void> => this.#put(sent(this.probabilities), "saved");

  /** Says the same again, as the service gave it. */
  confirm = (): Promise<void> => this.#put(this.#about.mine()?.probabilities ?? [], "confirmed");

  withdraw = async (): Promise<void> => {
    const was = this.thought;
    const params = { path: { pool_id: this.#about.poolId } };
    const isDone = await this.submission.run(() =>
      answer(api.DELETE("/api/v1/pools/{pool_id}/forecast", { params })),
    );
    if (!isDone) return;
    this.#onsent(null);
    // One tap says it again.
    this.think({ ...was, set: was.set.length > 0 ? was.set : [0] });
    this.done = "withdrawn";
  };

  async #put(probabilities: number[], done: Done): Promise<void> {
    const { note } = this.thought;
    const params = { path: { pool_id: this.#about.poolId } };
    // What is left out stays: a muted account may say what it thinks, without a note.
    const isSameNote = note === (this.#about.mine()?.note ?? "");
    const body = {
      probabilities,
      outcomes: probabilities.length,
      note: isSameNote ? null : note,
    };
    let mine: Forecast | null = null;
    const isDone = await this.submission.run(async () => {
      mine = await answer(api.PUT("/api/v1/pools/{pool_id}/forecast", { params, body }));
    });
    if (!isDone) return;
    this.#keep(null);
    this.#onsent(mine);
    this.done = done;
  }

  #keep(begun: Kept | null): void {
    this.#begun = begun;
    try {
      const name = nameOf(this.#about.poolId);
      if (begun) sessionStorage.setItem(name, JSON.stringify(begun));
      else sessionStorage.removeItem(name);
    } catch {
      // Blocked: it is kept for as long as the page is.
    }
  }
}

const nameOf = (poolId: number) => `forecast ${String(poolId)}`;

function keptOf(poolId: number): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(poolId)) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}
