// The floor server of somebody who imports the JSON Schema engine that mcpp loads when it needs one.
import '../../dist/schema/check/engine.js';
import '../floor/raw.mjs';
