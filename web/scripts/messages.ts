// Writes src/messages/types.d.ts for the type checker.
import { writeTypes } from "../plugins/messages.ts";

writeTypes();
