// The site's logo as this page shows it: the one that it brought, until an admin sets another here.
import { site } from "./site.ts";

export const looks = $state({ logo: site.logo });
