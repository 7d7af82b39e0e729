// SPDX-License-Identifier: Apache-2.0

// A reader and a writer of JSON texts (RFC 8259). The module depends on `BluetoothTypes` only, so
// almost every module can use it, on every platform.
//
// `JSON` is the content of a text. The reader is strict: it permits no duplicate keys, no comments,
// and only valid numbers, and its nesting has a limit. The writer keeps the order of keys, so equal
// values have equal texts. A `JSONNode` is a value with the path to it, such as
// `devices[2].path[0].at`, which an error message can contain. A caller requests the members of an
// object once, with all permitted keys, so that a misspelled key is an error instead of being
// ignored. `JSON.RawMembers` finds the members of an object without decoding them, for values that
// are passed on unchanged.
//
// This module does not decode into types automatically. The errors of such decoders are meant for
// programmers, and each caller has its own limits for numbers and lists.
