/** Limits of schemas, of values that are checked against them, and of the messages about both. */

// Schemas, local and received.
/** Schemas inside each other. */
export const MAX_DEPTH = 32;
export const MAX_SUBSCHEMAS = 10_000;
/** Different patterns: checking one for exponential time can take milliseconds. */
export const MAX_PATTERNS = 200;
/** Characters of a keyword, property name or identifier in a received schema. */
export const MAX_RECEIVED_NAME = 1024;
/** References and in-place subschemas in a chain, each applied to the same value. */
export const MAX_CHAIN = 200;
/** Subschemas that apply to one value, with references followed. */
export const MAX_EXPANDED = 10_000;

// Local schemas, before they are read.
export const MAX_COPY_DEPTH = 40;
export const MAX_COPIED_SCHEMAS = 20_000;

// Patterns of local schemas.
export const MAX_PATTERN_LENGTH = 1024;
/** Positions of an automaton up to which counted repeats are unrolled. */
export const MAX_POSITIONS = 400;
export const MAX_EDGES = 20_000;
/** Steps of the search for an ambiguity. */
export const MAX_STEPS = 50_000;

// Values.
/**
 * Values inside a value. Schema libraries report every wrong one, and have no option to stop: zod takes up to 14 microseconds
 * for each in a union of four, and throws a RangeError above some 120,000.
 */
export const MAX_VALUES = 10_000;
/** Characters of the paths of all values together: arktype keeps a string with the path of every wrong value. */
export const MAX_PATH_CHARACTERS: number = 4 * 1024 * 1024;
/** Levels of a value. Received messages have fewer; a value of the same process may contain itself. */
export const MAX_VALUE_DEPTH = 200;
/** Applications of a received subschema. The engine takes 2 to 3 microseconds for each, the search for errors included. */
export const MAX_WORK = 70_000;

// Messages.
/** Errors of the engine. More than problems, since several errors become one problem. */
export const MAX_ENGINE_ERRORS = 30;
/** Characters of a name in the paths that the engine builds. */
export const MAX_PATH_NAME = 1024;
export const MAX_PROBLEMS = 10;
/** Bytes of the text that describes all problems. */
export const MAX_DESCRIPTION = 4096;
export const MAX_PROBLEM_MESSAGE = 300;
/** Characters of a JSON Pointer in a message. Received names can have megabytes. */
export const MAX_POINTER = 200;
