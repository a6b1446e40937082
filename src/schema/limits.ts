/** Limits of schemas, of the values checked against them, and of error messages about both. */

/** Maximum nesting of subschemas in a schema, in levels. Deeper schemas are refused. */
export const MAX_DEPTH = 32;
export const MAX_SUBSCHEMAS = 10_000;
/** Maximum number of distinct regular expressions in a schema. Checking one for exponential time can take milliseconds. */
export const MAX_PATTERNS = 200;
/** Maximum length of a keyword, property name or identifier in a schema received from the peer, in characters. */
export const MAX_RECEIVED_NAME = 1024;
/** Maximum length of a chain of references and keywords such as `allOf`. Longer chains could overflow the stack. */
export const MAX_CHAIN = 200;
/** Maximum number of subschemas applied to one value, including targets of references, whose number can grow exponentially. */
export const MAX_EXPANDED = 10_000;

/** Maximum nesting of an application's schema while it is copied, in levels. A schema that contains itself exceeds it. */
export const MAX_COPY_DEPTH = 40;
export const MAX_COPIED_SCHEMAS = 20_000;

/** Maximum length of a regular expression in an application's schema, in characters. Longer ones are refused. */
export const MAX_PATTERN_LENGTH = 1024;
/**
 * Maximum size of the automaton of a regular expression, in positions, up to which the ReDoS check unrolls counted repeats such as
 * `a{50}`. A repeat that would exceed it is checked as a loop, like `a+`. Above 4 times this size, the pattern is refused.
 */
export const MAX_POSITIONS = 400;
export const MAX_EDGES = 20_000;
/** Maximum number of steps of the search for exponential time in a pattern. A pattern that needs more steps is refused. */
export const MAX_STEPS = 50_000;

/**
 * Maximum number of values nested in a checked value. Schema libraries have no option to stop at the first error: zod takes up
 * to 14 microseconds per invalid value in a union of four schemas, and throws a RangeError above some 120,000 invalid values.
 */
export const MAX_VALUES = 10_000;
/** Maximum total length of the paths of all values nested in a value, in characters. arktype stores the path of each error. */
export const MAX_PATH_CHARACTERS: number = 4 * 1024 * 1024;
/** Maximum nesting of a value whose errors are listed, in levels. The limit also ends the walk over a cyclic object. */
export const MAX_VALUE_DEPTH = 200;
/** Maximum number of subschemas applied by one check against a received schema. Each application takes 2 to 3 microseconds. */
export const MAX_WORK = 70_000;

/** Maximum number of TypeBox errors per value. Exceeds `MAX_PROBLEMS`, because several errors can become one problem. */
export const MAX_ENGINE_ERRORS = 30;
/** Maximum length of a property name in the error paths that TypeBox builds, in characters. Longer names are truncated. */
export const MAX_PATH_NAME = 1024;
export const MAX_PROBLEMS = 10;
/** Maximum length of the text that describes all problems of a value, in bytes. */
export const MAX_DESCRIPTION = 4096;
export const MAX_PROBLEM_MESSAGE = 300;
/** Maximum length of a JSON Pointer in an error message, in characters. Received property names can be megabytes long. */
export const MAX_POINTER = 200;
