// The text of a file, in whichever encoding programs for tables write.

/** Of a file that is a table of its program, not text: what every .xlsx, .ods and .numbers begins with. */
const ARCHIVE = "PK\u0003\u0004";
const OLD_WORKBOOK = "\u00D0\u00CF\u0011\u00E0";

/** Text, or null for a workbook, which is to be saved as CSV first. */
export function textOf(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 4));
  if (head === ARCHIVE || head === OLD_WORKBOOK) return null;
  if (head.startsWith("\u00FF\u00FE")) return new TextDecoder("utf-16le").decode(bytes);
  if (head.startsWith("\u00FE\u00FF")) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1251").decode(bytes);
  }
}
