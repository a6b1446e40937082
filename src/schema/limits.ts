/** Limits of schemas, of values that are checked against them, and of the messages about both. */

// Schemas, local and received.
/** Maximum nesting of subschemas in a schema, in levels. */
export const MAX_DEPTH = 32;
export const MAX_SUBSCHEMAS = 10_000;
/** Maximum number of different patterns in a schema: checking one for exponential time can take milliseconds. */
export const MAX_PATTERNS = 200;
/** Maximum length of a keyword, property name or identifier in a received schema, in characters. */
export const MAX_RECEIVED_NAME = 1024;
/**
 * Maximum length of a chain of references and in-place subschemas, all applied to the same value. Longer chains could overflow
 * the stack.
 */
export const MAX_CHAIN = 200;
/**
 * Maximum number of subschemas that apply to one value, with references followed. Bounds schemas that double with each
 * reference.
 */
export const MAX_EXPANDED = 10_000;

// Local schemas, before they are read.
/** Maximum nesting of a schema that is copied, in levels. A schema that contains itself exceeds it. */
export const MAX_COPY_DEPTH = 40;
export const MAX_COPIED_SCHEMAS = 20_000;

// Patterns of local schemas.
export const MAX_PATTERN_LENGTH = 1024;
/** Maximum number of positions up to which counted repeats, such as `a{50}`, are unrolled in the automaton of a pattern. */
export const MAX_POSITIONS = 400;
export const MAX_EDGES = 20_000;
/** Maximum number of steps of the search for an ambiguity that makes a pattern take exponential time. */
export const MAX_STEPS = 50_000;

// Values.
/**
 * Maximum number of values inside a value. Schema libraries report every wrong one, and have no option to stop: zod takes up to
 * 14 microseconds for each in a union of four, and throws a RangeError above some 120,000.
 */
export const MAX_VALUES = 10_000;
/**
 * Maximum length of the paths of all values inside a value together, in characters: arktype keeps a string with the path of
 * every wrong value.
 */
export const MAX_PATH_CHARACTERS: number = 4 * 1024 * 1024;
/**
 * Maximum nesting of a value, in levels. Received messages have fewer levels; a value of the same process may contain itself.
 */
export const MAX_VALUE_DEPTH = 200;
/**
 * Maximum work of one check against a received schema, in applications of a subschema. The engine takes 2 to 3 microseconds for
 * each, so a check takes at most a fraction of a second.
 */
export const MAX_WORK = 70_000;

// Error messages about schemas and values.
/**
 * Maximum number of errors that the engine reports for a value. Larger than `MAX_PROBLEMS`, since several errors become one
 * problem.
 */
export const MAX_ENGINE_ERRORS = 30;
/** Maximum length of a property name in the paths that the engine builds for its errors, in characters. */
export const MAX_PATH_NAME = 1024;
export const MAX_PROBLEMS = 10;
/** Maximum length of the text that describes all problems of a value, in bytes. */
export const MAX_DESCRIPTION = 4096;
export const MAX_PROBLEM_MESSAGE = 300;
/** Maximum length of a JSON Pointer in an error message, in characters. Received property names can have megabytes. */
export const MAX_POINTER = 200;
