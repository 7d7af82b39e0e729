// SPDX-License-Identifier: Apache-2.0

/// The key of a manager's options by which it keeps the rules that a phone has for applications in the
/// background: Bool, false if it is missing.
///
/// Linux has no background; to try an application out under the rules that it will meet on a phone,
/// set this. A central manager then finds nothing without naming services, and no duplicates. A
/// peripheral manager advertises no name, and all of its services in the overflow area, less often.
///
/// Not part of Apple's framework: keep what uses it under `#if os(Linux)`.
public let CBManagerOptionBackgroundRulesKey = "LanyardManagerOptionBackgroundRules"
