// A list that others change is read again while it is looked at.

interface List {
  items: readonly unknown[];
  reload: () => Promise<unknown>;
}

/** Reads a list again every so often and whenever its tab is looked at, but not what was read on; returns its end. */
export function reread(
  list: List,
  { everyMs, most }: { everyMs: number; most: number },
): () => void {
  const again = () => {
    if (document.visibilityState === "visible" && list.items.length <= most) void list.reload();
  };
  const timer = setInterval(again, everyMs);
  document.addEventListener("visibilitychange", again);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", again);
  };
}
