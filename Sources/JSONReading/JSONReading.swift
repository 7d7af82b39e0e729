// SPDX-License-Identifier: Apache-2.0

// Files that people write: JSON, read strictly, with errors that say where they are.
//
// `JSONValue` is what a text says, and nothing else: no key twice, no comment, no number that is not
// one. A `JSONNode` is a value together with the way to it, `devices[2].path[0].at`, so that whoever
// finds that it is not what it should be can say where; an object is asked for its members once,
// with all the keys that it may have, so that a misspelt one is an error and not a silence.
//
// There is no automatic decoding into types. Its errors are written for programmers, and a number
// that is out of range, or a list that is too long, is a matter of each place.
