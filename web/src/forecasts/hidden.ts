// How long a pool keeps what others think from its readers.

/** Unix milliseconds until which nobody is shown it; null where it is shown to who has said their own, and where nothing is hidden. */
export function hiddenUntil({ metadata }: { metadata: object }): number | null {
  const found = hiddenOf(metadata);
  return found === null || found === "own" ? null : Date.parse(found);
}

/** "own", a time, or null. */
export function hiddenOf(metadata: object): string | null {
  const forecasts: unknown = "forecasts" in metadata ? metadata.forecasts : null;
  if (typeof forecasts !== "object" || forecasts === null || !("hidden" in forecasts)) return null;
  return typeof forecasts.hidden === "string" ? forecasts.hidden : null;
}
