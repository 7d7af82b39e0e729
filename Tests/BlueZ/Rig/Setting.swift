// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A release of Debian, and with it of Linux and of BlueZ.
enum DebianRelease: String, CaseIterable, Sendable {
    /// Debian 12: Linux 6.1, BlueZ 5.66.
    case bookworm
    /// Debian 13: Linux 6.12, BlueZ 5.82.
    case trixie
}

/// The Bluetooth version of both controllers of a test.
enum Generation: String, CaseIterable, Sendable {
    /// Bluetooth 4.x: Low Energy without later features.
    case four = "4.x"
    /// Bluetooth 5.x: extended advertising, other PHYs.
    case five = "5.x"
}

/// A release of BlueZ and a generation of controllers: a column of the scenario table.
struct Setting: Hashable, Sendable, CustomTestStringConvertible, CustomStringConvertible {
    let release: DebianRelease
    let generation: Generation

    /// All four settings.
    static let every: [Setting] = DebianRelease.allCases.flatMap { release in
        Generation.allCases.map { Setting(release: release, generation: $0) }
    }

    /// The settings to test: all four, or those that LANYARD_BLUEZ_SETTINGS names, for example
    /// `trixie 5.x`.
    static let all: [Setting] = {
        guard let names = ProcessInfo.processInfo.environment["LANYARD_BLUEZ_SETTINGS"] else {
            return every
        }
        let asked = every.filter { names.contains($0.description) }
        precondition(!asked.isEmpty, "LANYARD_BLUEZ_SETTINGS names none of \(every)")
        return asked
    }()

    /// Returns the settings of a list that are to be tested.
    private static func asked(of settings: [Setting]) -> [Setting] { settings.filter(all.contains) }

    /// The setting for scenarios that take too long to run four times.
    static let latest = Setting(release: .trixie, generation: .five)

    /// The latest setting, for variations of scenarios that run in all settings; empty if it is not
    /// to be tested.
    static let latestOnly = all.filter { $0 == latest }

    /// The oldest and the latest setting: Debian 12 with 4.x controllers, and Debian 13 with 5.x
    /// controllers. They are for scenarios that depend little on the release or the generation.
    static let oldestAndLatest = asked(of: [
        Setting(release: .bookworm, generation: .four), latest,
    ])

    /// The two settings that are not in `oldestAndLatest`: Debian 12 with 5.x controllers, and
    /// Debian 13 with 4.x controllers. Two tests of the same subject, one with each pair of
    /// settings, cover all four.
    static let crossed = all.filter { !oldestAndLatest.contains($0) }

    /// Returns each setting together with a variation of a test: `one` for the settings of
    /// `oldestAndLatest`, and `other` for the settings of `crossed`. If only one setting is to be
    /// tested, only one variation runs.
    static func each<Variation>(_ one: Variation, orElse other: Variation) -> [(Setting, Variation)]
    {
        oldestAndLatest.map { ($0, one) } + crossed.map { ($0, other) }
    }

    /// Each release on 5.x controllers, for features that 4.x controllers lack, or that do not
    /// depend on the generation.
    static let eachRelease = all.filter { $0.generation == .five }

    var description: String { "\(release.rawValue) \(generation.rawValue)" }
    var testDescription: String { description }
}

/// The role of BlueZ in a scenario.
enum BlueZRole: String, CaseIterable, Sendable {
    /// Our host is the central.
    case peripheral
    /// Our host is the peripheral.
    case central
}
