// Inviting a list of people: what would become of each, then the invitations, some at a time. Sending goes on while
// other screens are open, after a lost answer and after a reload: who was invited already is not invited again.
import { asApiError, type ApiError } from "../../api/errors.ts";
import { session } from "../../lib/session.svelte.ts";
import type { Column, Member } from "./list.ts";
import { invite, type MemberResult } from "./service.ts";

export interface Row extends Member {
  /** What becomes of them; null until it is known, and for a line with a fault. */
  result: MemberResult["result"] | null;
  reason: MemberResult["reason"];
  /** The invitation was sent from here. */
  sent: boolean;
  /** No account can have the name: they are invited without. */
  unnamed: boolean;
}
/** "typing", then a list that is "checking" and "checked", and whose invitations are "sending" or "done". */
export type Phase = "typing" | "checking" | "checked" | "sending" | "done";

/** In a request: a second or so, after which the page says how far it is. The service takes ten times that. */
export const PIECE = 100;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** What the service's bound of a day takes longer than. */
const SHORT_S = 120;
const STORAGE = "inviting";

/** What is kept of a list that is being sent, until it is done. */
interface Kept {
  user: number;
  rows: Row[];
  columns: Column[];
}

export class Inviting {
  /** As it was pasted, for as long as the page is. */
  text = $state("");
  /** For all whose lines say nothing else. */
  credit = $state<number | null>(null);
  creator = $state(false);

  phase = $state<Phase>("typing");
  rows = $state.raw<Row[]>([]);
  columns = $state.raw<Column[]>([]);
  /** How many of `toDo` are done. */
  done = $state(0);
  toDo = $state(0);
  /** Why it does not go on. */
  error = $state.raw<ApiError>();
  /** An answer is lost: it is asked again by itself. */
  waits = $state(false);
  /** Nothing more is sent once the request under way is answered. */
  stops = $state(false);
  /** Another list, or nobody, has taken the place of what a request is for. */
  #run = 0;
  /** Ends a wait. */
  #goOn: (() => void) | undefined;

  constructor() {
    session.switched(() => {
      this.#forget();
      this.text = "";
    });
  }

  get isBusy(): boolean {
    return (this.phase === "checking" || this.phase === "sending") && !this.error;
  }

  /** Goes on with what a reload broke off. */
  resume(): void {
    const kept = this.phase === "typing" ? stored() : null;
    if (!kept || kept.user !== session.user?.id) return;
    this.columns = kept.columns;
    this.rows = kept.rows;
    void this.send();
  }

  /** Asks what would become of each; nobody is invited yet. */
  async check(members: Member[], columns: Column[]): Promise<void> {
    this.columns = columns;
    this.rows = members.map((one) => ({
      ...one,
      credit_kopecks: one.credit_kopecks ?? this.credit,
      creator: one.creator ?? this.creator,
      result: null,
      reason: "",
      sent: false,
      unnamed: false,
    }));
    await this.look();
  }

  /** Asks anew: who has come meanwhile. */
  look = async (): Promise<void> => {
    this.phase = "checking";
    const isDone = await this.#each((row) => row.fault === null, true);
    if (isDone) this.phase = "checked";
  };

  /** Invites all who can be. */
  send = async (): Promise<void> => {
    this.phase = "sending";
    const isDone = await this.#each((row) => row.result === "invited" && !row.sent, false);
    if (!isDone) return;
    this.phase = this.done < this.toDo ? "checked" : "done";
    store(null);
  };

  /** Sends no more: who was invited stays invited, and the others can be sent later. */
  stop = (): void => {
    this.stops = true;
    this.#goOn?.();
  };

  /** Back to what was pasted; what was sent stays sent. */
  clear = (): void => {
    this.#forget();
    store(null);
  };

  /** Without what is kept: who was signed out by the time goes on when they are back. */
  #forget(): void {
    this.#run++;
    this.phase = "typing";
    this.rows = [];
    this.error = undefined;
    this.waits = false;
  }

  /** Sends the rows that are so, a piece at a time. Returns whether all are done, or it was stopped. */
  async #each(is: (row: Row) => boolean, check: boolean): Promise<boolean> {
    const run = ++this.#run;
    const places = [...this.rows.keys()].filter((place) => is(this.rows[place] as Row));
    this.error = undefined;
    this.stops = false;
    this.done = 0;
    this.toDo = places.length;
    let failures = 0;
    while (this.done < places.length && !this.stops) {
      if (!check) this.#keep();
      const piece = places.slice(this.done, this.done + PIECE);
      try {
        const results = await invite(
          piece.map((place) => asked(this.rows[place] as Row)),
          { check },
        );
        if (run !== this.#run) return false;
        this.#put(piece, results, check);
        this.done += piece.length;
        failures = 0;
        this.waits = false;
      } catch (thrown) {
        if (run !== this.#run) return false;
        const error = asApiError(thrown);
        if (this.#withoutNames(piece, error)) continue;
        const wait = waitOf(error, failures++);
        if (wait === null) {
          this.error = error;
          return false;
        }
        if (this.stops) break;
        this.waits = true;
        await this.#pause(wait);
        if (run !== this.#run) return false;
      }
    }
    this.waits = false;
    return true;
  }

  /** Waits, less long once there is a connection again, or nothing more is to be sent. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        removeEventListener("online", go);
        resolve();
      };
      const timer = setTimeout(go, ms);
      addEventListener("online", go);
      this.#goOn = go;
    });
  }

  /** Who was to be invited and waits by now was invited by a request whose answer was lost. */
  #put(piece: number[], results: MemberResult[], check: boolean): void {
    const rows = [...this.rows];
    for (const [index, place] of piece.entries()) {
      const { result, reason } = results[index] as MemberResult;
      const row = rows[place] as Row;
      const sent = row.sent || (!check && (result === "invited" || result === "waiting"));
      rows[place] = { ...row, result, reason, sent };
    }
    this.rows = rows;
  }

  /** Leaves out the names that the service refuses. Returns whether there were any. */
  #withoutNames(piece: number[], error: ApiError): boolean {
    const refused = Object.keys(error.fields)
      .map((field) => Number(/^members\[(\d+)\]\.name$/.exec(field)?.[1] ?? -1))
      .map((index) => piece[index])
      .filter((place) => place !== undefined && !this.rows[place]?.unnamed);
    if (refused.length === 0) return false;
    this.rows = this.rows.map((row, place) =>
      refused.includes(place) ? { ...row, unnamed: true } : row,
    );
    return true;
  }

  #keep(): void {
    const user = session.user?.id;
    if (user !== undefined) store({ user, rows: this.rows, columns: this.columns });
  }
}

/** Milliseconds until a request is sent again by itself; null where that is for a person to decide. */
function waitOf(error: ApiError, failures: number): number | null {
  if (error.status === 429 && error.retryAfter <= SHORT_S) return error.retryAfter * 1_000;
  return error.undecided ? Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) : null;
}

const asked = ({ email, name, unnamed, credit_kopecks, creator }: Row) => ({
  email,
  name: unnamed ? null : name || null,
  credit_kopecks,
  creator,
});

function stored(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}

function store(kept: Kept | null): void {
  try {
    if (kept) sessionStorage.setItem(STORAGE, JSON.stringify(kept));
    else sessionStorage.removeItem(STORAGE);
  } catch {
    // Blocked or full: a reload ends what is under way, and the list can be sent again.
  }
}

export const inviting = new Inviting();
