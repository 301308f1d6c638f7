// What a report is about, with what stands around it: asked for once, when it is shown.
import { SvelteMap } from "svelte/reactivity";
import { get, type Schemas } from "../../api/client.ts";
import { needEvent } from "../../lib/event-names.svelte.ts";
import { personName } from "../../lib/person-name.ts";

type Comment = Schemas["Comment"];
type Objection = Schemas["Objection"];
type Report = Schemas["ReportCase"];

export interface Surroundings {
  /** The reported comment, with others of its thread around it. */
  comment: Comment | null;
  thread: Comment[];
  /** The reported objection to a pool's result. */
  objection: Objection | null;
  poolId: number | null;
  event: { id: number; name: string; name_ru: string } | null;
  /** Who wrote or made it, or is reported. */
  person: { id: number; name: string } | null;
}

const AT_ONCE = 50;
/** Replies shown before and after the comment, and those to it. */
const NEIGHBOURS = 2;
const ANSWERS = 3;

const known = new SvelteMap<string, Surroundings | null>();
const keyOf = ({ kind, target_id }: Report): string => `${kind} ${String(target_id)}`;

/** Undefined while it is not known, null where it is not there any more. Reactive. */
export function surroundingsOf(report: Report): Surroundings | null | undefined {
  return known.get(keyOf(report));
}

export function putComment(report: Report, comment: Comment): void {
  const now = known.get(keyOf(report));
  if (!now) return;
  const thread = now.thread.map((one) => (one.id === comment.id ? comment : one));
  known.set(keyOf(report), { ...now, comment, thread });
}

export function putObjection(report: Report, objection: Objection): void {
  const now = known.get(keyOf(report));
  if (now) known.set(keyOf(report), { ...now, objection });
}

export async function needSurroundings(report: Report): Promise<void> {
  const { kind, target_id: id, about } = report;
  if (kind === "objection") {
    known.set(keyOf(report), about ? ofObjection(about) : null);
    return;
  }
  const ask = { comment: ofComment, event: ofEvent, user: ofUser }[kind];
  known.set(keyOf(report), await ask(id).catch(() => null));
}

const ALONE = { comment: null, thread: [], objection: null, poolId: null, event: null };

async function one(id: number): Promise<Schemas["CommentInThread"]> {
  const params = { path: { comment_id: id } };
  return get("/api/v1/comments/{comment_id}", params);
}

async function repliesTo(id: number, limit: number): Promise<Comment[]> {
  const params = { path: { comment_id: id }, query: { limit } };
  return (await get("/api/v1/comments/{comment_id}/replies", params)).comments;
}

async function ofComment(id: number): Promise<Surroundings> {
  const { comment, root_id: rootId } = await one(id);
  void needEvent(comment.event_id);
  const { parent_id: parentId } = comment;
  const above = [...new Set([rootId, parentId ?? rootId])].filter((each) => each !== id);
  const [parents, siblings, answers] = await Promise.all([
    Promise.all(above.map(async (each) => (await one(each)).comment)),
    parentId === null ? [] : repliesTo(parentId, AT_ONCE),
    comment.replies_count > 0 ? repliesTo(id, ANSWERS) : [],
  ]);
  const place = siblings.findIndex((each) => each.id === id);
  const before = place < 0 ? [] : siblings.slice(Math.max(0, place - NEIGHBOURS), place);
  const after = place < 0 ? [] : siblings.slice(place + 1, place + 1 + NEIGHBOURS);
  return {
    ...ALONE,
    comment,
    thread: [...parents, ...before, comment, ...answers, ...after],
    event: { id: comment.event_id, name: "", name_ru: "" },
    person: comment.user,
  };
}

async function ofEvent(id: number): Promise<Surroundings> {
  const params = { path: { event_id: id } };
  const { event, creator } = await get("/api/v1/events/{event_id}/page", params);
  return { ...ALONE, event, person: creator };
}

function ofObjection({ event_id, pool_id, objection }: NonNullable<Report["about"]>): Surroundings {
  void needEvent(event_id);
  const { user } = objection;
  // A partner's user, who has the partner's name, writes through the partner alone: there is no one to mute.
  const isPartners = user.profile_hidden && personName(user.name) === user.name;
  return {
    ...ALONE,
    objection,
    poolId: pool_id,
    event: { id: event_id, name: "", name_ru: "" },
    person: isPartners ? null : user,
  };
}

async function ofUser(id: number): Promise<Surroundings> {
  const params = { path: { id } };
  // A hidden profile is shown to no operator, and can be muted all the same.
  const person = await get("/api/v1/users/{id}", params).then(
    ({ user }) => user,
    () => ({ id, name: "" }),
  );
  return { ...ALONE, person };
}
