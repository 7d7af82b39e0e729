// SPDX-License-Identifier: Apache-2.0

import Lanyard

/// What there is to see at a moment of the story.
struct StoryScene: Equatable, Sendable {
    /// An accessory, as the phone knows it and as it really is.
    struct Device: Equatable, Sendable {
        var name: String
        /// nil as long as the phone does not know it.
        var state: AccessoryState?
        var metres: Double
        /// How strongly the phone receives it, in dBm.
        var signal: Int
    }

    var chapters: [String]
    /// The index of the one that is told; nil before the first.
    var chapter: Int?
    /// How much time has passed in the world.
    var time = Duration.zero
    var devices: [Device] = []
    /// How many links the phone can have.
    var slots = 0
    /// Whether the application runs.
    var isRunning = true
}

// MARK: On a terminal

extension StoryScene {
    /// The lines, of which the first tells where in the story this is.
    var lines: [StyledLine] {
        [StyledLine(), chapterLine] + devices.map(line) + [StyledLine(), footLine]
    }

    private var chapterLine: StyledLine {
        var line = StyledLine()
        line.add(" ")
        for (index, title) in chapters.enumerated() {
            let isTold = index == chapter
            let isOver = index < chapter ?? 0
            line.add(
                isTold ? " \(title) " : " \(title) ",
                isTold ? .inverse : isOver ? .plain : .faint
            )
        }
        return line
    }

    private func line(_ device: Device) -> StyledLine {
        var line = StyledLine()
        let look = StateLook(device.state)
        line.add("  ")
        line.add(look.sign + " ", look.style)
        line.add(device.name, .bold, columns: 14)
        line.add(look.name, look.style, columns: 28)
        line.add(SignalBars.text(device.signal), device.signal < SignalBars.floor ? .faint : .plain)
        line.add(" \(device.signal) dBm", .faint, columns: 10)
        line.add(MetresText.describe(device.metres), .faint)
        return line
    }

    private var footLine: StyledLine {
        var line = StyledLine()
        let used = devices.filter { $0.state?.hasLink == true }.count
        line.add("  links ")
        line.add(String(repeating: "■", count: used), .green)
        line.add(String(repeating: "□", count: max(0, slots - used)))
        line.add(" \(used) of \(slots)", columns: 12)
        line.add(isRunning ? "the application runs" : "the application is gone", columns: 28)
        line.add("\(SecondsText.describe(time.wholeTenths)) of virtual time", .faint)
        return line
    }
}

/// How a state looks on a terminal.
struct StateLook: Equatable, Sendable {
    let sign: String
    let name: String
    let style: StyledLine.Style

    init(_ state: AccessoryState?) {
        guard let state else {
            (sign, name, style) = ("·", "unknown to the phone", .faint)
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

    /// The state that recorders call so.
    init?(named name: String) {
        guard let state = Self.all.first(where: { String(describing: $0) == name }) else {
            return nil
        }
        self = state
    }

    /// As one says it.
    var words: String {
        String(describing: self).reduce(into: "") { words, letter in
            words += letter.isUppercase ? " " + letter.lowercased() : String(letter)
        }
    }

    /// Whether there is a link in this state.
    var hasLink: Bool {
        switch self {
        case .discoveringServices, .discoveringCharacteristics, .subscribing, .connected, .ready,
            .disconnecting:
            true
        default: false
        }
    }
}

/// A signal's strength as a row of bars.
enum SignalBars {
    /// What is weaker than this is not received.
    static let floor = -95
    /// The strength from which there is each further bar.
    private static let steps = [(-90, "▂"), (-78, "▄"), (-66, "▆"), (-54, "█")]

    /// Four columns.
    static func text(_ signal: Int) -> String {
        steps.map { threshold, bar in signal >= threshold ? bar : "·" }.joined()
    }
}

/// A distance for people.
enum MetresText {
    static func describe(_ metres: Double) -> String {
        let tenths = Int((min(max(metres, 0), 1e6) * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) m" : "\((tenths + 5) / 10) m"
    }
}

extension Duration {
    /// The same without what is less than a tenth of a second.
    var wholeTenths: Duration {
        let (seconds, attoseconds) = components
        return .milliseconds(seconds * 1_000 + attoseconds / 100_000_000_000_000_000 * 100)
    }
}
