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

/// What both controllers of a test know.
enum Generation: String, CaseIterable, Sendable {
    /// Bluetooth 4.x: Low Energy without what came later.
    case four = "4.x"
    /// Bluetooth 5.x: extended advertising, other PHYs.
    case five = "5.x"
}

/// Which BlueZ a scenario meets, on which controllers: the columns of the table.
struct Setting: Hashable, Sendable, CustomTestStringConvertible, CustomStringConvertible {
    let release: DebianRelease
    let generation: Generation

    /// All four.
    static let every: [Setting] = DebianRelease.allCases.flatMap { release in
        Generation.allCases.map { Setting(release: release, generation: $0) }
    }

    /// Those to test: all four, or what LANYARD_BLUEZ_SETTINGS names, for who works on one: `trixie 5.x`.
    static let all: [Setting] = {
        guard let names = ProcessInfo.processInfo.environment["LANYARD_BLUEZ_SETTINGS"] else {
            return every
        }
        let asked = every.filter { names.contains($0.description) }
        precondition(!asked.isEmpty, "LANYARD_BLUEZ_SETTINGS names none of \(every)")
        return asked
    }()

    /// Those of these that are to be tested.
    private static func asked(of settings: [Setting]) -> [Setting] { settings.filter(all.contains) }

    /// The one for scenarios that cost too much to be had four times.
    static let latest = Setting(release: .trixie, generation: .five)

    /// That one, for variations of what is shown in all settings; none if it was not asked for.
    static let latestOnly = all.filter { $0 == latest }

    /// The two that differ most: each release and each generation once, for what depends on either little.
    static let oldestAndLatest = asked(of: [
        Setting(release: .bookworm, generation: .four), latest,
    ])

    /// The two others: once each as well. With both, two tests of the same matter have it in all four.
    static let crossed = all.filter { !oldestAndLatest.contains($0) }

    /// All four, one variation of a test in two of them, the other in the two others. Who asks for one
    /// setting has one variation.
    static func each<Variation>(_ one: Variation, orElse other: Variation) -> [(Setting, Variation)]
    {
        oldestAndLatest.map { ($0, one) } + crossed.map { ($0, other) }
    }

    /// Each release on controllers of 5.x: for what those of 4.x cannot, or what is not a matter of the
    /// generation.
    static let eachRelease = all.filter { $0.generation == .five }

    var description: String { "\(release.rawValue) \(generation.rawValue)" }
    var testDescription: String { description }
}

/// What BlueZ is in a scenario.
enum BlueZRole: String, CaseIterable, Sendable {
    /// Our host is the Central.
    case peripheral
    /// Our host is the Peripheral.
    case central
}
