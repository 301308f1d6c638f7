// What people write, read as paragraphs, lists, emphasis and links. All else of it is text, and none of it is lost.
import { parser as commonMark, type InlineContext } from "@lezer/markdown";

type SyntaxNode = ReturnType<typeof commonMark.parse>["topNode"];

export type Piece =
  | { kind: "text"; text: string }
  | { kind: "paragraph" | "bullets" | "numbers" | "emphasis" | "strong"; parts: Piece[] }
  /** `number`: as it was written; null in a list without numbers. */
  | { kind: "item"; number: number | null; parts: Piece[] }
  /** `host`: where a link leads whose text does not say so; "" for one that is its own text. */
  | { kind: "link"; href: string; text: string; host: string };

/** How deep lists and emphasis nest; what is deeper is shown as it was written. */
const DEPTH_MAX = 8;
/** Of a link, in characters, with its text. */
const LINK_LENGTH_MAX = 2_300;
const LINE_TOO_DEEP = /^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t])){9}/m;

/** Without spaces, quotes and characters that are not seen or turn what follows. */
const CHARACTER = String.raw`[^\s<>"\p{C}]`;
const INSIDE = String.raw`[^\s<>"()\p{C}]`;
const BARE = new RegExp(`^https?://${CHARACTER}+`, "iu");
const NAMED = new RegExp(
  String.raw`^\[([^[\]]{1,200})\]\((https?://${INSIDE}+(?:\(${INSIDE}*\)${INSIDE}*)?)\)`,
  "iu",
);
const HOST = /^(https?:\/\/)[^/?#\\]*/i;
const SENTENCE_END = /[.,:;!?'*_~\]}»”’…]+$/u;
/** More of these than three begin and end nothing: they are a line or a gap. */
const DELIMITERS = /^[*_]{4,}/;

const parser = commonMark.configure({
  // A line of stars or hyphens stays known, as no list in a list in a list.
  remove: [
    ...["LinkReference", "IndentedCode", "FencedCode", "Blockquote", "ATXHeading", "SetextHeading"],
    ...["HTMLBlock", "HTMLTag", "Entity", "InlineCode", "HardBreak", "Link", "LinkEnd", "Image"],
  ],
  parseInline: [
    { name: "NamedLink", before: "Escape", parse: namedLink },
    { name: "BareLink", before: "Escape", parse: bareLink },
    {
      name: "Delimiters",
      before: "Emphasis",
      parse: (context, _next, start) => {
        const [run] = DELIMITERS.exec(rest(context, start)) ?? [];
        return run === undefined ? -1 : start + run.length;
      },
    },
  ],
});

/** Reads a text, in time that grows with its length alone. */
export function readProse(text: string): Piece[] {
  if (LINE_TOO_DEEP.test(text)) return [{ kind: "paragraph", parts: [{ kind: "text", text }] }];
  return blocks(text, parser.parse(text).topNode, 0);
}

/** Whether it leads somewhere, with no name or password that looks like its host. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

function rest(context: InlineContext, start: number): string {
  return context.slice(start, Math.min(context.end, start + LINK_LENGTH_MAX));
}

function namedLink(context: InlineContext, next: number, start: number): number {
  if (next !== "[".charCodeAt(0)) return -1;
  const [all, , address] = NAMED.exec(rest(context, start)) ?? [];
  if (all === undefined || !isAddress(address ?? "")) return -1;
  return context.addElement(context.elt("Link", start, start + all.length));
}

function bareLink(context: InlineContext, next: number, start: number): number {
  if (next !== "h".charCodeAt(0) && next !== "H".charCodeAt(0)) return -1;
  if (/[\p{L}\p{N}_]/u.test(context.slice(Math.max(context.offset, start - 1), start))) return -1;
  const address = withoutSentenceEnd(BARE.exec(rest(context, start))?.[0] ?? "");
  if (!isAddress(address)) return -1;
  return context.addElement(context.elt("URL", start, start + address.length));
}

/** "(see https://a.test/b_(c))." has the link "https://a.test/b_(c)". */
function withoutSentenceEnd(address: string): string {
  let kept = address.replace(SENTENCE_END, "");
  while (kept.endsWith(")") && kept.split(")").length > kept.split("(").length)
    kept = kept.slice(0, -1).replace(SENTENCE_END, "");
  return kept;
}

function pieceOf(text: string, node: SyntaxNode, depth: number): Piece {
  const written = text.slice(node.from, node.to);
  const parts = () => between(text, node, depth + 1);
  if (depth >= DEPTH_MAX) return { kind: "text", text: written };
  switch (node.name) {
    case "Paragraph":
    case "HorizontalRule":
      return { kind: "paragraph", parts: parts() };
    case "BulletList":
    case "OrderedList":
      return {
        kind: node.name === "BulletList" ? "bullets" : "numbers",
        parts: blocks(text, node, depth + 1),
      };
    case "ListItem": {
      const number = parseInt(written, 10);
      return {
        kind: "item",
        number: Number.isNaN(number) ? null : number,
        parts: blocks(text, node, depth + 1),
      };
    }
    case "Emphasis":
      return { kind: "emphasis", parts: parts() };
    case "StrongEmphasis":
      return { kind: "strong", parts: parts() };
    case "Link": {
      const [, name = "", address = ""] = NAMED.exec(written) ?? [];
      const { href, host } = new URL(address);
      return { kind: "link", href, text: name, host };
    }
    case "URL": {
      const { href, host } = new URL(written);
      return { kind: "link", href, text: written.replace(HOST, `$1${host}`), host: "" };
    }
    case "Escape":
      return { kind: "text", text: written.slice(1) };
    default:
      return { kind: "text", text: written };
  }
}

/** Blocks of a node, without the gaps between them. */
function blocks(text: string, node: SyntaxNode, depth: number): Piece[] {
  return between(text, node, depth).filter(
    (piece) => piece.kind !== "text" || piece.text.trim() !== "",
  );
}

/** What a node holds, with the text between its parts; the signs that made it are left out. */
function between(text: string, node: SyntaxNode, depth: number): Piece[] {
  const pieces: Piece[] = [];
  let at = node.from;
  const addText = (to: number) => {
    if (to > at) pieces.push({ kind: "text", text: text.slice(at, to) });
  };
  for (let child = node.firstChild; child; child = child.nextSibling) {
    addText(child.from);
    if (!/^(Emphasis|List)Mark$/.test(child.name)) pieces.push(pieceOf(text, child, depth));
    at = child.to;
  }
  addText(node.to);
  return pieces;
}
