import { errorOf } from "../api/errors.ts";
import { refreshIfDue } from "../api/tokens.ts";
import { site } from "./site.ts";

/** Hands a file to the browser, which keeps it where downloads go. */
export function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 60_000);
}

/** What a file of this site is called: its name, and what it is of. */
export function fileName(rest: string): string {
  const name = site.name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
  return `${name.replace(/^-|-$/g, "") || "site"}-${rest}`;
}

/** Downloads an answer of the service as a file; ApiError where it is refused. */
export async function download(path: string, name: string, type = "*/*"): Promise<void> {
  await refreshIfDue();
  const response = await fetch(path, { headers: { Accept: type } });
  if (!response.ok) throw errorOf(response, await response.json().catch(() => null));
  save(await response.blob(), name);
}
