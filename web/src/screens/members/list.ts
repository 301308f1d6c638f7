// A list of people as it is pasted or dropped: addresses, lines of a mail program ("Ann <ann@example.org>"), or a table
// with or without a head. Read by papaparse, which comes with this module when a list is first read.
import Papa from "papaparse";
import { site } from "../../lib/site.ts";
import { parseMoney } from "../../lib/typed-money.ts";

export type Column = "email" | "name" | "credit" | "creator";
/** Why a line cannot be sent as it is: the same address as an earlier line, no amount, neither yes nor no. */
export type Fault = "repeated" | "credit" | "creator";

export interface Member {
  /** From 1, of the text. */
  line: number;
  /** As it is written; whether it is an address, the service says. */
  email: string;
  name: string;
  /** null: as all others. */
  credit_kopecks: number | null;
  creator: boolean | null;
  fault: { why: Fault; text: string } | null;
}

export interface MemberList {
  members: Member[];
  /** What was found in it. */
  columns: Column[];
}

/** One line: its number, and what stands in it. */
interface Row {
  line: number;
  cells: string[];
}
type Places = Partial<Record<Column | "first" | "last", number>>;

const HEADS: Record<keyof Places, readonly string[]> = {
  email:
    "email mail emailaddress mailaddress address primaryemail почта электроннаяпочта элпочта адрес адреспочты имейл".split(
      " ",
    ),
  name: "name fullname displayname student pupil member person participant фио ученик студент участник имяифамилия фамилияиимя имяфамилия фамилияимя фамилияимяотчество".split(
    " ",
  ),
  first: "firstname first givenname forename имя".split(" "),
  last: "lastname last surname familyname фамилия".split(" "),
  credit: "credit points amount money balance баллы очки сумма деньги".split(" "),
  creator: "creator author автор создатель".split(" "),
};
const CURRENCY = [site.currency.name, site.currency.name_ru ?? ""].map(lettersOf).filter(Boolean);
const YES = new Set("yes y true 1 x + да д".split(" "));
const NO = new Set(["no", "n", "false", "0", "-", "нет", "н", ""]);
/** What no text contains: cells with stray quotes are read without any. */
const NO_QUOTE = "\u0000";

/** Reads a list. Empty lines count, so that a line's number is the one that an editor shows. */
export function readList(text: string): MemberList {
  const plain = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const found = readMails(plain) ?? readTable(plain);
  markRepeated(found.members);
  return found;
}

function markRepeated(members: Member[]): void {
  const lines = new Map<string, number>();
  for (const member of members) {
    const key = member.email.toLowerCase();
    const first = lines.get(key);
    if (first === undefined) lines.set(key, member.line);
    else member.fault = { why: "repeated", text: String(first) };
  }
}

/** Addresses and lines of a mail program, any number in a line; null where something else stands there. */
function readMails(text: string): MemberList | null {
  const members: Member[] = [];
  for (const [index, line] of text.split("\n").entries())
    for (const part of parts(line, ";").flatMap((one) =>
      one.split("<").length > 2 || !one.includes("<") ? parts(one, ",") : [one],
    )) {
      const [name, email] = mailOf(part);
      if (!email.includes("@") || /[\s,;"<>]/.test(email)) return null;
      members.push({ ...NOBODY, line: index + 1, email, name });
    }
  if (members.length === 0) return null;
  const isNamed = members.some(({ name }) => name !== "");
  return { members, columns: isNamed ? ["email", "name"] : ["email"] };
}

const NOBODY = { credit_kopecks: null, creator: null, fault: null };

/** What stands between separators (or tabs), outside of quotes; without what is empty. */
function parts(line: string, separator: string): string[] {
  const found: string[] = [];
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at <= line.length; at++) {
    const char = line[at];
    if (char === '"') isQuoted = !isQuoted;
    if (at < line.length && (isQuoted || (char !== separator && char !== "\t"))) continue;
    found.push(line.slice(start, at).trim());
    start = at + 1;
  }
  return found.filter((one) => one !== "");
}

/** Name and address of `"Roe, Ann" <ann@example.org>`, in the order of speech; the whole as an address otherwise. */
function mailOf(cell: string): [name: string, email: string] {
  const start = cell.lastIndexOf("<");
  if (start < 0 || !cell.endsWith(">")) return ["", cell.replace(/^mailto:/i, "")];
  const name = bare(cell.slice(0, start));
  const [last, first, ...more] = name.split(",").map((one) => one.trim());
  const spoken = first && last && more.length === 0 ? `${first} ${last}` : name;
  return [spoken, cell.slice(start + 1, -1).trim()];
}

/** Without the quotes around it. */
const bare = (text: string): string =>
  text
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();

function readTable(text: string): MemberList {
  const rows = rowsOf(text);
  const head = rows[0]?.cells.some((cell) => cell.includes("@"))
    ? {}
    : headOf(rows[0]?.cells ?? []);
  const hasHead = Object.keys(head).length > 0;
  const body = hasHead ? rows.slice(1) : rows;
  const isOneAddress = body.every(({ cells }) => cells.filter(isMail).length < 2);
  if (!hasHead && !isOneAddress) {
    // Several addresses in a line: each is somebody.
    const members = body.flatMap(({ line, cells }) =>
      cells
        .filter((cell) => cell !== "")
        .map((cell) => memberOf({ line, cells: [cell] }, { email: 0 })),
    );
    return { members, columns: ["email"] };
  }
  const places = { email: mostOf(body, isMail), ...(hasHead ? {} : namesOf(body)), ...head };
  const members = body.map((row) => memberOf(row, places));
  const isFound: Record<Column, boolean> = {
    email: true,
    name: members.some(({ name }) => name !== ""),
    credit: places.credit !== undefined,
    creator: places.creator !== undefined,
  };
  return { members, columns: (Object.keys(isFound) as Column[]).filter((one) => isFound[one]) };
}

const isMail = (cell: string): boolean => cell.includes("@");

/** The lines that are not empty. */
function rowsOf(text: string): Row[] {
  const [declared, delimiter] = /^sep=(.)(?:\n|$)/i.exec(text) ?? [""];
  const body = text.slice(declared?.length);
  const options = { delimiter, delimitersToGuess: [",", ";", "\t", "|"] };
  let parsed = Papa.parse<string[]>(body, options);
  if (parsed.errors.some(({ type }) => type === "Quotes"))
    parsed = Papa.parse<string[]>(body, { ...options, quoteChar: NO_QUOTE });
  let line = declared ? 2 : 1;
  return parsed.data
    .map((cells) => {
      const row = { line, cells: cells.map(bare) };
      line += 1 + cells.join("").split("\n").length - 1;
      return row;
    })
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
}

/** Which columns a head names; none where the line is no head. */
function headOf(cells: string[]): Places {
  const places: Places = {};
  for (const [place, cell] of cells.entries()) {
    const word = lettersOf(cell);
    for (const [name, words] of Object.entries(HEADS) as [keyof Places, readonly string[]][])
      if (words.includes(word)) places[name] ??= place;
    if (CURRENCY.includes(word)) places.credit ??= place;
  }
  return places;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}]/gu, "");
}

/** The column in which most cells are so; the first where none is. */
function mostOf(rows: Row[], is: (cell: string) => boolean): number {
  const counts = countsOf(rows, is);
  return Math.max(0, counts.indexOf(Math.max(...counts)));
}

function countsOf(rows: Row[], is: (cell: string) => boolean): number[] {
  const counts: number[] = [];
  for (const { cells } of rows)
    for (const [place, cell] of cells.entries())
      counts[place] = (counts[place] ?? 0) + (is(cell) ? 1 : 0);
  return counts;
}

/** Of a table without a head: a name is what has letters in most lines, in at most two columns. */
function namesOf(rows: Row[]): Places {
  const counts = countsOf(rows, (cell) => /\p{L}/u.test(cell) && !isMail(cell));
  const [first, last] = [...counts.keys()].filter((one) => (counts[one] ?? 0) * 2 > rows.length);
  return first === undefined ? {} : { first, ...(last === undefined ? {} : { last }) };
}

function memberOf({ line, cells }: Row, places: Places): Member {
  const at = (column: keyof Places): string => {
    const place = places[column];
    return place === undefined ? "" : (cells[place] ?? "");
  };
  const [called, email] = mailOf(at("email"));
  const written = at("name") || [at("first"), at("last")].filter((one) => one !== "").join(" ");
  const credit = at("credit");
  const creator = at("creator").toLowerCase();
  const credit_kopecks = credit === "" ? null : parseMoney(credit);
  const isCreator = YES.has(creator);
  const fault: Member["fault"] =
    credit !== "" && credit_kopecks === null
      ? { why: "credit", text: credit }
      : isCreator || NO.has(creator)
        ? null
        : { why: "creator", text: at("creator") };
  return {
    line,
    email,
    name: (written || called).replace(/\s+/g, " "),
    credit_kopecks,
    creator: creator === "" ? null : isCreator,
    fault,
  };
}
