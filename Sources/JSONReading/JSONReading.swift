// SPDX-License-Identifier: Apache-2.0

// A strict JSON reader for files that people write, with the place of each error.
//
// `JSONValue` is the content of a text. It permits no duplicate keys, no comments, and only valid
// numbers. A `JSONNode` is a value with the path to it, such as `devices[2].path[0].at`, which an
// error message can contain. A caller requests the members of an object once, with all permitted
// keys, so that a misspelled key is an error instead of being ignored.
//
// This module does not decode into types automatically. The errors of such decoders are meant for
// programmers, and each caller has its own limits for numbers and lists.
