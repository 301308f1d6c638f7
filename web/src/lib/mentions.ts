// Whom texts of comments name with an @.
import type { Schemas } from "../api/client.ts";

export type Mention = Schemas["CommentMention"];
/** A part of a text: as it is, or a link to whom it names. */
export type Piece = string | { text: string; user: Mention["user"] };

/** What nicknames are made of, after an @; one after a letter or a digit is part of an address. */
const NAMED = /(?<![\p{L}\p{Nd}\p{Mn}\p{Mc}])@([\p{L}\p{Nd}\p{Mn}\p{Mc}_.-]+)/gu;
const MARK_AT_END = /[_.-]$/;

/** A comment's text, in its order, with whom it names. */
export function pieces(text: string, mentions: readonly Mention[]): Piece[] {
  const people = new Map(mentions.map(({ nickname, user }) => [nickname.toLowerCase(), user]));
  const found: Piece[] = [];
  let end = 0;
  for (const { 1: run = "", index } of text.matchAll(NAMED)) {
    // A full stop may end a sentence or a name: the longest name that someone has counts.
    let name = run;
    while (!people.has(name.toLowerCase()) && MARK_AT_END.test(name)) name = name.slice(0, -1);
    const user = people.get(name.toLowerCase());
    if (!user) continue;
    found.push(text.slice(end, index), { text: `@${name}`, user });
    end = index + name.length + 1;
  }
  return [...found, text.slice(end)].filter(Boolean);
}
