// A page that knows fewer outcomes of a list than the live socket.
const AGAIN_MS = 2_000;

/** Reads anew while it is behind: at once, and again, as an answer may be a replica's. Call it where effects may be. */
export function readWhileBehind(isBehind: () => boolean, reload: () => unknown): void {
  $effect(() => {
    if (!isBehind()) return undefined;
    void reload();
    const timer = setInterval(() => void reload(), AGAIN_MS);
    return () => {
      clearInterval(timer);
    };
  });
}
