type Width = 160 | 640 | 1280;

/** An image's address in the smallest width that will do; the service makes these of its own images only. */
export function picture(url: string, width: Width): string {
  if (!URL.canParse(url, location.href)) return "";
  const address = new URL(url, location.href);
  if (address.origin !== location.origin || !address.pathname.startsWith("/images/")) return url;
  address.searchParams.set("w", String(width));
  return address.href;
}
