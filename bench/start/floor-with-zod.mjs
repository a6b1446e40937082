// The floor server of somebody who imports zod.
import 'zod';
import '../floor/raw.mjs';
