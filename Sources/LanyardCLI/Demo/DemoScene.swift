// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Lanyard

/// The picture of the demo at one moment.
struct DemoScene: Equatable, Sendable {
    /// An accessory: its state in the app, and its distance and signal in the world.
    struct Device: Equatable, Sendable {
        var name: String
        /// The state in the app; `nil` if the app does not know the accessory, or does not run.
        var state: AccessoryState?
        var meters: Double
        /// The strength at which the phone receives the accessory, in dBm.
        var signal: Int
    }

    var chapters: [String]
    /// The index of the current chapter; `nil` before the first.
    var chapter: Int?
    /// The virtual time that has passed.
    var time = Duration.zero
    var devices: [Device] = []
    /// The number of connection slots of the phone.
    var slots = 0
    /// Whether the app runs.
    var isRunning = true
}

// MARK: On a terminal

extension DemoScene {
    /// The lines: the chapters, the devices and the links.
    var lines: [StyledLine] {
        [StyledLine(), chapterLine] + devices.map(line) + [StyledLine(), footLine]
    }

    private var chapterLine: StyledLine {
        var line = StyledLine()
        line.add(" ")
        for (index, title) in chapters.enumerated() {
            let isCurrent = index == chapter
            let isOver = index < chapter ?? 0
            line.add(
                " \(title) ",
                isCurrent ? .inverse : isOver ? .plain : .faint
            )
        }
        return line
    }

    private func line(_ device: Device) -> StyledLine {
        var line = StyledLine()
        let appearance = StateAppearance(device.state, isRunning: isRunning)
        line.add("  ")
        line.add(appearance.sign + " ", appearance.style)
        line.add(device.name, .bold, columns: 14)
        line.add(appearance.name, appearance.style, columns: 28)
        line.add(SignalBars.text(device.signal), device.signal < SignalBars.floor ? .faint : .plain)
        line.add(" \(device.signal) dBm", .faint, columns: 10)
        line.add(DistanceText.describe(device.meters), .faint)
        return line
    }

    private var footLine: StyledLine {
        var line = StyledLine()
        let used = devices.filter { $0.state?.hasLink == true }.count
        line.add("  links ")
        line.add(String(repeating: "■", count: used), .green)
        line.add(String(repeating: "□", count: max(0, slots - used)))
        line.add(" \(used) of \(slots)", columns: 12)
        line.add(isRunning ? "the app runs" : "the app is terminated", columns: 28)
        line.add("\(SecondsText.describe(time.wholeTenths)) of virtual time", .faint)
        return line
    }
}

/// The appearance of a state on a terminal.
struct StateAppearance: Equatable, Sendable {
    let sign: String
    let name: String
    let style: StyledLine.Style

    /// Creates the appearance of a state; without a state, that of an unknown accessory, or of an
    /// app that does not run.
    ///
    /// - Parameter isRunning: Whether the app runs.
    init(_ state: AccessoryState?, isRunning: Bool = true) {
        guard let state else {
            name = isRunning ? "unknown to the phone" : "the app is not running"
            (sign, style) = ("·", .faint)
            return
        }
        name = state.words
        switch state {
        case .ready: (sign, style) = ("●", .green)
        case .connected: (sign, style) = ("◐", .yellow)
        case .outOfRange: (sign, style) = ("○", .yellow)
        case .disconnecting, .unauthorized, .unsupported: (sign, style) = ("×", .red)
        case .idle, .poweredOff, .waitingForBluetooth: (sign, style) = ("·", .faint)
        case .restoring: (sign, style) = ("◌", .magenta)
        case .scanning, .connecting, .discoveringServices, .discoveringCharacteristics,
            .subscribing:
            (sign, style) = ("◌", .cyan)
        }
    }
}

extension AccessoryState {
    private static let all: [AccessoryState] = [
        .waitingForBluetooth, .poweredOff, .unauthorized, .unsupported, .restoring, .idle,
        .scanning, .connecting, .discoveringServices, .discoveringCharacteristics, .subscribing,
        .connected, .ready, .outOfRange, .disconnecting,
    ]

    /// Creates the state with this name in a recording.
    init?(named name: String) {
        guard let state = Self.all.first(where: { String(describing: $0) == name }) else {
            return nil
        }
        self = state
    }

    /// The state in words.
    var words: String {
        String(describing: self).reduce(into: "") { words, letter in
            words += letter.isUppercase ? " " + letter.lowercased() : String(letter)
        }
    }

    /// Whether an accessory in this state has a link.
    var hasLink: Bool {
        switch self {
        case .discoveringServices, .discoveringCharacteristics, .subscribing, .connected, .ready,
            .disconnecting:
            true
        default: false
        }
    }
}

/// A signal strength as a row of bars.
enum SignalBars {
    /// The weakest signal that is received, in dBm.
    static let floor = -95
    /// The bars, each with the weakest signal for which it is shown, in dBm.
    private static let steps = [(-90, "▂"), (-78, "▄"), (-66, "▆"), (-54, "█")]

    /// Returns a text of four columns.
    static func text(_ signal: Int) -> String {
        steps.map { threshold, bar in signal >= threshold ? bar : "·" }.joined()
    }
}

/// The text of a distance.
enum DistanceText {
    static func describe(_ meters: Double) -> String {
        let tenths = Int((min(max(meters, 0), 1e6) * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) m" : "\((tenths + 5) / 10) m"
    }
}

extension Duration {
    /// The duration without fractions of a tenth of a second.
    var wholeTenths: Duration {
        .milliseconds(nanoseconds / 100_000_000 * 100)
    }
}
