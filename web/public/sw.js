// The installed client's worker. It keeps one page, which says that there is no connection, and nothing else: no answer,
// no page and no picture of anyone's account is ever in a cache.
const KEPT = "offline-1";
const OFFLINE = "/offline.html";

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(KEPT)
      .then((cache) => cache.add(new Request(OFFLINE, { cache: "reload", credentials: "omit" })))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((name) => name !== KEPT).map((name) => caches.delete(name))),
      )
      // The page is asked for while the worker starts, so that it costs no time.
      .then(() => self.registration.navigationPreload?.enable())
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  event.respondWith(pageOf(event).catch(() => caches.match(OFFLINE)));
});

async function pageOf(event) {
  return (await event.preloadResponse) ?? fetch(event.request);
}
