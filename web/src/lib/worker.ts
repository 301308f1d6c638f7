// The installed client's worker (public/sw.js), which keeps a page for when there is no connection, and nothing else.
interface Policy {
  createScriptURL(url: string): string;
}

const PATH = "/sw.js";

/** Registers it once the page is there. Browsers have none on plain HTTP, but on this machine. */
export function registerWorker(): void {
  const { serviceWorker } = navigator as Partial<Pick<Navigator, "serviceWorker">>;
  if (!serviceWorker || import.meta.env.DEV) return;
  const register = (): void => {
    // Where it is refused (storage is blocked, a private window), the page goes on without.
    serviceWorker.register(trusted()).catch(() => undefined);
  };
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true });
}

/** The page's policy lets no other address begin a worker. Browsers without trusted types take the text itself. */
function trusted(): string {
  const { trustedTypes } = window as {
    trustedTypes?: {
      createPolicy(name: string, rules: Policy): { createScriptURL(url: string): string };
    };
  };
  const policy = trustedTypes?.createPolicy("service-worker", {
    createScriptURL(url) {
      if (url !== PATH) throw new TypeError("no worker is there");
      return url;
    },
  });
  return policy?.createScriptURL(PATH) ?? PATH;
}
