// SPDX-License-Identifier: Apache-2.0

/// The key of the background rules in a manager's options: `Bool`, `false` if missing.
///
/// Linux has no background. This option applies the rules that a phone has for apps in the
/// background, for tests of an app. A central manager then discovers nothing unless it scans for
/// services, and reports no duplicates. A peripheral manager advertises no name, and puts all its
/// services in the overflow area. If all advertising managers of the adapter follow the rules, the
/// adapter advertises less often.
///
/// Not part of Apple's framework: put code that uses it under `#if os(Linux)`.
public let CBManagerOptionBackgroundRulesKey = "LanyardManagerOptionBackgroundRules"
